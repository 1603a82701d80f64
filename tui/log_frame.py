"""The axes around a picture in log10 by log10: decades named, the units where there is room."""

from __future__ import annotations

import math
from itertools import pairwise

from roofwatch.tui.canvas import Canvas
from roofwatch.tui.curves import cell_of, decade_label
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.rows_of_text import Row, row

LEFT = 8  # cells of the y labels and their axis
X_UNIT = "FLOP/byte"
SHORT_UNIT = "FLOP/B"  # left of the labels


def framed(
    canvas: Canvas,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    rate: str,
    glyphs: Glyphs,
) -> list[Row]:
    """The canvas with its axes: two rows and ``LEFT`` cells more. ``rate`` is the unit of y."""
    ticks = _ticks(y_limits, canvas.height)
    unit_row = next((y for y in range(canvas.height) if y not in ticks), None)
    rows: list[Row] = []
    for y in range(canvas.height):
        mark = glyphs.tick if y in ticks else glyphs.vertical
        label = f"{ticks[y]:>{LEFT - 2}} " if y in ticks else " " * (LEFT - 1)
        if y == unit_row:
            label = f"{rate:<{LEFT - 1}}"
        rows.append((*row((label + mark, "axis")), *canvas.row(y)))
    axis = [glyphs.horizontal] * canvas.width
    names = [" "] * (canvas.width + LEFT)
    for e in _decades(x_limits):
        x = cell_of(float(e), x_limits, canvas.width)
        axis[x] = glyphs.axis_tick
        label = decade_label(e)
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        if all(c == " " for c in names[max(0, start - 1) : start + len(label) + 1]):
            names[start : start + len(label)] = label
    _write_unit(names)
    rows.append(row((" " * (LEFT - 1) + glyphs.corner + "".join(axis), "axis")))
    rows.append(row(("".join(names), "axis")))
    return rows


def _decades(limits: tuple[float, float]) -> range:
    return range(math.ceil(limits[0]), math.floor(limits[1]) + 1)


def _ticks(limits: tuple[float, float], height: int) -> dict[int, str]:
    """Rows and their labels: every decade, or every second, third: no two share a row.

    Labels on neighbouring rows stand evenly, where there is a way; a row is left for the unit.
    """
    decades, loose = _decades(limits), dict[int, str]()
    for step in range(1, len(decades) + 1):
        named = [e for e in decades if e % step == 0]
        rows = [height - 1 - cell_of(float(e), limits, height) for e in named]
        if not len(set(rows)) == len(rows) < height:
            continue
        found = {y: decade_label(e) for y, e in zip(rows, named, strict=True)}
        gaps = {below - above for below, above in pairwise(rows)}
        if len(gaps) == 1 or min(gaps, default=0) > 1:
            return found
        loose = loose or found
    return loose


def _write_unit(names: list[str]) -> None:
    """The axis' unit behind its last label, else before its first: never between two."""
    for start, unit in ((len(names) - len(X_UNIT), X_UNIT), (1, SHORT_UNIT)):
        if all(c == " " for c in names[max(0, start - 1) : start + len(unit) + 1]):
            names[start : start + len(unit)] = unit
            return
