"""The axes around a picture in log10 by log10: decades named, the units where there is room."""

from __future__ import annotations

import math

from roofwatch.tui.canvas import Canvas
from roofwatch.tui.curves import cell_of, decade_label
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.rows_of_text import Row, row

LEFT = 8  # cells of the y labels and their axis
X_UNIT = "FLOP/byte"


def framed(
    canvas: Canvas,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    rate: str,
    glyphs: Glyphs,
) -> list[Row]:
    """The canvas with its axes: two rows and ``LEFT`` cells more. ``rate`` is the unit of y."""
    ticks = {
        canvas.height - 1 - cell_of(e, y_limits, canvas.height): decade_label(e)
        for e in range(math.ceil(y_limits[0]), math.floor(y_limits[1]) + 1)
    }
    rows: list[Row] = []
    for y in range(canvas.height):
        mark = glyphs.tick if y in ticks else glyphs.vertical
        label = f"{ticks[y]:>{LEFT - 2}} " if y in ticks else " " * (LEFT - 1)
        if y == 0 and y not in ticks:
            label = f"{rate:<{LEFT - 1}}"
        rows.append((*row((label + mark, "axis")), *canvas.row(y)))
    axis = [glyphs.horizontal] * canvas.width
    names = [" "] * (canvas.width + LEFT)
    for e in range(math.ceil(x_limits[0]), math.floor(x_limits[1]) + 1):
        x = cell_of(float(e), x_limits, canvas.width)
        axis[x] = glyphs.axis_tick
        label = decade_label(e)
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        names[start : start + len(label)] = label
    _write_unit(names, X_UNIT)
    rows.append(row((" " * (LEFT - 1) + glyphs.corner + "".join(axis), "axis")))
    rows.append(row(("".join(names), "axis")))
    return rows


def _write_unit(names: list[str], unit: str) -> None:
    """The axis' unit in the rightmost gap between its labels that holds it."""
    for start in range(len(names) - len(unit), LEFT, -1):
        if all(c == " " for c in names[start - 1 : start + len(unit) + 1]):
            names[start : start + len(unit)] = unit
            return
