"""The word by which several probe processes begin at the same moment, one a card."""

from __future__ import annotations

import queue
from collections.abc import Iterable
from typing import NamedTuple

from roofwatch.roofline.probe_spec import ProbeSpec

FINISHED = "finished with the other cards"
BETWEEN_S = 3.0  # between two probes: cards cool down, operands are made


class Turn(NamedTuple):
    """The card that the process is on, by NVML's index, and when all begin: monotonic seconds."""

    gpu: int
    begin_s: float

    def moments(self, specs: Iterable[ProbeSpec]) -> dict[str, float]:
        """When each of the probes begins, by its key."""
        found, at_s = {}, self.begin_s
        for spec in specs:
            found[spec.key] = at_s
            at_s += spec.seconds + BETWEEN_S
        return found


def order(gpu: int, begin_ns: int) -> str:
    """The line that tells a process its turn."""
    return f"together {gpu} {begin_ns}"


class Turns:
    """Heard on one thread, waited for on another."""

    def __init__(self) -> None:
        self._told: queue.SimpleQueue[Turn | None] = queue.SimpleQueue()

    def hear(self, line: str) -> bool:
        """Take ``together GPU NANOSECONDS`` or ``end``; False for what is neither."""
        words = line.split()
        if words == ["end"]:
            self.end()
            return True
        if len(words) != 3 or words[0] != "together":
            return False
        if not (words[1].isdigit() and words[2].isdigit()):
            return False
        self._told.put(Turn(int(words[1]), int(words[2]) / 1e9))
        return True

    def end(self) -> None:
        """Nothing more comes."""
        self._told.put(None)

    def wait(self) -> Turn | None:
        """The next turn; None where it is over."""
        return self._told.get()
