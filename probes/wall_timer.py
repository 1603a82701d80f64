"""The timer of a whole call on CUDA, as its caller waits for it: host and device together."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

import torch

from roofwatch.probes.timing import Launch

REPETITION_S = 0.01  # of calls on end: the wait at its end takes some 10 us
MOST_CALLS = 10_000


class WallTimer:
    """perf_counter around calls on end and one wait for the device: nothing hides the host.

    All streams are waited for. Events behind a spin, and graphs, tell the device's part alone.
    """

    name = "wall"

    def __init__(self, index: int, launch: Launch) -> None:
        self._index = index
        self.calls = 1
        seconds = min(self.times(launch, 2))
        self.calls = max(1, min(MOST_CALLS, math.ceil(REPETITION_S / max(seconds, 1e-9))))

    def times(self, launch: Launch, count: int) -> list[float]:
        """See Timer."""
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        """See Timer."""
        times = []
        torch.cuda.synchronize(self._index)
        for launch in launches:
            begin = time.perf_counter()
            for _ in range(self.calls):
                launch()
            torch.cuda.synchronize(self._index)
            times.append((time.perf_counter() - begin) / self.calls)
        return times
