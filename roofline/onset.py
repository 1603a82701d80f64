"""When the clock fell, from per-launch times: NVML's own clock is 100 ms slow."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from roofwatch.roofline.statistics import median

COLD_S = 0.010  # the launches that are surely before the fall
DROP = 0.03
SETTLE_S = 2.0  # power control undershoots about one second after the fall


def onset_s(times_s: Sequence[float]) -> float | None:
    """Start of the first three launches in a row more than 3 % slower than the first 10 ms.

    Seconds after the first launch; None when the rate never falls.
    """
    starts = [0.0, *accumulate(times_s)]
    cold = [t for t, start in zip(times_s, starts, strict=False) if start < COLD_S] or times_s[:1]
    if not cold:
        return None
    limit = median(cold) / (1 - DROP)
    slow = 0
    for i, time_s in enumerate(times_s):
        slow = slow + 1 if time_s > limit else 0
        if slow == 3:
            return starts[i - 2]
    return None


def clock_onset_s(readings: Sequence[tuple[float, float]]) -> float | None:
    """When the clock itself fell: the first of three (seconds, MHz) readings 3 % under the start.

    The start is the median of the first 10 ms, or of the first reading. None when it never falls.
    """
    cold = [mhz for t, mhz in readings if t < COLD_S] or [mhz for _, mhz in readings[:1]]
    if not cold:
        return None
    limit = median(cold) * (1 - DROP)
    slow = 0
    for i, (_, mhz) in enumerate(readings):
        slow = slow + 1 if mhz < limit else 0
        if slow == 3:
            return readings[i - 2][0]
    return None


def window_begin_s(times_s: Sequence[float]) -> float:
    """Where the sustained window begins: two seconds after onset, or after the start without one.

    Never past two thirds of the run, so that a short run still has a window (stated in seconds).
    """
    total = sum(times_s)
    return min((onset_s(times_s) or 0.0) + SETTLE_S, total * 2 / 3)
