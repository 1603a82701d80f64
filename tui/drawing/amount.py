"""Large and small amounts with the prefix that suits them: FLOP, bytes, seconds."""

from __future__ import annotations

from roofwatch.tui.drawing.short_figure import short

DECIMAL = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
BINARY = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))
SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def amount(value: float, unit: str) -> str:
    """``283 GFLOP``, ``4.29 GB``: by powers of a thousand, as rates are counted."""
    scale, prefix = next((each for each in DECIMAL if value >= each[0]), (1.0, ""))
    return f"{short(value / scale)} {prefix}{unit}"


def size(size_bytes: float) -> str:
    """``188 MiB``: by powers of 1024, as caches are counted."""
    scale, unit = next((each for each in BINARY if size_bytes >= each[0]), (1, "B"))
    return f"{short(size_bytes / scale)} {unit}"


def time_scale(seconds: float) -> tuple[float, str]:
    """The unit that suits a time, and its seconds."""
    return next((each for each in SECONDS if seconds >= each[0]), SECONDS[-1])


def time_in(seconds: float, like_s: float, digits: int = 4) -> str:
    """A time in the unit of another, so that figures beside each other compare."""
    scale, _ = time_scale(like_s)
    value = seconds / scale
    return f"{value:.{digits}g}" if 1e-3 <= abs(value) < 1e4 else short(value)
