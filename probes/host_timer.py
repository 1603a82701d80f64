"""The timer of a CPU: perf_counter around each call. No torch here."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Sequence

from roofwatch.probes.timing import GRAPH_BELOW_S, Cancelled, Launch


class HostTimer:
    """perf_counter around each call: a CPU call returns when its work is done."""

    name = "host"

    def __init__(
        self,
        clock: Callable[[], float] = time.perf_counter,
        stopped: Callable[[], bool] = lambda: False,
        calls: int = 1,
    ) -> None:
        self._clock = clock
        self._stopped = stopped
        self.calls = calls  # of one repetition: a short call drowns in the clock's own cost

    def times(self, launch: Launch, count: int) -> list[float]:
        """See Timer. Raises Cancelled between two launches."""
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        """See Timer."""
        marks = [self._clock()]
        for launch in launches:
            if self._stopped():
                raise Cancelled
            for _ in range(self.calls):
                launch()
            marks.append(self._clock())
        return [(b - a) / self.calls for a, b in itertools.pairwise(marks)]


def host_timer_for(
    launch: Launch, once: HostTimer, stopped: Callable[[], bool] = lambda: False
) -> HostTimer:
    """``once`` for a call of 100 us and more, else a timer of as many as fill a millisecond."""
    seconds = min(once.times(launch, 2))
    if seconds >= GRAPH_BELOW_S:
        return once
    return HostTimer(stopped=stopped, calls=max(8, int(1e-3 / seconds)))
