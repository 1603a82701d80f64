"""Medians and spreads of repeated times. Pure; times in seconds in, seconds out."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


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
