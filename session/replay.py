"""A saved session behind the same face as a live one, for the screen."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.events import AnyEvent
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold


class Replay:
    """The whole of a session file, folded. Raises UnreadableSession naming file, row and field."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.session: Session = fold(events(path))
        self.session.closed = True

    def poll(self) -> list[AnyEvent]:
        """Nothing more will come."""
        return []
