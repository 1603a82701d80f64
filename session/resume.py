"""A session that was cut short, opened to be gone on with."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.done import done_so_far
from roofwatch.session.file import UnreadableSession, events, sessions_folder
from roofwatch.session.fold import Session, fold
from roofwatch.session.kept_file import SessionFile, reopen


def last_session() -> Path:
    """The newest file of the sessions folder, whose names begin with their time.

    Raises:
        UnreadableSession: there is none.
    """
    folder = sessions_folder()
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except OSError as error:
        raise UnreadableSession(f"{folder}: {error.strerror}") from None
    if not names:
        raise UnreadableSession(f"{folder}: there is no session yet")
    return names[-1]


def resumable(path: Path) -> tuple[SessionFile, Session]:
    """The file, opened for what is to come, and what it says so far.

    Raises:
        UnreadableSession: it cannot be read or written, or its last run is complete.
    """
    file = reopen(path)
    try:
        session = fold(events(path))
        if session.complete:
            raise UnreadableSession(f"{path}: is complete, nothing remains to be measured")
        if session.ends and not _left(session):
            raise UnreadableSession(f"{path}: every probe was measured or failed: nothing remains")
    except UnreadableSession:
        file.close()
        raise
    return file, session


def _left(session: Session) -> bool:
    done = done_so_far(session, session.run).probes
    return any(spec.key not in done for spec in session.specs)
