"""How often an instrument that died or hung is started again, and when it is left alone."""

from __future__ import annotations

from collections.abc import Iterable

from roofwatch.session.events import Fault

WAITS_S = (0.2, 1.0, 5.0)
"""Before each start of telemetry again; after the last it is left."""

LIVED_S = 60.0  # telemetry that lived so long is worth all of them again
FRUITLESS = 2  # deaths of the probes in a row, with no probe measured or given up in between
FINAL = frozenset({0, 2, 3, 4})
"""Exit codes by which an instrument says itself that another start is of no use."""


def said_itself(faults: Iterable[Fault], instrument: str, since_s: float) -> list[Fault]:
    """What an instrument that was started then has written of its own faults."""
    return [f for f in faults if f.instrument == instrument and f.t >= since_s and f.gpu is None]


class Restarts:
    """Counts them; the caller starts what may be started."""

    def __init__(self) -> None:
        self._starts = 0
        self._fruitless = 0
        self._done = 0

    def telemetry_in_s(self, lived_s: float) -> float | None:
        """Seconds until telemetry may be started again, after it lived so long; None: no more."""
        if lived_s >= LIVED_S:
            self._starts = 0
        if self._starts >= len(WAITS_S):
            return None
        self._starts += 1
        return WAITS_S[self._starts - 1]

    def probes(self, done: int, left: int) -> bool:
        """Whether they may be started again for the ``left`` that remain, ``done`` being over."""
        self._fruitless = 0 if done > self._done else self._fruitless + 1
        self._done = done
        return left > 0 and self._fruitless < FRUITLESS

    def new_run(self) -> None:
        """Another run of the probes begins; somebody wants telemetry with it."""
        self._starts = self._fruitless = self._done = 0
