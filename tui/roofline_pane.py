"""The roofline: dashed the datasheet, solid what this card does, and the points under it."""

from __future__ import annotations

import math

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.roof import Roof
from roofwatch.session.fold import Session
from roofwatch.session.points import Point, points, trace
from roofwatch.session.roofs import WHICH, Roofs, roofs
from roofwatch.tui.canvas import Canvas
from roofwatch.tui.curves import cell_of, curve
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.log_frame import LEFT, framed
from roofwatch.tui.numbers import figure
from roofwatch.tui.points_table import letters, table
from roofwatch.tui.rows_of_text import Row, fit, page

X_LIMITS = (-1.3, 4.95)  # 0.05 to 90k FLOP per byte: the labels stand right of every point
AT_FLAT = 0.92  # of a flat: such a point is drawn on it
LEAST_PLOT = 12  # rows that the picture keeps, whatever stands below


def precisions(session: Session) -> list[str]:
    """Peak keys that have any roof to show, in the suite's order."""
    return list(roofs(session).compute)


def build(session: Session, cells: int, height: int, key: str | None, glyphs: Glyphs) -> list[Row]:
    """Rows of the pane for one precision (the first with a roof when ``key`` has none)."""
    own = roofs(session)
    if key not in own.compute:
        key = next(iter(own.compute), None)
    found = points(session, own, key)
    below = table(session, own, key, found, cells - 1, glyphs)
    table_rows = min(len(below), max(0, height - LEAST_PLOT))
    plot = _plot(own, key, found, trace(session, key), cells, height - table_rows, glyphs)
    # The last column stays free: a neighbour's first word would stick to the table's last.
    return page([*plot, *(fit(r, cells - 1) for r in below[:table_rows])], cells, height)


def _y_limits(own: Roofs, key: str | None, points: list[Point]) -> tuple[float, float]:
    flat = own.compute.get(key or "")
    tops = [x for x in (flat.nominal_tflops, flat.best_tflops) if x] if flat else []
    tops += [p.tflops for p in points]
    top = math.log10(max(tops, default=1.0))
    bottom = min((math.log10(p.tflops) for p in points), default=top - 3) - 0.5
    return min(bottom, top - 2.5), top + 0.25


