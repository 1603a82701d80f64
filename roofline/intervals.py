"""Stretches of time that may overlap, and how much time they cover together."""

from __future__ import annotations

from collections.abc import Iterable

Interval = tuple[float, float]
"""Begin and end in seconds."""


def united_s(intervals: Iterable[Interval]) -> float:
    """Seconds that at least one of them covers."""
    covered, until = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        if end > until:
            covered += end - max(begin, until)
            until = end
    return covered
