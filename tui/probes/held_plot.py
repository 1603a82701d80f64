"""A held probe through time: its rate, and under it the SM clock, over the same seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.session.fold import Session
from roofwatch.session.held import Through, held_begin_s, held_clocks, held_rates
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.throttle import onset_of
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import indented
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.drawing.short_figure import short

LEFT = 9  # cells of the y labels and their axis
LEAST_COLUMNS, MOST_COLUMNS = 24, 100
RATE_ROWS, CLOCK_ROWS = 6, 5
PARTS = 5  # of a series, a quarter of a second
STEPS = (1, 2, 5)
MARKS = 6  # of the time axis at most
FLAT = 0.02  # a figure that moves by less is drawn level


class Post(NamedTuple):
    """An upright line at a second, and its name."""

    at_s: float
    name: str


def held_plot(
    session: Session,
    probe: str,
    run: int,
    multiplies: bool,
    cells: int,
    glyphs: Glyphs,
    window_s: tuple[float, float] | None = None,
) -> list[Row]:
    """Both charts and their axis; none where no launch was told or there is no room.

    ``window_s`` is the sustained window on the session's clock.
    """
    rates = held_rates(session, probe, run, multiplies, PARTS)
    begin_s = held_begin_s(session, probe, run)
    columns = min(MOST_COLUMNS, cells - LEFT)
    if not rates or begin_s is None or columns < LEAST_COLUMNS:
        return []
    end_s = max(rates[-1][0], (window_s[1] - begin_s) if window_s else 0.0, 1e-6)
    posts = []
    onset = onset_of(session, probe, run)
    if onset is not None:
        posts.append(Post(onset, "the rate falls at"))
    if window_s is not None:
        posts.append(Post(window_s[0] - begin_s, "its window begins at"))
    clocks, on_device = held_clocks(session, probe, run)
    limits = (0.0, end_s)
    scale = rate_scale(session)
    unit = scale.named("TFLOP/s") if multiplies else "GB/s"
    if multiplies:
        rates = [(t, rate * scale.factor) for t, rate in rates]
    rows = _chart(unit, rates, limits, columns, RATE_ROWS, posts, "sustained", glyphs)
    if clocks:
        name = "MHz" if on_device else "MHz by telemetry"
        rows += _chart(name, clocks, limits, columns, CLOCK_ROWS, posts, "clock", glyphs)
    return [*rows, *_axis(end_s, columns, posts, glyphs)]


def _chart(
    unit: str,
    points: Through,
    limits: tuple[float, float],
    columns: int,
    height: int,
    posts: Sequence[Post],
    style: str,
    glyphs: Glyphs,
) -> list[Row]:
    """The unit over it; the greatest figure at its top, the least at its bottom."""
    values = [value for _, value in points]
    low, high = min(values), max(values)
    y_limits = (low, high)
    if high - low < FLAT * high:
        y_limits = (high * (1 - FLAT), high * (1 + FLAT))
    canvas = Canvas(columns, height)
    for post in posts:
        if limits[0] <= post.at_s <= limits[1]:
            x = cell_of(post.at_s, limits, columns)
            for y in range(height):
                canvas.put(x, y, glyphs.vertical, "axis")
    thinned = _thinned(points, limits, columns)
    canvas.lay(curve(thinned, (columns, height), limits, y_limits, glyphs.curve), style)
    rows: list[Row] = [row((f"{unit:>{LEFT - 2}}", "dim"))]
    if low == high or height < 3:
        marks = {height // 2: high}
    else:
        marks = {height - 1 - cell_of(v, y_limits, height): v for v in (low, high)}
    for y in range(height):
        label = f"{short(marks[y]):>{LEFT - 2}} {glyphs.tick}" if y in marks else None
        head = label or " " * (LEFT - 1) + glyphs.vertical
        rows.append((*row((head, "axis")), *canvas.row(y)))
    return rows


def _thinned(points: Through, limits: tuple[float, float], columns: int) -> Through:
    """The least and the greatest of each column, so that none is lost."""
    if len(points) <= 2 * columns:
        return points
    by_column: dict[int, Through] = {}
    for point in points:
        by_column.setdefault(cell_of(point[0], limits, columns), []).append(point)
    kept: Through = []
    for part in by_column.values():
        kept += sorted({min(part, key=lambda p: p[1]), max(part, key=lambda p: p[1])})
    return kept


def _axis(end_s: float, columns: int, posts: Sequence[Post], glyphs: Glyphs) -> list[Row]:
    """Seconds since the first launch; under them what the upright lines are."""
    step = _step(end_s)
    line = [glyphs.horizontal] * columns
    names = [" "] * (columns + LEFT)
    for i in range(int(end_s / step + 1e-9) + 1):
        x = cell_of(i * step, (0.0, end_s), columns)
        line[x] = glyphs.axis_tick
        text = f"{i * step:g} s" if i == 0 else f"{i * step:g}"
        _write(names, LEFT + x, text)
    rows = [
        row((" " * (LEFT - 1) + glyphs.corner + "".join(line), "axis")),
        row(("".join(names), "dim")),
    ]
    said = "; ".join(f"{p.name} {short(p.at_s)} s" for p in posts)
    return [*rows, *indented(wrapped(said, columns, "reason"), LEFT)]


def _write(names: list[str], at: int, text: str) -> None:
    """Text around a cell, where it touches no other."""
    start = max(0, min(at - len(text) // 2, len(names) - len(text)))
    around = names[max(0, start - 1) : start + len(text) + 1]
    if all(c == " " for c in around):
        names[start : start + len(text)] = text


def _step(end_s: float) -> float:
    """The least of 1, 2, 5, 10 … (and their tenths) that gives few enough marks."""
    decade = 10.0 ** math.floor(math.log10(end_s / MARKS))
    return next(s * decade for s in (*STEPS, 10) if end_s / (s * decade) <= MARKS)
