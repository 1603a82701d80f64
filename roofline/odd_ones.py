"""Which of several like things lie apart, to either side: their names, the furthest first."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from roofwatch.roofline.robust_spread import FEWEST, spread_of


class OddOne(NamedTuple):
    """One value far from the others: ``off`` is its signed share of their median ``middle``."""

    name: str
    value: float
    middle: float
    off: float


def odd_ones(values: Mapping[str, float], floor: float) -> list[OddOne]:
    """Those beyond the limit of ``spread_of`` with this ``floor``, the furthest first.

    None among fewer than three values, or where their median is not positive.
    """
    if len(values) < FEWEST:
        return []
    spread = spread_of(list(values.values()), floor)
    if spread.median <= 0:
        return []
    found = [
        OddOne(name, value, spread.median, value / spread.median - 1)
        for name, value in values.items()
        if abs(spread.deviations(value)) > spread.limit
    ]
    return sorted(found, key=lambda each: -abs(each.off))
