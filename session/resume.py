"""A session that was cut short, opened to be gone on with."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.done import done_so_far
from roofwatch.session.file import UnreadableSession, events, sessions_folder
from roofwatch.session.fold import Session, fold
from roofwatch.session.kept_file import SessionFile, reopen

LOOKED_AT = 20  # of the newest sessions


def last_session() -> Path:
    """The newest session of the folder, by its name, in which something is left to measure.

    Raises:
        UnreadableSession: there is none.
    """
    folder = sessions_folder()
    try:
        names = sorted(path for path in folder.iterdir() if path.suffix == ".jsonl")
    except OSError as error:
        raise UnreadableSession(f"{folder}: {error.strerror}") from None
    for path in names[: -LOOKED_AT - 1 : -1]:
        try:
            resumable(path)[0].close()
        except UnreadableSession:
            continue
        return path
    raise UnreadableSession(f"{folder}: no session in which something is left to measure")


def resumable(path: Path) -> tuple[SessionFile, Session]:
    """The file, opened for what is to come, and what it says so far.

    Raises:
        UnreadableSession: it cannot be read or written, or nothing is left of its last run.
    """
    file = reopen(path)
    try:
        session = fold(events(path))
        if session.complete and not session.open_faults:
            raise UnreadableSession(f"{path}: is complete, nothing remains to be measured")
        if session.ends and not _left(session):
            raise UnreadableSession(f"{path}: every probe was measured, nothing remains")
    except UnreadableSession:
        file.close()
        raise
    return file, session


def _left(session: Session) -> bool:
    done = done_so_far(session, session.run, anew=True).probes
    return any(spec.key not in done for spec in session.specs)
