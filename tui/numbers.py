"""How figures are written: few digits, the unit beside them, a word where nothing could be read."""

from __future__ import annotations

NOT_READ = "n/a"


def figure(value: float | None, digits: int = 3) -> str:
    """A rate with ``digits`` significant digits, never in exponent form."""
    if value is None:
        return NOT_READ
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    if abs(value) < 1:
        return f"{value:.{digits}f}" if abs(value) >= 0.001 else f"{value:.1g}"
    return f"{value:.{digits}g}"


def signed(value: float) -> str:
    """A difference with its sign, three significant digits, never in exponent form."""
    return ("-" if value < 0 else "+") + figure(abs(value))


def percent(ratio: float | None) -> str:
    """A share, whole per cent."""
    return NOT_READ if ratio is None else f"{ratio * 100:.0f} %"
