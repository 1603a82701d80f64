"""How shares and ratios are written: few digits, and never longer than their column."""

from __future__ import annotations

from roofwatch.tui.drawing.numbers import NOT_READ, figure

LARGEST = 10.0  # of what a share is told in per cent: more is damage
MOST_TIMES = 1e5


def share(of: float | None) -> str:
    """A share in per cent, with a decimal below ten: 84 %, 0.1 %."""
    if of is None:
        return NOT_READ
    if of >= LARGEST:
        return f">{LARGEST:.0f}x"
    return f"{of * 100:.1f} %" if of < 0.0995 else f"{of * 100:.0f} %"


def times(ratio: float) -> str:
    """How many times as much: 1.1x, 11x, 567x."""
    return f"over {MOST_TIMES:.0f}x" if ratio > MOST_TIMES else f"{figure(ratio, 2)}x"
