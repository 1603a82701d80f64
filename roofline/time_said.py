"""Seconds in words."""

from __future__ import annotations

UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
"""In any terminal's characters."""


def time_said(seconds: float) -> str:
    """Seconds in the unit that suits them, three digits."""
    scale, unit = next((each for each in UNITS if seconds >= each[0]), UNITS[-1])
    return f"{seconds / scale:.3g} {unit}"
