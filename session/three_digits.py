"""A figure as people read it: three significant digits, the same in a table and in a sentence."""

from __future__ import annotations

import math

LEAST = 1e-9  # what is less is written as it is


def three_digits(value: float) -> str:
    """Three significant digits, all of those before the point; in exponent form only below 1e-9."""
    size = abs(value)
    if size >= 100 or value == 0:
        return f"{value:.0f}"
    if size < LEAST:
        return f"{value:.3g}"
    if size >= 1:
        return f"{value:.3g}"
    return f"{value:.{2 - math.floor(math.log10(size))}f}"
