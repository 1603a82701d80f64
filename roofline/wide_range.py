"""A range that almost any figure lies in."""

from __future__ import annotations

WIDE = 10.0  # the upper end over the lower one


def says_little(low: float | None, high: float | None) -> bool:
    """Whether lying in it tells next to nothing; False where there is none."""
    return low is not None and high is not None and high >= WIDE * low
