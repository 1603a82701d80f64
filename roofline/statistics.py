"""Medians and spreads of repeated times. Pure; times in seconds in, seconds out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import msgspec

FEWEST_DRIFTING = 12  # repetitions that can show a drift: fewer, and noise drifts as often
FEWEST_MODES = 20  # that can show two modes: of 8 normal ones every seventh set seems to have two
FEWEST_INTERVAL = 5  # repetitions whose range may stand for an interval of their median
LEVEL = 0.95  # of such an interval
EXACT = 400  # repetitions up to which it is counted; beyond, the normal distribution serves
NORMAL = 1.96  # standard deviations of LEVEL
TRIM = 5  # one in so many of a third may lie anywhere
APART = 0.02  # modes and drifts closer than this are noise
HELD_OVER = 0.03  # what is held may lie so far over the short run's rate and be noise
MINORITY = 0.15  # of the repetitions: less are outliers, no mode
EXPLAINED = 0.85  # of the variance, by two groups: a normal distribution reaches 0.64


def median(values: Sequence[float]) -> float:
    """The middle value. Raises statistics.StatisticsError when there is none."""
    return statistics.median(values)


def iqr(values: Sequence[float]) -> float:
    """Distance between the quartiles (inclusive method); 0 for fewer than two values."""
    if len(values) < 2:
        return 0.0
    q1, _, q3 = statistics.quantiles(values, n=4, method="inclusive")
    return q3 - q1


def spread(values: Sequence[float]) -> float:
    """IQR over median, the figure the adaptive stop looks at (facts: under 1 % is settled)."""
    return iqr(values) / median(values)


def median_error(values: Sequence[float]) -> float:
    """Relative standard error of the median, from the IQR as a robust sigma.

    sigma = IQR / 1.349 and error = 1.2533 sigma / sqrt(n), both for a normal distribution.
    Infinite below three values, which say nothing about their own spread.
    """
    if len(values) < 3:
        return math.inf
    return 1.2533 * iqr(values) / 1.349 / math.sqrt(len(values)) / median(values)


def median_interval(values: Sequence[float]) -> tuple[float, float] | None:
    """Two of the values between which their population's median lies with 95 % probability.

    Order statistics, so that no distribution is assumed but that the values are independent: with
    n of them the median lies outside the k-th from both ends with probability 2 P(Bin(n, 1/2) < k).
    Of five the whole range, which holds it with 94 %; None for fewer.
    """
    n = len(values)
    if n < FEWEST_INTERVAL:
        return None
    ordered = sorted(values)
    if n > EXACT:
        cut = int((n - NORMAL * math.sqrt(n)) / 2) - 1
        return ordered[cut], ordered[n - 1 - cut]
    cut, outside = 0, 1
    while 2 * (outside + math.comb(n, cut + 1)) <= (1 - LEVEL) * 2**n:
        cut += 1
        outside += math.comb(n, cut)
    return ordered[cut], ordered[n - 1 - cut]


def drift(values: Sequence[float]) -> float:
    """How far the last third's median lies from the first third's, as a share of it.

    0 for fewer than twelve values, and where the two thirds overlap but for a few outliers.
    """
    if len(values) < FEWEST_DRIFTING:
        return 0.0
    third = len(values) // 3
    first, last = sorted(values[:third]), sorted(values[-third:])
    cut = third // TRIM
    inner_first, inner_last = first[cut : third - cut], last[cut : third - cut]
    if inner_first[-1] >= inner_last[0] and inner_last[-1] >= inner_first[0]:
        return 0.0
    return median(last) / median(first) - 1


class Modes(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups that repeated values fall into: their medians, and the slower one's share."""

    fast: float
    slow: float
    slow_share: float


def modes(values: Sequence[float]) -> Modes | None:
    """The two modes of a bimodal set; None when it has one (Otsu's split of the sorted values).

    Both groups must hold 15 % of the values, lie 2 % apart and explain 85 % of the variance.
    """
    if len(values) < FEWEST_MODES:
        return None
    ordered = sorted(values)
    n, total = len(ordered), math.fsum(ordered)
    mean = total / n
    variance = math.fsum((v - mean) ** 2 for v in ordered)
    if variance == 0.0:
        return None
    best, cut, below = 0.0, 0, 0.0
    for i, value in enumerate(ordered[:-1], 1):
        below += value
        between = i * (below / i - mean) ** 2 + (n - i) * ((total - below) / (n - i) - mean) ** 2
        if between > best:
            best, cut = between, i
    if best < EXPLAINED * variance or not MINORITY <= cut / n <= 1 - MINORITY:
        return None
    fast, slow = median(ordered[:cut]), median(ordered[cut:])
    if slow / fast - 1 < APART:
        return None
    return Modes(fast=fast, slow=slow, slow_share=1 - cut / n)
