"""Figures of the checks in words, in any terminal's characters."""

from __future__ import annotations

SIZES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
MOST_VALUE = 60


def size(size_bytes: float) -> str:
    """``140 GiB``."""
    scale, unit = next((each for each in SIZES if size_bytes >= each[0]), (1, "B"))
    return (
        f"{size_bytes / scale:.3g} {unit}"
        if size_bytes / scale < 1000
        else f"{size_bytes / scale:.0f} {unit}"
    )


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
