"""Figures of one column: all to the same significant digits, trailing noughts and all."""

from __future__ import annotations

import math

from roofwatch.tui.drawing.numbers import LEAST_MONEY, NOT_READ, figure, money

MOST_DECIMALS = 6
WHOLE = 99.95  # from which on a rate has no digits behind the point
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


def rate(value: float | None) -> str:
    """A rate in a column: three significant digits, of a hundred or more the whole number."""
    return figure(value) if value is not None and abs(value) >= WHOLE else significant(value)


def cost(amount: float | None) -> str:
    """An amount without its currency, which the heading has: rounded as ``money`` rounds it, but
    with its trailing noughts, so that the figures of a column have as many digits each."""
    if amount is None or not math.isfinite(amount):
        return NOT_READ
    if amount < LEAST_MONEY:
        return money(amount, "")
    digits = 4 if amount >= 1 else 3
    return f"{amount:.{max(2, digits - 1 - math.floor(math.log10(amount)))}f}"
