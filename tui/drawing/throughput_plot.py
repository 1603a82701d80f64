"""Tokens per second over batch, both axes by doublings, each line named at its right end."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from roofwatch.tui.drawing.canvas import BRAILLE, Canvas
from roofwatch.tui.drawing.curves import cell_of, curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, fit, row

LEFT = 8  # cells of the y labels and their axis
UNIT = "tok/s"
LEAST = (40, 6)  # cells and rows under which nothing is drawn
SOLID, CROSSES, RINGS, DASHES, DOTS = "solid", "crosses", "rings", "dashes", "dots"
ORDER = (DOTS, DASHES, CROSSES, SOLID, RINGS)  # the later is laid over the earlier
MARKS = (CROSSES, RINGS)  # of which each point is a mark, and nothing lies between
BLANK = (" ", chr(BRAILLE))
STEPS = (1, 2, 5)
BEYOND = 1.2  # octaves over the other lines to which dots are followed
NEAREST = 2  # rows between two labels of the y axis


class Line(NamedTuple):
    """One line: (batch, tokens per second) by rising batch. The texture tells it without colour."""

    name: str
    points: Sequence[tuple[float, float]]
    texture: str
    style: str


def plot(
    lines: Sequence[Line],
    cells: int,
    height: int,
    glyphs: Glyphs,
    posts: Sequence[tuple[float, str]] = (),
) -> list[Row]:
    """Exactly ``height`` rows of ``cells``; none where there is no room, or nothing to draw.

    ``posts`` are upright lines at a batch, with what stands there.
    """
    lines = [one._replace(points=_drawable(one.points)) for one in lines]
    lines = [one for one in lines if one.points]
    if not lines or cells < LEAST[0] or height < LEAST[1]:
        return []
    x_limits, y_limits = _limits(lines)
    gone = [one for one in lines if math.log2(one.points[-1][1]) > y_limits[1]]
    names = [_short_name(one, glyphs) if one in gone else _name(one, glyphs) for one in lines]
    right = max(len(name) for name in names) + 1
    columns, rows = cells - LEFT - right, height - 2
    if columns < LEAST[0] // 2:
        return []
    canvas = Canvas(columns, rows)
    stand = [(b, said) for b, said in posts if x_limits[0] < math.log2(b) < x_limits[1]]
    for batch, _ in stand:
        _post(canvas, batch, x_limits, glyphs)
    solid = next((one for one in lines if one.texture == SOLID and len(one.points) > 1), None)
    walked = _walked(solid, (columns, rows), x_limits, y_limits, glyphs) if solid else []
    beside = dict(solid.points) if solid else {}
    for texture in ORDER:
        for one in lines:
            if one.texture != texture:
                continue
            if one is solid:
                canvas.lay(walked, one.style)
            elif texture in MARKS or len(one.points) == 1:
                _mark(canvas, one, x_limits, y_limits, glyphs, walked, beside)
            elif texture == SOLID:
                canvas.lay(_walked(one, (columns, rows), x_limits, y_limits, glyphs), one.style)
            else:
                _dash(canvas, one, x_limits, y_limits, glyphs)
    named_there = [one for one in gone if _name_gone(canvas, one, x_limits, y_limits, glyphs)]
    for batch, said in stand:
        _name_post(canvas, batch, said, x_limits)
    names = [name for name, one in zip(names, lines, strict=True) if one not in named_there]
    lines = [one for one in lines if one not in named_there]
    tops = [math.log2(one.points[-1][1]) for one in lines]
    ends = [rows - 1 - _cell(y, y_limits, rows, 4, glyphs) for y in tops]
    placed = _apart(ends, rows, tops)
    at_row = {y: i for i, y in enumerate(placed) if y is not None}
    ticks = _y_ticks(y_limits, rows)
    out: list[Row] = []
    for y in range(rows):
        mark = glyphs.tick if y in ticks else glyphs.vertical
        label = f"{ticks.get(y, ''):>{LEFT - 2}} "
        if y == 0 and y not in ticks:
            label = f"{UNIT:<{LEFT - 1}}"
        named = [(names[at_row[y]], lines[at_row[y]].style)] if y in at_row else []
        out.append(fit([(label + mark, "axis"), *canvas.row(y), (" ", ""), *named], cells))
    return [*out, *_x_axis(x_limits, columns, right, glyphs)]


def _drawable(points: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    return [p for p in points if all(math.isfinite(v) and v > 0 for v in p)]


def _limits(lines: Sequence[Line]) -> tuple[tuple[float, float], tuple[float, float]]:
    """Of both axes in octaves. Dots (what is linear) may leave the picture through its top."""
    xs = [math.log2(x) for one in lines for x, _ in one.points]
    ys = [math.log2(y) for one in lines for _, y in one.points]
    told = [math.log2(y) for one in lines if one.texture != DOTS for _, y in one.points]
    top = min(max(ys), max(told, default=max(ys)) + BEYOND)
    x_limits = (min(xs), max(min(xs) + 1, *xs))  # one batch alone: an octave
    return x_limits, (min(ys) - 0.3, max(top, min(ys) + 1) + 0.3)


def _post(canvas: Canvas, batch: float, limits: tuple[float, float], glyphs: Glyphs) -> None:
    """An upright line at a batch."""
    x = cell_of(math.log2(batch), limits, canvas.width)
    for y in range(canvas.height):
        canvas.put(x, y, glyphs.vertical, "axis")


def _name_post(canvas: Canvas, batch: float, said: str, limits: tuple[float, float]) -> None:
    """Its words beside it, as high as nothing else is in their way."""
    x = cell_of(math.log2(batch), limits, canvas.width)
    starts = (x - len(said) - 1, x + 2)
    places = [(s, y) for y in range(canvas.height) for s in starts]
    free = (place for place in places if canvas.free(*place, len(said)))
    start, y = next(free, (starts[0] if starts[0] >= 0 else starts[1], 0))
    canvas.write(start, y, said, "dim")


def _name_gone(
    canvas: Canvas,
    line: Line,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    glyphs: Glyphs,
) -> bool:
    """Name a line that left through the top where it does so; False where there is no room."""
    points = _on_paper(line)
    (x0, y0), (x1, y1) = next(pair for pair in pairwise(points) if pair[1][1] > y_limits[1])
    left_at = x0 + (x1 - x0) * max(0.0, y_limits[1] - y0) / (y1 - y0)
    x = _cell(left_at, x_limits, canvas.width, 2, glyphs)
    batch, rate = line.points[-1]
    name = _short_name(line, glyphs)
    for text in (f"{name}, {short(rate)} at {batch:g}", name):
        for y in range(min(2, canvas.height)):
            for start in (x + 2, x - len(text) - 2):
                end = min(canvas.width, start + len(text) + 1)
                if canvas.free(start, y, len(text)) and canvas.free(start - 1, y, end - start + 1):
                    canvas.write(start, y, text, line.style)
                    return True
    return False


def _on_paper(line: Line) -> list[tuple[float, float]]:
    """Its points by their doublings, as both axes count."""
    return [(math.log2(x), math.log2(y)) for x, y in line.points]


def _walked(
    line: Line,
    size: tuple[int, int],
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    glyphs: Glyphs,
) -> list[str]:
    """A solid line as rows of characters."""
    points = _on_paper(line)
    return curve(points, size, x_limits, y_limits, glyphs.curve)


def _mark(
    canvas: Canvas,
    line: Line,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    glyphs: Glyphs,
    walked: Sequence[str],
    beside: Mapping[float, float],
) -> None:
    """A mark at each point and nowhere else.

    The solid line climbs within a column, and a mark covers one row of it: what is as high as the
    line at a point, or higher, stands no lower than any of it, and the other way round.
    """
    sign = _sign(line.texture, glyphs)
    for batch, rate in line.points:
        level = math.log2(rate)
        if level > y_limits[1]:
            break  # it left through the top
        at = canvas.height - 1 - _cell(level, y_limits, canvas.height, 4, glyphs)
        x = _cell(math.log2(batch), x_limits, canvas.width, 2, glyphs)
        taken = [y for y, text in enumerate(walked) if text[x] not in BLANK]
        if taken and batch in beside:
            at = min(at, taken[0]) if rate >= beside[batch] else max(at, taken[-1])
        canvas.put(x, at, sign, line.style)


def _dash(
    canvas: Canvas,
    line: Line,
    x_limits: tuple[float, float],
    y_limits: tuple[float, float],
    glyphs: Glyphs,
) -> None:
    """Dashes or dots along a line."""
    points = _on_paper(line)
    step = 1 if line.texture == DASHES else 2
    for x, y in _along(points, x_limits, canvas.width, step):
        if y > y_limits[1]:
            break
        at = canvas.height - 1 - _cell(y, y_limits, canvas.height, 4, glyphs)
        sign = _sign(line.texture, glyphs)
        canvas.put(_cell(x, x_limits, canvas.width, 2, glyphs), at, sign, line.style)


def _cell(value: float, limits: tuple[float, float], cells: int, dots: int, glyphs: Glyphs) -> int:
    """The cell of a value, the same that a curve of braille (so many dots a cell) passes there."""
    dots = dots if glyphs.curve == "braille" else 1
    return cell_of(value, limits, cells * dots) // dots


def _along(
    points: Sequence[tuple[float, float]], limits: tuple[float, float], columns: int, step: int
) -> list[tuple[float, float]]:
    """The line's height at every ``step``-th column between its ends."""
    out = []
    for column in range(0, columns, step):
        x = limits[0] + (limits[1] - limits[0]) * column / (columns - 1)
        for (x0, y0), (x1, y1) in pairwise(points):
            if x0 <= x <= x1 and x1 > x0:
                out.append((x, y0 + (y1 - y0) * (x - x0) / (x1 - x0)))
                break
    return out


