"""How far two fresh runs of one card lie apart by chance.

A difference counts where chance brings it in less than one of 2000 comparisons: ten figures of ten
pairs of runs are a hundred, and all of them together must not differ by chance.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.roofline.statistics import spread

CHANCE = 3.48  # standard deviations that one of 2000 normal values exceeds, to either side
SURE = 1.96  # of the 95 % intervals that figures come with
LONG_S = 5.0  # a window from which a held figure repeats as in the full suite

BETWEEN_RUNS = {
    "stream": 0.00034,  # y = x + 1, three quick suites; the roof, five full ones
    "burst": 0.00085,  # seven precisions in three quick suites, eight in five full ones, pooled
    "sustained": 0.0073,  # bf16 held for 3 s: a second of a clock that swings between two values
    "sm_mhz": 0.0080,
    "power_w": 0.0015,
    "efficiency": 0.0087,
}
"""Standard deviation of a figure's logarithm between fresh processes on one H200: the kept runs
(benchmarks/results/h200/repeatability.json, tests/sessions/h200-quick-*.jsonl)."""
OTHER_TURNS = 0.0054
"""The same of a burst for which the search found another shape, or another second-best to take
turns with it: in its 20 ms more or fewer launches at another clock (fp8_fast of five quick suites,
tests/sessions/runs)."""
TURNS_APART = 1.1  # the ratio of two numbers of launches from which the other shape was another
HELD_LONG = {
    "stream": 0.00034,  # seen 0.00007: what is not held is the larger
    "sustained": 0.0007,  # bf16 held for 10 s, begun at 50 to 57 °C
    "sm_mhz": 0.0105,  # of a triad, the larger of two
    "power_w": 0.0015,
    "efficiency": 0.0007,
}
"""The same of a window of several seconds: five full suites."""


def apart(between: float) -> float:
    """The share by which two runs with such a deviation between them may differ by chance."""
    return CHANCE * math.sqrt(2) * between


TURNS_TO_TURNS = apart(OTHER_TURNS)
RUN_TO_RUN = {kind: apart(between) for kind, between in BETWEEN_RUNS.items()}
LONG_RUN_TO_RUN = {kind: apart(between) for kind, between in HELD_LONG.items()}
UNREPEATED = 0.015
"""Assumed of sweeps, decode steps and kernels, whose suites were not repeated: as burst, and more
than three times as far."""
ON_HOST = 0.10
"""Assumed at least, since none was repeated: what a CPU decides moves with its other work."""
QUARTILES = 1.349  # standard deviations of a normal distribution between its quartiles


def of_host(times_s: Sequence[float]) -> float:
    """The share by which two runs may differ in what a CPU's time decides.

    Its other work lasts longer than a probe: it moves all repetitions of one together, so that a
    run's median lies as far off as a single one of them does.
    """
    return max(ON_HOST, apart(spread(times_s) / QUARTILES))


def further(ratio: float, share: float) -> bool:
    """Whether a ratio is further from 1 than a share, whichever of the two comes first."""
    return max(ratio, 1 / ratio) - 1 > share


def leaves_out_1(ratio: float, interval: tuple[float, float]) -> bool:
    """Whether 1 lies outside a ratio's 95 % interval widened to one chance in 2000.

    Of a hundred figures that are the same, five leave 1 out of the interval itself.
    """
    low, high = ((end / ratio) ** (CHANCE / SURE) * ratio for end in interval)
    return not low <= 1 <= high
