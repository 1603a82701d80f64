"""Seconds in words."""

from __future__ import annotations

from roofwatch.roofline.digits_said import digits_said

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
"""In any terminal's characters."""


def time_scale(seconds: float) -> tuple[float, str]:
    """The unit that suits a time, and its seconds."""
    return next((each for each in UNITS if abs(seconds) >= each[0]), UNITS[-1])


def time_said(seconds: float, digits: int = 3) -> str:
    """Seconds in the unit that suits them."""
    scale, unit = time_scale(seconds)
    return f"{digits_said(seconds / scale, digits)} {unit}"
