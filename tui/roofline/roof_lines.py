"""The roofs of one precision on a canvas, each in a texture of its own.

Nominal is dashed, burst solid, sustained dotted; what is only expected is shaded. Lines that fall
into the same cells are drawn in neighbouring ones: the cells tell them apart, the figures beside
them say how far.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from roofwatch.session.events import Expect
from roofwatch.session.roofs import WHICH, Roofs
from roofwatch.tui.drawing.canvas import BRAILLE, Canvas
from roofwatch.tui.drawing.curves import curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_plane import LogPlane

LEFT_DOTS = 0x47  # of a braille cell
NEAREST = 2  # columns between two dots of a nominal slope
LEAST, MOST = 1e-18, 1e12  # of any value: one FLOP in 1e6 s, and what the axis has labels for


def within(value: float) -> float:
    """A value as it is drawn: beyond these ends, where only damage lies, it stands at the end.

    Of the least numbers that a file can hold a product or a part is 0, which has no logarithm.
    """
    return min(max(value, LEAST), MOST)


def lift(slope_gbs: float) -> float:
    """log10 of the rate of a slope at one FLOP per byte."""
    return math.log10(within(slope_gbs / 1e3))


class RoofLine(NamedTuple):
    """One roof as it is drawn. What is not known is None; ``row`` is of the flat or its range."""

    which: str
    slope_gbs: float | None
    flat_tflops: float | None
    expect: Expect | None
    row: int | None

    def corner(self, plane: LogPlane) -> float | None:
        """log10 of the intensity where the slope meets the row of the flat."""
        if self.slope_gbs is None or self.row is None:
            return None
        return plane.y_of(self.row) - lift(self.slope_gbs)


def middle(expect: Expect) -> float:
    """Of a range, as it is seen on a log scale."""
    return math.sqrt(expect.low) * math.sqrt(expect.high)  # their product may be 0


def height_tflops(own: Roofs, key: str | None, waits: Mapping[str, Expect], which: str) -> float:
    """Of a flat, or of the middle of its range; 0 where nothing is known."""
    flat = own.compute.get(key or "")
    known = flat.drawn(which) if flat else None
    return known or (middle(waits[which]) if which in waits else 0.0)


def roof_lines(
    own: Roofs, key: str | None, waits: Mapping[str, Expect], plane: LogPlane
) -> dict[str, RoofLine]:
    """The three roofs as far as they are known or expected, and the rows of their flats."""
    flat = own.compute.get(key or "")
    heights = {w: h for w in WHICH if (h := height_tflops(own, key, waits, w))}
    one = flat is not None and flat.one
    rows = _rows({w: h for w, h in heights.items() if not (one and w == "sustained")}, plane)
    if one:
        rows["sustained"] = rows["burst"]
    return {
        w: RoofLine(w, own.slope_gbs(w), flat.flat(w) if flat else None, waits.get(w), rows.get(w))
        for w in WHICH
    }


def _rows(heights: Mapping[str, float], plane: LogPlane) -> dict[str, int]:
    """The row of each flat; those that fall into one row are drawn in neighbouring ones."""
    first = "burst" if "burst" in heights else next(iter(heights), "")
    found: dict[str, int] = {}
    for which in sorted(heights, key=lambda w: (w != first, -heights[w])):
        y = plane.row(heights[which])
        while y in found.values():
            y += -1 if heights[which] > heights[first] else 1
        found[which] = y
    down = max(0, -min(found.values(), default=0))  # rather all a row lower than one outside
    return {which: min(plane.rows - 1, y + down) for which, y in found.items()}


def draw(
    canvas: Canvas,
    lines: Mapping[str, RoofLine],
    slope: Expect | None,
    plane: LogPlane,
    glyphs: Glyphs,
) -> None:
    """All roofs, and the ranges of what is still awaited (``slope`` of the bandwidth)."""
    if slope is not None:
        _shade_slope(canvas, lines, slope, plane, glyphs)
    for which in ("burst", "sustained"):
        _shade_flat(canvas, lines, which, slope, plane, glyphs)
    tops = [row for w in WHICH if (row := lines[w].row) is not None]
    for which in ("sustained", "burst"):
        if lines[which].flat_tflops is not None:
            _measured(canvas, lines[which], _roof(lines[which], plane), plane, glyphs)
    if lines["burst"].flat_tflops is None and lines["sustained"].flat_tflops is None:
        _measured(canvas, lines["burst"], _slope(lines["burst"], tops, plane), plane, glyphs)
    _nominal(canvas, lines["nominal"], plane, glyphs)


def _measured(
    canvas: Canvas,
    line: RoofLine,
    path: list[tuple[float, float]],
    plane: LogPlane,
    glyphs: Glyphs,
) -> None:
    """Burst solid, sustained dotted, which burst covers where they run in the same cells."""
    if not path:
        return
    solid = line.which == "burst"
    marker = glyphs.curve if solid else glyphs.broken_curve
    rows = curve(path, (plane.columns, plane.rows), plane.x_limits, plane.y_limits, marker)
    canvas.lay(rows if solid else [_dotted(row) for row in rows], line.which)
    if line.flat_tflops is None or line.row is None:
        return
    corner, glyph = line.corner(plane), glyphs.flat if solid else glyphs.sustained
    for x in range(plane.columns):
        if corner is None or plane.x_of(x) >= corner:
            canvas.put(x, line.row, glyph, line.which)


def _roof(line: RoofLine, plane: LogPlane) -> list[tuple[float, float]]:
    """Corners in log10: where the slope enters the picture, the ridge, the right edge.

    Without a slope the flat alone.
    """
    left, right = plane.x_limits
    at = plane.y_of(line.row or 0)
    corner = line.corner(plane)
    if corner is None:
        return [(left, at), (right, at)]
    start = max(left, corner - (at - plane.y_limits[0]))
    if start >= corner:
        return [(left, at), (right, at)]
    return [(start, at - (corner - start)), (corner, at), (right, at)]


def _slope(line: RoofLine, rows: Sequence[int], plane: LogPlane) -> list[tuple[float, float]]:
    """A slope alone, up to where its flat should be, else to the nominal one or the upper edge."""
    if line.slope_gbs is None:
        return []
    top = line.row if line.row is not None else min(rows, default=0)
    up = lift(line.slope_gbs)
    start = max(plane.x_limits[0], plane.y_limits[0] - up)
    end = min(plane.x_limits[1], plane.y_of(top) - up)
    return [(x, x + up) for x in (start, end)] if start < end else []


def _dotted(row: str) -> str:
    """Every second dot of a line in braille; of other marks the line as it is."""
    return "".join(
        chr(BRAILLE | (ord(c) - BRAILLE) & LEFT_DOTS) if ord(c) >= BRAILLE else c for c in row
    )


def _nominal(canvas: Canvas, line: RoofLine, plane: LogPlane, glyphs: Glyphs) -> None:
    """Dashes and dots, in cells that are still blank: left of a measured slope, never on it."""
    corner = line.corner(plane)
    if line.row is not None:
        for x in range(plane.columns):
            if corner is None or plane.x_of(x) >= corner:
                canvas.put(x, line.row, glyphs.nominal, line.which)
    if line.slope_gbs is None:
        return
    up = lift(line.slope_gbs)
    for y in range(0 if line.row is None else line.row + 1, plane.rows):
        half = (plane.y_of(0) - plane.y_of(1)) / 2
        below = half if y < plane.rows - 1 else 0.0  # where the picture ends
        first, last = (_column(plane, plane.y_of(y) + part - up) for part in (-below, half))
        if first >= plane.columns or last < 0:
            continue
        drawn = next((x for x in range(plane.columns) if not canvas.free(x, y, 1)), plane.columns)
        dots = [x for x in range(max(0, first), min(last, drawn)) if x % NEAREST == 0]
        for x in dots or [min(last, drawn - 1)]:
            canvas.put(x, y, glyphs.slope, line.which)


def _column(plane: LogPlane, at: float) -> int:
    """The column of log10 of an intensity, also outside the picture."""
    left, right = plane.x_limits
    return round((at - left) / (right - left) * (plane.columns - 1))


def _shade_slope(
    canvas: Canvas,
    lines: Mapping[str, RoofLine],
    slope: Expect,
    plane: LogPlane,
    glyphs: Glyphs,
) -> None:
    """The slopes from the low end of the expected bandwidth to the high one."""
    tops = [line.row for line in lines.values() if line.row is not None and line.which != "nominal"]
    top = min(tops, default=0)
    for x in range(plane.columns):
        ends = [plane.x_of(x) + lift(gbs) for gbs in (slope.high, slope.low)]
        if ends[0] < plane.y_limits[0] or ends[1] > plane.y_of(top):
            continue
        first, last = (plane.row(10**at) for at in ends)
        for y in range(max(first, top), last + 1):
            canvas.put(x, y, glyphs.shade, "dim")


def _shade_flat(
    canvas: Canvas,
    lines: Mapping[str, RoofLine],
    which: str,
    slope: Expect | None,
    plane: LogPlane,
    glyphs: Glyphs,
) -> None:
    """The rows of an expected flat that no other flat has, right of where the slope meets it."""
    line = lines[which]
    if line.expect is None or line.row is None:
        return
    others = {one.row for one in lines.values() if one.which != which}
    wide = set(range(plane.row(line.expect.high), plane.row(line.expect.low) + 1)) - others
    gbs = line.slope_gbs or (middle(slope) if slope else None) or lines["nominal"].slope_gbs
    for y in wide | {line.row}:
        corner = plane.y_of(y) - lift(gbs) if gbs else -math.inf
        for x in range(plane.columns):
            if plane.x_of(x) >= corner and canvas.free(x, y, 1):
                canvas.put(x, y, glyphs.shade, "dim")
