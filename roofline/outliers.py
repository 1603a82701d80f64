"""Which of several like things is the odd one: a robust rule that a few values suffice for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from roofwatch.roofline.statistics import median

LEAST = 3  # values: of two that differ neither is the odd one
SPREADS = 3.5  # modified z-score (Iglewicz and Hoaglin, 1993)
NORMAL = 1.4826  # times the median absolute deviation is a normal distribution's standard deviation
FLOOR = 0.02  # of the median: cards of one kind lie that far apart without a cause


class Outlier(NamedTuple):
    """One value far from the others: ``off`` is its signed share of their median ``middle``."""

    name: str
    value: float
    middle: float
    off: float


def outliers(values: Mapping[str, float], floor: float = FLOOR) -> list[Outlier]:
    """Those further from the median than 3.5 robust spreads, the furthest first.

    The spread is the median absolute deviation, scaled as of a normal distribution; where the
    others agree too well to tell one, ``floor`` of the median counts. None among fewer than three
    values, or where their median is not positive.
    """
    if len(values) < LEAST:
        return []
    middle = median(list(values.values()))
    if middle <= 0:
        return []
    spread = NORMAL * median([abs(value - middle) for value in values.values()])
    limit = max(SPREADS * spread, floor * middle)
    found = [
        Outlier(name, value, middle, value / middle - 1)
        for name, value in values.items()
        if abs(value - middle) > limit
    ]
    return sorted(found, key=lambda each: -abs(each.off))
