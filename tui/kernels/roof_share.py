"""A share that may be very small: what is less than a half per cent is not nothing."""

from __future__ import annotations

from roofwatch.tui.drawing.numbers import percent

LOW, LEAST_SHARE = 0.005, 0.01  # less than LOW is said to be under LEAST_SHARE


def share_said(share: float | None) -> str:
    """Whole per cent, ``< 1 %`` of what would be written as none."""
    low = share is not None and 0 < share < LOW
    return f"< {percent(LEAST_SHARE)}" if low else percent(share)
