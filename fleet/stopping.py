"""Signals that end a rank: noted, so that what was measured is handed in before the end.

torchrun ends all ranks of a machine with SIGTERM when one has died, and waits half a minute for
them: long enough to tell what came of the others.
"""

from __future__ import annotations

import os
import signal
import time
from types import FrameType

HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
HURRY_S = 8.0  # for the ranks' last lines
IMPATIENT = 3  # signals: then at once


class Stopping:
    """The signal that came, if any. Main thread only."""

    def __init__(self) -> None:
        self.number = 0
        self._count = 0
        self._at_s = 0.0
        for number in HEARD:
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._heard)

    def _heard(self, number: int, _: FrameType | None) -> None:
        self._count += 1
        if not self.number:
            self.number, self._at_s = number, time.monotonic()
        if self._count >= IMPATIENT:
            os._exit(128 + number)

    @property
    def why(self) -> str:
        """Its name, or nothing."""
        return f"ended by {signal.Signals(self.number).name}" if self.number else ""

    def hurry_s(self) -> float | None:
        """Seconds that may still be spent; None as long as no signal came."""
        return HURRY_S - (time.monotonic() - self._at_s) if self.number else None
