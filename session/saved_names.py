"""Sessions as a person names them: a file, or ``last`` and ``last~1`` for the saved ones."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from roofwatch.session.file import UnreadableSession
from roofwatch.session.fold import Session
from roofwatch.session.listing import Listing
from roofwatch.session.replay import Replay

LAST = re.compile(r"last(?:~(\d{1,9}))?", re.ASCII)
READ_S = 1.0
HELP = "a session file, or last, last~1, ...: the saved ones with roofs, newest first"
ROOFS = "or last, last~1, ...: the saved ones with roofs"
OF_ANY = "last, last~1, ...: the newest saved, with --table and its like of sessions alone"


def session_named(name: str, folders: Iterable[Path] | None = None) -> Session:
    """The session of a file, or a saved one; a file of such a name is ``./last``.

    Raises:
        UnreadableSession: there is none such, or it cannot be read; one line.
    """
    return Replay(path_named(name, folders)).session


def path_named(
    name: str,
    folders: Iterable[Path] | None = None,
    with_roofs: bool = True,
    fleets: bool = True,
) -> Path:
    """Its file. ``folders`` are those of ``Listing``, by default where sessions are kept.

    ``with_roofs``: of those alone that measured any; else of all that can be read, a watched
    command's and, with ``fleets``, a fleet's too.

    Raises:
        UnreadableSession: so many are not saved, or their folder cannot be listed.
    """
    found = LAST.fullmatch(name)
    if found is None:
        return Path(name)
    back = int(found[1] or 0)
    listing = Listing(folders=folders, fleets=fleets and not with_roofs)
    listing.refresh()
    while listing.advance(READ_S):  # all of them: which is the newest only they can tell
        pass
    known = [e for e in listing.entries if e.problem is None]
    saved = [e.path for e in known if not with_roofs or e.bandwidth_gbs or e.peak_key]
    if back < len(saved):
        return saved[back]
    if listing.problem is not None:
        raise UnreadableSession(f"{name}: {listing.problem}")
    many = "one session" if len(saved) == 1 else f"{len(saved) or 'no'} sessions"
    where = ", ".join(map(str, listing.folders)) or "any folder"
    raise UnreadableSession(f"{name}: {many} {'with roofs ' * with_roofs}saved in {where}")
