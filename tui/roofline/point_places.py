"""Where the points of a roofline stand on its canvas, and what shows one's three distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from roofwatch.session.points import Point
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_plane import LogPlane
from roofwatch.tui.drawing.plot_words import PlotWords
from roofwatch.tui.roofline.roof_lines import RoofLine, within
from roofwatch.tui.roofline.shares import share, times

AT_FLAT = 0.92  # of a flat: such a point is drawn on it
SWEEP = "sweep"


class Placed(NamedTuple):
    """A point with its mark and its cell."""

    point: Point
    mark: str
    x: int
    y: int

    @property
    def style(self) -> str:
        """The name of its style."""
        return f"point-{self.point.style}"


def placed(
    points: Sequence[Point],
    marks: Sequence[str],
    lines: Mapping[str, RoofLine],
    plane: LogPlane,
) -> list[Placed]:
    """Each point in a cell of its own: where two share one, the second moves to the nearest."""
    taken: set[tuple[int, int]] = set()
    found = []
    for p, mark in zip(points, marks, strict=True):
        line = lines.get(p.style)
        y = row_under(p.tflops, lines, plane)
        if line is not None and line.row is not None and line.flat_tflops:
            # A burst below its flat was disturbed, and the flat is what was held.
            y = line.row if p.tflops >= line.flat_tflops else y
        x, y = _nearest_free(plane.column(within(p.intensity)), y, taken, plane)
        taken.add((x, y))
        found.append(Placed(p, mark, x, y))
    return found


def row_under(rate_tflops: float, lines: Mapping[str, RoofLine], plane: LogPlane) -> int:
    """The row of a rate. Flats may be drawn a row off: a rate at one of them stands on it."""
    for which in ("burst", "sustained"):
        line = lines[which]
        flat = line.flat_tflops
        if line.row is not None and flat and AT_FLAT <= rate_tflops / flat <= 1 / AT_FLAT:
            return line.row
    return plane.row(within(rate_tflops))


def _nearest_free(x: int, y: int, taken: set[tuple[int, int]], plane: LogPlane) -> tuple[int, int]:
    """The cell itself, else one left or right of it, else one in another row."""
    rows = sorted(range(plane.rows), key=lambda row: abs(row - y))
    for row in rows:
        for step in range(plane.columns):
            for column in (x - step, x + step):
                if 0 <= column < plane.columns and (column, row) not in taken:
                    return column, row
    return x, y


def put(canvas: Canvas, words: PlotWords, points: Sequence[Placed]) -> None:
    """Draw the points."""
    for one in points:
        canvas.put(one.x, one.y, one.mark, one.style)
        words.hold(one.x, one.y)


def point_at(canvas: Canvas, words: PlotWords, one: Placed, glyphs: Glyphs) -> None:
    """Mark the point under the cursor: reversed, a pointer before it; of a sweep a full mark."""
    mark = glyphs.at if one.point.style == SWEEP else one.mark
    canvas.put(one.x, one.y, mark, "point-here")
    if one.x > 0 and not words.held(one.x - 1, one.y):
        canvas.put(one.x - 1, one.y, glyphs.here, "strong")
        words.hold(one.x - 1, one.y)


def guide(
    canvas: Canvas,
    words: PlotWords,
    one: Placed,
    lines: Mapping[str, RoofLine],
    plane: LogPlane,
    glyphs: Glyphs,
) -> None:
    """The three distances of a point: up to its roof, along to the ridge, its flat to nominal."""
    p = one.point
    ratio = p.ridge_ratio
    if p.attainable_tflops is None or p.ridge is None or p.distances is None or ratio is None:
        return
    roof, turn = row_under(p.attainable_tflops, lines, plane), plane.column(within(p.ridge))
    for y in range(roof + 1, one.y):
        _put_blank(canvas, words, one.x, y, glyphs.upright)
    beside = f" {share(p.distances.of_roof)} "
    for y in sorted(range(roof + 2, one.y - 1), key=lambda y: abs(2 * y - roof - one.y)):
        if words.write(one.x + 1, y, beside, "strong"):
            break
    if ratio > 1:
        for x in range(one.x + 1, turn):
            _put_blank(canvas, words, x, one.y, glyphs.level)
        for y in range(roof + 1, plane.rows):
            _put_blank(canvas, words, turn, y, glyphs.upright)
        text = f" {times(ratio)} "
        if turn - one.x > 2 * len(text):
            words.write((one.x + turn - len(text)) // 2, one.y, text, "strong", over=True)
    own = lines["sustained" if p.style == "sustained" else "burst"]
    top = lines["nominal"].row
    if top is None or own.row is None:
        return
    x = max(one.x, turn)
    while words.blank(x, top):
        x += 1  # to where the nominal flat begins
    for y in range(top, own.row):
        if not words.held(x, y):
            canvas.put(x, y, glyphs.upright, "strong")


def _put_blank(canvas: Canvas, words: PlotWords, x: int, y: int, glyph: str) -> None:
    if words.blank(x, y):
        canvas.put(x, y, glyph, "dim")


def write_names(words: PlotWords, points: Sequence[Placed]) -> None:
    """Names of the points off the flats, beside or under them, where nothing is drawn."""
    for one in points:
        m = one.point.measurement
        if one.point.style == SWEEP:
            words.write(one.x + 1, one.y, f" {m.shape['n']} ", "dim")
        elif one.point.style == "stream":
            name = f" {shown(one.point.name)} "
            if not words.write(one.x + 1, one.y, name, "dim"):
                words.write(one.x, one.y + 1, name, "dim")
