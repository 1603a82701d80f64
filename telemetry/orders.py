"""What the parent has told telemetry while it samples: to end, to read more or less often, or to
look at the card's health."""

from __future__ import annotations

import threading
from collections import deque

HZ_MAX = 100.0
MOST_WORDS = 16  # looks that wait


class Orders:
    """Heard on one thread, followed on another; ``come`` is set while one waits."""

    def __init__(self, hz: float) -> None:
        self.hz = hz
        self.come = threading.Event()
        self._looks: deque[str] = deque(maxlen=MOST_WORDS)
        self._end = False

    def hear(self, line: str) -> None:
        """``quit``, ``hz`` and a number, ``health`` and a word; anything else is no order."""
        word, _, value = line.partition(" ")
        if word == "quit":
            self._end = True
        elif word == "health":
            self._looks.append(value)
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

    def looks(self) -> list[str]:
        """The words of the looks at its health that are asked for, each once."""
        asked = []
        while self._looks:
            asked.append(self._looks.popleft())
        return asked
