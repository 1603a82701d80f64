"""The range expected of a card that was measured before: around the best that it has reached."""

from __future__ import annotations

from roofwatch.roofline.expected import Range

TIMES = 2.0  # what fresh runs of one card lie apart, on either side of the best of them


def own_range(
    best: float, apart: float, unit: str, why: str, ceiling: float | None = None
) -> Range:
    """Around ``best``, ``TIMES`` the share by which runs lie ``apart`` without a cause.

    Nothing is expected beyond a physical ``ceiling``. The best is taken, never the last: a card
    that has become slower does not lower what is expected of it.
    """
    off = TIMES * apart
    high = best * (1 + off)
    if ceiling is not None:
        high = max(best, min(high, ceiling))
    return Range(low=best * max(0.0, 1 - off), high=high, unit=unit, why=why)
