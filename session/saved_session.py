"""The saved session that speaks for a card: its own last complete one, else one of its name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from roofwatch.session.file import UnreadableSession
from roofwatch.session.fold import Session
from roofwatch.session.listing import Listing
from roofwatch.session.replay import Replay

MOST_READ = 12  # whole sessions that are read while one of the very card is looked for
PATIENCE_S = 5.0  # for reading what each of the saved ones is


class Saved(NamedTuple):
    """A session with roofs; ``own``: it is of this very card, by its UUID."""

    path: Path
    session: Session
    own: bool


def saved_session(
    name: str, uuid: str | None = None, folders: Iterable[Path] | None = None
) -> Saved | None:
    """The newest complete session with measured roofs of the card with this UUID.

    Where there is none, of a card of this name; None where none of that name was measured.
    ``folders`` are those of ``Listing``, by default where sessions are kept.
    """
    listing = Listing(folders=folders)
    listing.refresh()
    listing.advance(PATIENCE_S)
    measured = [
        entry
        for entry in listing.entries
        if entry.card == name and entry.complete and (entry.bandwidth_gbs or entry.peak_key)
    ]
    found: Saved | None = None
    for entry in measured[: MOST_READ if uuid else 1]:
        try:
            session = Replay(entry.path).session
        except UnreadableSession:
            continue
        own = uuid is not None and session.device.uuid == uuid
        if own or found is None:
            found = Saved(entry.path, session, own)
        if own:
            break
    return found
