"""What the parent has told telemetry while it samples: to end, or to read more or less often."""

from __future__ import annotations

import threading

HZ_MAX = 100.0


class Orders:
    """Heard on one thread, followed on another; ``come`` is set while one waits."""

    def __init__(self, hz: float) -> None:
        self.hz = hz
        self.come = threading.Event()
        self._end = False

    def hear(self, line: str) -> None:
        """``quit``, or ``hz`` and a number; anything else is no order."""
        word, _, value = line.partition(" ")
        if word == "quit":
            self._end = True
        elif word == "hz":
            try:
                hz = float(value)
            except ValueError:
                return
            if not 0 < hz <= HZ_MAX:
                return
            self.hz = hz
        else:
            return
        self.come.set()

    def follow(self) -> bool:
        """Take the order that has come; False where there is nothing more to do."""
        if self._end or not self.come.is_set():
            return False
        self.come.clear()
        return True
