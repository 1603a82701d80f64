"""When the clock fell, from per-launch times: NVML's own clock is 100 ms slow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
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
    first = _first_of_three(time_s > limit for time_s in times_s)
    return None if first is None else starts[first]


def _first_of_three(slow: Iterable[bool]) -> int | None:
    """Where the first three in a row begin."""
    row = 0
    for i, is_slow in enumerate(slow):
        row = row + 1 if is_slow else 0
        if row == 3:
            return i - 2
    return None


def clock_onset_s(readings: Sequence[tuple[float, float]]) -> float | None:
    """When the clock itself fell: the first of three (seconds, MHz) readings 3 % under the start.

    The start is the median of the first 10 ms, or of the first reading. None when it never falls.
    """
    cold = [mhz for t, mhz in readings if t < COLD_S] or [mhz for _, mhz in readings[:1]]
    if not cold:
        return None
    limit = median(cold) * (1 - DROP)
    first = _first_of_three(mhz < limit for _, mhz in readings)
    return None if first is None else readings[first][0]


def window_begin_s(times_s: Sequence[float]) -> float:
    """Where the sustained window begins: two seconds after onset, or after the start without one.

    Never past two thirds of the run, so that a short run still has a window (stated in seconds).
    """
    total = sum(times_s)
    return min((onset_s(times_s) or 0.0) + SETTLE_S, total * 2 / 3)
