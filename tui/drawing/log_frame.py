"""The axes around a picture in log10 by log10: decades named, the units where there is room."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, decade_label
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row

LEFT = 8  # cells of the y labels and their axis
X_UNIT = "FLOP/byte"
SHORT_UNIT = "FLOP/B"  # left of the labels


class Mark(NamedTuple):
    """A value on the x axis in log10, shown by a sign and, where there is room, its label."""

    at: float
    sign: str
    label: str
    style: str


def framed(
    canvas: Canvas,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    rate: str,
    glyphs: Glyphs,
    marks: Sequence[Mark] = (),
    first: bool = False,
) -> list[Row]:
    """The canvas with its axes: two rows and ``LEFT`` cells more. ``rate`` is the unit of y.

    Labels of ``marks``, the first before the others, stand between those of the decades; with
    ``first`` decades are named where these leave room.
    """
    ticks = _ticks(y_limits, canvas.height)
    unit_row = next((y for y in range(canvas.height) if y not in ticks), None)
    rows: list[Row] = []
    for y in range(canvas.height):
        mark = glyphs.tick if y in ticks else glyphs.vertical
        label = f"{ticks[y]:>{LEFT - 2}} " if y in ticks else " " * (LEFT - 1)
        if y == unit_row:
            label = f"{rate:<{LEFT - 1}}"
        rows.append((*row((label + mark, "axis")), *canvas.row(y)))
    axis = Canvas(canvas.width, 1)
    names = Canvas(canvas.width + LEFT, 1)
    axis.write(0, 0, glyphs.horizontal * canvas.width, "axis")
    for e in _decades(x_limits):
        axis.put(cell_of(float(e), x_limits, canvas.width), 0, glyphs.axis_tick, "axis")
    inside = [m for m in marks if x_limits[0] <= m.at <= x_limits[1]]
    for m in reversed(inside):
        axis.put(cell_of(m.at, x_limits, canvas.width), 0, m.sign, m.style)
    if not first:
        _write_decades(names, x_limits, canvas.width)
    for m in inside:
        _write_mark(names, LEFT + cell_of(m.at, x_limits, canvas.width), m)
    if first:
        _write_decades(names, x_limits, canvas.width)
    _write_unit(names)
    rows.append(((" " * (LEFT - 1) + glyphs.corner, "axis"), *axis.row(0)))
    rows.append(names.row(0))
    return rows


def _write_decades(names: Canvas, limits: tuple[float, float], columns: int) -> None:
    for e in _decades(limits):
        label = decade_label(e)
        x = LEFT + cell_of(float(e), limits, columns) - len(label) // 2
        _write(names, max(0, min(x, names.width - len(label))), label, "axis")


def _write(names: Canvas, start: int, label: str, style: str) -> bool:
    """Write a label with a blank on either side; False where another is in its way."""
    first, last = max(0, start - 1), min(names.width, start + len(label) + 1)
    if not names.free(first, 0, last - first):
        return False
    names.write(start, 0, label, style)
    return True


def _write_mark(names: Canvas, x: int, mark: Mark) -> None:
    """Its label, or the last word of it, under its cell or beside that, as little to one side as
    there is room for: in no other's place."""
    for label in dict.fromkeys((mark.label, mark.label.rpartition(" ")[2])):
        middle = x - len(label) // 2
        starts = sorted(range(x - len(label), x + 2), key=lambda s: abs(s - middle))
        if any(start >= 0 and _write(names, start, label, mark.style) for start in starts):
            return


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


def _write_unit(names: Canvas) -> None:
    """The axis' unit behind its last label, else before its first: never between two."""
    for start, unit in ((names.width - len(X_UNIT), X_UNIT), (1, SHORT_UNIT)):
        if start >= 0 and _write(names, start, unit, "axis"):
            return