def _sign(texture: str, g: Glyphs) -> str:
    return {SOLID: g.cross, CROSSES: g.cross, RINGS: g.ring, DASHES: g.nominal, DOTS: g.slope}[
        texture
    ]


def sample(texture: str, glyphs: Glyphs) -> str:
    """Two cells of a line, for a legend."""
    if texture == SOLID:
        return (glyphs.curve if len(glyphs.curve) == 1 else glyphs.horizontal) * 2
    if texture in MARKS:
        return f"{_sign(texture, glyphs)} "
    return _sign(texture, glyphs) * 2


def _name(line: Line, glyphs: Glyphs) -> str:
    return f"{_short_name(line, glyphs)} {short(line.points[-1][1])}"


def _short_name(line: Line, glyphs: Glyphs) -> str:
    return f"{sample(line.texture, glyphs)} {line.name}"


def short(value: float) -> str:
    """A rate in five cells at most: 204, 9.48k, 25.8k, 1.2M."""
    for size, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{figure(value / size)}{letter}"
    return figure(value)


def _apart(wanted: Sequence[int], rows: int, tops: Sequence[float]) -> list[int | None]:
    """A row of its own for each, as near as may be to the one wanted; None where rows run out.

    The larger of ``tops`` stands higher. Where rows are short those given last go.
    """
    kept = sorted(range(min(len(wanted), rows)), key=lambda i: (wanted[i], -tops[i]))
    placed: list[int | None] = [None] * len(wanted)
    floor = 0
    for i in kept:  # downwards, each under the one above it
        placed[i] = floor = max(floor, wanted[i])
        floor += 1
    ceiling = rows - 1
    for i in reversed(kept):  # and back up where the last ones fell out
        placed[i] = ceiling = min(ceiling, placed[i] or 0)
        ceiling -= 1
    return placed


