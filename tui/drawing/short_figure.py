"""A figure that a column can hold, whatever a file says."""

from __future__ import annotations

from roofwatch.tui.drawing.numbers import figure

LARGEST = 1e7  # what a card reaches has fewer digits; only a damaged file has more


def short(value: float) -> str:
    """As ``figure``; from ten millions on with an exponent."""
    return figure(value) if abs(value) < LARGEST else f"{value:.2e}"
