"""Figures of one column: all to the same significant digits, trailing noughts and all."""

from __future__ import annotations

import math

from roofwatch.tui.drawing.numbers import NOT_READ

MOST_DECIMALS = 6
LARGEST = 999_999  # what is beyond is a damaged file's


def significant(value: float | None, digits: int = 3, decimals: int = MOST_DECIMALS) -> str:
    """``digits`` significant digits, but no more than ``decimals`` behind the point.

    Never in exponent form: what is smaller or larger than can be written so is said to be.
    """
    if value is None or math.isnan(value):
        return NOT_READ
    if value == 0:
        return "0"
    size = abs(value)
    if size > LARGEST:
        return f"{'-' if value < 0 else ''}>{LARGEST}"
    least = 10.0**-decimals
    if size < least:
        return f"{'-' if value < 0 else ''}<{least:.{decimals}f}"
    first = math.floor(math.log10(float(f"{size:.{digits - 1}e}")))  # of what it is rounded to
    return f"{value:.{min(decimals, max(0, digits - 1 - first))}f}"
