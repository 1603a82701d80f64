"""Figures of the checks in words, in any terminal's characters."""

from __future__ import annotations

MOST_VALUE = 60


def mhz(clock_mhz: float) -> str:
    """``1980 MHz``."""
    return f"{clock_mhz:.0f} MHz"


def many(count: int, what: str) -> str:
    """``1 process``, ``2 processes``."""
    ending = "" if count == 1 else "es" if what.endswith("s") else "s"
    return f"{count} {what}{ending}"


def value(text: str) -> str:
    """A variable's value, cut where it is long."""
    return text if len(text) <= MOST_VALUE else f"{text[: MOST_VALUE - 3]}..."
