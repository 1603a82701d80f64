"""Large and small amounts with the prefix that suits them: FLOP, decimal bytes, seconds."""

from __future__ import annotations

from roofwatch.roofline.time_said import time_scale
from roofwatch.tui.drawing.short_figure import short

DECIMAL = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def amount(value: float, unit: str) -> str:
    """``283 GFLOP``, ``4.29 GB``: by powers of a thousand, as rates are counted."""
    scale, prefix = next((each for each in DECIMAL if value >= each[0]), (1.0, ""))
    return f"{short(value / scale)} {prefix}{unit}"


def time_in(seconds: float, like_s: float, digits: int = 4) -> str:
    """A time in the unit of another, so that figures beside each other compare."""
    scale, _ = time_scale(like_s)
    value = seconds / scale
    return f"{value:.{digits}g}" if 1e-3 <= abs(value) < 1e4 else short(value)