def _plot(
    own: Roofs,
    key: str | None,
    points: list[Point],
    swept: list[tuple[float, float]],
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    columns, rows = cells - LEFT - 1, height - 2
    if columns < 20 or rows < 4:
        return []
    y_limits = _y_limits(own, key, points)
    canvas = Canvas(columns, rows)
    flats = _flats(own, key, y_limits, rows)
    for which in ("nominal", "sustained", "burst"):
        roof = own.roof(key or "", which)
        if roof is None:
            continue
        if which == "nominal":
            _dashes(canvas, roof, flats[which], y_limits, glyphs)
        else:
            path = _path(roof, flats[which], y_limits, rows)
            canvas.lay(curve(path, (columns, rows), X_LIMITS, y_limits, glyphs.curve), which)
    if own.roof(key or "", "burst") is None:
        _alone(canvas, own, key, flats, glyphs)
    ends = {}  # where each flat's name begins: no point may stand on it
    for which, y in flats.items():
        text = f" {which} {figure(_peak(own, key, which))} "
        ends[y] = canvas.width - len(text)
        canvas.write(ends[y], y, text, which)
    for flop_per_byte, rate in swept:
        x = cell_of(math.log10(flop_per_byte), X_LIMITS, columns)
        y = _row_under(own, key, rate, flats, y_limits, rows)
        if x < ends.get(y, canvas.width):
            canvas.put(x, y, glyphs.sweep, "point-sweep")
    taken: set[tuple[int, int]] = set()
    for mark, p in zip(letters(points, glyphs), points, strict=True):
        if p.style == "sweep":
            continue  # it stands in the trace
        x = cell_of(math.log10(p.intensity), X_LIMITS, columns)
        y = flats.get(p.style, rows - 1 - cell_of(math.log10(p.tflops), y_limits, rows))
        x = min(x, ends.get(y, canvas.width) - 2)
        while (x, y) in taken:
            x -= 1
        taken.add((x, y))
        canvas.put(x, y, mark, f"point-{p.style}")
    _write_ridge(canvas, own, key, glyphs)
    return framed(canvas, X_LIMITS, y_limits, unit(key) if key else "TFLOP/s", glyphs)


def _row_under(
    own: Roofs,
    key: str | None,
    rate: float,
    flats: dict[str, int],
    y_limits: tuple[float, float],
    rows: int,
) -> int:
    """The row of a swept rate. Flats may be drawn a row off: a rate at one of them stands on it."""
    y = rows - 1 - cell_of(math.log10(rate), y_limits, rows)
    for which in ("burst", "sustained"):
        flat = _peak(own, key, which)
        if which in flats and flat and AT_FLAT <= rate / flat <= 1 / AT_FLAT:
            return flats[which]
    return y


def _peak(own: Roofs, key: str | None, which: str) -> float | None:
    flat = own.compute.get(key or "")
    return flat.flat(which) if flat else None


def _flats(own: Roofs, key: str | None, y_limits: tuple[float, float], rows: int) -> dict[str, int]:
    """The row of each flat. Flats that fall into one row are drawn in neighbouring ones.

    A row is a tenth of a decade and more, nominal and measured are closer: the rows tell them
    apart, the figures beside them say how far.
    """
    found = {w: p for w in WHICH if (p := _peak(own, key, w))}
    placed: dict[str, int] = {}
    taken: set[int] = set()
    middle = "burst" if "burst" in found else next(iter(found), "")
    order = sorted(found, key=lambda w: (w != middle, -found[w]))
    for which in order:
        y = rows - 1 - cell_of(math.log10(found[which]), y_limits, rows)
        step = -1 if found[which] > found[middle] else 1
        while y in taken:
            y += step
        taken.add(y)
        placed[which] = min(rows - 1, max(0, y))
    return placed


def _path(
    roof: Roof, flat_y: int, y_limits: tuple[float, float], rows: int
) -> list[tuple[float, float]]:
    """Corners of a roof in log10: where the slope enters the picture, the ridge, the right edge."""
    low, high = y_limits
    drawn = low + (high - low) * (rows - 1 - flat_y) / (rows - 1)
    peak, ridge = math.log10(roof.peak_tflops), math.log10(roof.ridge)
    start = max(X_LIMITS[0], ridge - (peak - low))
    corner = ridge + (drawn - peak)
    return [(start, peak - (ridge - start)), (corner, drawn), (X_LIMITS[1], drawn)]


def _dashes(
    canvas: Canvas, roof: Roof, flat_y: int, y_limits: tuple[float, float], glyphs: Glyphs
) -> None:
    for x in range(canvas.width):
        at = X_LIMITS[0] + (X_LIMITS[1] - X_LIMITS[0]) * x / (canvas.width - 1)
        value = math.log10(roof.attainable_tflops(10**at))
        if value < y_limits[0]:
            continue
        if 10**at >= roof.ridge:
            canvas.put(x, flat_y, glyphs.nominal, "nominal")
        elif x % 2 == 0:
            y = canvas.height - 1 - cell_of(value, y_limits, canvas.height)
            canvas.put(x, y, glyphs.slope, "nominal")


def _alone(
    canvas: Canvas, own: Roofs, key: str | None, flats: dict[str, int], glyphs: Glyphs
) -> None:
    """Half a roof is drawn too: a flat without a slope, or words where there is nothing yet."""
    if "burst" in flats:
        canvas.write(0, flats["burst"], glyphs.horizontal * canvas.width, "burst")
    elif own.bandwidth_gbs is None:
        text = "nothing is measured yet"
        canvas.write((canvas.width - len(text)) // 2, canvas.height // 2, text, "dim")


def _write_ridge(canvas: Canvas, own: Roofs, key: str | None, glyphs: Glyphs) -> None:
    ridges = [
        (w, r.ridge) for w in ("nominal", "burst", "sustained") if (r := own.roof(key or "", w))
    ]
    if not ridges:
        return
    text = "ridge " + f" {glyphs.dot} ".join(f"{figure(ridge)} {which}" for which, ridge in ridges)
    x = canvas.width - len(text) - 1
    for y in range(canvas.height // 2, canvas.height):
        if canvas.free(x - 1, y, len(text) + 1):
            canvas.write(x, y, text, "dim")
            return
