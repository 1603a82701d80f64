"""A live session's look at what its card has done before, without keeping the screen waiting."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from roofwatch.session.fold import Session
    from roofwatch.session.history import Best, History

SLICE_S = 0.01  # of every look


class LookBack:
    """The history of the device that a session is of; nothing at all where it is not ``wanted``."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._history: History | None = None

    def read(self, session: Session) -> bool:
        """Read on for a moment; whether more is known now than before."""
        device = session.device
        if not self._wanted or device.kind is None:
            return False
        from roofwatch.session.history import History, same_device  # after the first paint

        if self._history is None or not same_device(self._history.device, device):
            self._history = History(session)
        return not self._history.done and self._history.advance(SLICE_S)

    @property
    def best(self) -> Mapping[str, Best]:
        """The best rates by probe, once all is read."""
        return self._history.best if self._history is not None and self._history.done else {}

    @property
    def done(self) -> bool:
        """Whether nothing more will be known."""
        return not self._wanted or (self._history is not None and self._history.done)