def _y_ticks(limits: tuple[float, float], rows: int) -> dict[int, str]:
    """Labels at 1, 2, 5 of each decade, where rows are short at fewer of them."""
    for steps in (STEPS, (1, 3), (1,)):
        values = [
            step * 10.0**decade
            for decade in range(math.floor(limits[0] / 3.4) - 1, math.ceil(limits[1] / 3.3) + 1)
            for step in steps
            if limits[0] <= math.log2(step) + decade * math.log2(10) <= limits[1]
        ]
        places = [rows - 1 - cell_of(math.log2(v), limits, rows) for v in values]
        near = [a - b for a, b in pairwise(places)]
        if not near or min(near) >= NEAREST:
            break
    return {place: short(value) for place, value in zip(places, values, strict=True)}


def _x_axis(limits: tuple[float, float], columns: int, right: int, glyphs: Glyphs) -> list[Row]:
    line = [glyphs.horizontal] * columns
    names = [" "] * (LEFT + columns + right)
    for octave in range(math.ceil(limits[0]), math.floor(limits[1]) + 1):
        x = cell_of(float(octave), limits, columns)
        line[x] = glyphs.axis_tick
        label = str(1 << octave) if octave >= 0 else ""
        start = LEFT + x - len(label) // 2
        if all(c == " " for c in names[max(0, start - 1) : start + len(label) + 1]):
            names[start : start + len(label)] = label
    unit = "batch"
    start = min(LEFT + columns + 2, len(names) - len(unit))
    if all(c == " " for c in names[start - 1 :]):
        names[start : start + len(unit)] = unit
    return [
        row((" " * (LEFT - 1) + glyphs.corner + "".join(line), "axis"), (" " * right, "")),
        row(("".join(names)[: LEFT + columns + right], "axis")),
    ]
