"""A figure to so many significant digits."""

from __future__ import annotations

ABSURD = 1e9  # no rate, time or size that is told is that large
MOST_PLACES = 12


def digits_said(value: float, count: int) -> str:
    """So many digits, as an exponent only where it is absurd: 67109, 446.2, 0.0123, 1000."""
    text = f"{value:.{count}g}"
    if "e" not in text or abs(value) >= ABSURD:
        return text
    if abs(value) >= 1:
        return f"{value:.0f}"
    places = min(count - 1 - int(text.partition("e")[2]), MOST_PLACES)
    return f"{value:.{places}f}".rstrip("0").rstrip(".") or "0"
