"""One curve as rows of characters, drawn by plotext 6. Values come in on linear axes.

plotext's own log scale goes wrong with limits and ticks, so callers take log10 themselves. It keeps
one global figure: build on one thread only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Any


@cache
def _plotext() -> Any:
    import plotext  # 150 ms: not before the first paint

    plotext.terminal.limit(False, False)
    return plotext


def curve(
    points: Sequence[tuple[float, float]],
    cells: tuple[int, int],
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    marker: str,
    lines: bool = True,
) -> list[str]:
    """Rows of a canvas of ``cells`` = (width, height) with the curve through ``points``.

    Points are held inside the limits: plotext walks a line cell by cell, however far it leads.
    """
    columns, height = cells
    points = [
        (min(max(x, x_limits[0]), x_limits[1]), min(max(y, y_limits[0]), y_limits[1]))
        for x, y in points
        if math.isfinite(x) and math.isfinite(y)
    ]
    if not points or columns < 2 or height < 1:
        return [" " * columns for _ in range(height)]
    figure = _plotext().figure
    figure.clear()
    figure.plot_size(columns, height)
    figure.axes(False)
    figure.ruler("both", [0, 1]).ticks([])
    figure.ruler("x").lim(*x_limits)
    figure.ruler("y").lim(*y_limits)
    signal = figure.signal([x for x, _ in points], [y for _, y in points], marker=marker)
    if lines and len(points) > 1:
        signal.lines()
    figure.draw(signal)
    text: str = figure.build().string(colorless=True)
    rows = [line.ljust(columns)[:columns] for line in text.split("\n")[:height]]
    return rows + [" " * columns] * (height - len(rows))


def decade_label(exponent: int) -> str:
    """1e-4 0.001 0.01 0.1 1 10 100 1k 10k 1M for a power of ten."""
    if exponent < -3:
        return f"1e{exponent}"
    if exponent < 3:
        return f"{10.0**exponent:g}"
    for size, letter in ((12, "T"), (9, "G"), (6, "M"), (3, "k")):
        if exponent >= size:
            return f"{10 ** (exponent - size)}{letter}"
    raise AssertionError(exponent)


def cell_of(value: float, limits: tuple[float, float], cells: int) -> int:
    """Index of the cell that plotext puts a value in; outside ones are clamped to the edge."""
    low, high = limits
    share = min(1.0, max(0.0, (value - low) / (high - low)))
    return round(share * (cells - 1))
