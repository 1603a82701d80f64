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
GO_ON_S = 16.0  # after torchrun's, to measure what can still be measured
HURRY_S = 8.0  # after that, for the ranks' last lines
IMPATIENT = 3  # signals: then at once


class Stopping:
    """The signal that came, if any. Main thread only.

    ``agent``: torchrun's agent started us, whose SIGTERM most often tells of another rank's end.
    """

    def __init__(self, agent: bool = False) -> None:
        self._agent = agent
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

    @property
    def of_agent(self) -> bool:
        """Whether it is torchrun's, which most often tells of another rank's end."""
        return self._agent and self.number == signal.SIGTERM

    @property
    def _go_on_s(self) -> float:
        return GO_ON_S if self.of_agent else 0.0

    @property
    def at_once(self) -> bool:
        """Whether measuring is to end now."""
        return bool(self.number) and time.monotonic() - self._at_s >= self._go_on_s

    def hurry_s(self) -> float | None:
        """Seconds that may still be spent in all; None as long as no signal came."""
        if not self.number:
            return None
        return self._go_on_s + HURRY_S - (time.monotonic() - self._at_s)
