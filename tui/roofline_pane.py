"""The roofline: dashed the datasheet, solid what this card does, and the points under it."""

from __future__ import annotations

import math

from roofwatch.roofline.roof import Roof, distances
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import intensity, tflops
from roofwatch.session.roofs import WHICH, ComputeRoof, Roofs, roofs
from roofwatch.session.throttle import fall
from roofwatch.tui.canvas import Canvas
from roofwatch.tui.curves import cell_of, curve, decade_label
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, percent
from roofwatch.tui.rows_of_text import Row, fit, page, row

X_LIMITS = (-1.0, 4.95)  # 0.1 to 90k FLOP per byte: the labels stand right of every point
LEFT = 8  # cells of the y labels and their axis
Point = tuple[str, str, Measurement]
"""Letter, what it stands for (stream, burst, sustained), and the measurement."""


def precisions(session: Session) -> list[str]:
    """Peak keys that have any roof to show, in the suite's order."""
    return list(roofs(session).compute)


def build(session: Session, cells: int, height: int, key: str | None, glyphs: Glyphs) -> list[Row]:
    """Rows of the pane for one precision (the first with a roof when ``key`` has none)."""
    own = roofs(session)
    if key not in own.compute:
        key = next(iter(own.compute), None)
    points = _points(own, key)
    table = _table(session, own, key, points, cells, glyphs)
    table_rows = min(len(table), max(0, height - 9))
    plot = _plot(own, key, points, cells, height - table_rows, glyphs)
    # The last column stays free: a neighbour's first word would stick to the table's last.
    return page([*plot, *(fit(r, cells - 1) for r in table[:table_rows])], cells, height)


def _points(own: Roofs, key: str | None) -> list[Point]:
    """(letter, style, measurement) of what is drawn under this precision's roof."""
    flat = own.compute.get(key or "")
    found = [("stream", own.bandwidth)]
    if flat is not None:
        found += [("burst", flat.burst), ("sustained", flat.sustained)]
    kept = [(style, m) for style, m in found if m is not None]
    return [(chr(ord("A") + i), style, m) for i, (style, m) in enumerate(kept)]


def _y_limits(
    own: Roofs, key: str | None, points: list[tuple[str, str, Measurement]]
) -> tuple[float, float]:
    flat = own.compute.get(key or "")
    tops = [x for x in (flat.nominal_tflops, flat.best_tflops) if x] if flat else []
    tops += [tflops(m) for _, _, m in points]
    top = math.log10(max(tops, default=1.0))
    bottom = min((math.log10(tflops(m)) for _, _, m in points), default=top - 3) - 0.5
    return min(bottom, top - 2.5), top + 0.25


def _plot(
    own: Roofs,
    key: str | None,
    points: list[Point],
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
    taken: set[tuple[int, int]] = set()
    for letter, style, m in points:
        x = cell_of(math.log10(intensity(m)), X_LIMITS, columns)
        y = flats.get(style, rows - 1 - cell_of(math.log10(tflops(m)), y_limits, rows))
        x = min(x, ends.get(y, canvas.width) - 2)
        while (x, y) in taken:
            x -= 1
        taken.add((x, y))
        canvas.put(x, y, letter, f"point-{style}")
    _write_ridge(canvas, own, key, glyphs)
    return _framed(canvas, y_limits, glyphs)


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


def _framed(canvas: Canvas, y_limits: tuple[float, float], glyphs: Glyphs) -> list[Row]:
    ticks = {
        canvas.height - 1 - cell_of(e, y_limits, canvas.height): decade_label(e)
        for e in range(math.ceil(y_limits[0]), math.floor(y_limits[1]) + 1)
    }
    rows: list[Row] = []
    for y in range(canvas.height):
        mark = glyphs.tick if y in ticks else glyphs.vertical
        label = f"{ticks[y]:>{LEFT - 2}} " if y in ticks else " " * (LEFT - 1)
        if y == 0 and y not in ticks:
            label = f"{'TFLOP/s':<{LEFT - 1}}"
        rows.append((*row((label + mark, "axis")), *canvas.row(y)))
    axis = [glyphs.horizontal] * canvas.width
    names = [" "] * (canvas.width + LEFT)
    for e in range(math.ceil(X_LIMITS[0]), math.floor(X_LIMITS[1]) + 1):
        x = cell_of(float(e), X_LIMITS, canvas.width)
        axis[x] = glyphs.axis_tick
        label = decade_label(e)
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        names[start : start + len(label)] = label
    _write_unit(names, "FLOP/byte")
    rows.append(row((" " * (LEFT - 1) + glyphs.corner + "".join(axis), "axis")))
    rows.append(row(("".join(names), "axis")))
    return rows


def _write_unit(names: list[str], unit: str) -> None:
    """The axis' unit in the rightmost gap between its labels that holds it."""
    for start in range(len(names) - len(unit), LEFT, -1):
        if all(c == " " for c in names[start - 1 : start + len(unit) + 1]):
            names[start : start + len(unit)] = unit
            return


def _table(
    session: Session,
    own: Roofs,
    key: str | None,
    points: list[Point],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """One line a point: intensity, rate, how far from its roof, and what that says."""
    if not points:
        return []
    head = f"    {'point':<21}{'FLOP/byte':>9} {'TFLOP/s':>9}"
    rows: list[Row] = [row((head, "dim"))]
    flat = own.compute.get(key or "")
    for letter, style, m in points:
        name = f"{m.op} {m.dtype if style == 'stream' else m.peak_key}"
        name += "" if style == "stream" else f" {style}"
        line = f"{name:<21}{figure(intensity(m), 3):>9} {figure(tflops(m)):>9} "
        rows.append(
            row(
                (f" {letter} ", f"point-{style}"),
                f" {line}",
                (
                    _remark(session, own, flat, style, m),
                    "dim",
                ),
            )
        )
    return rows


def _remark(
    session: Session,
    own: Roofs,
    flat: ComputeRoof | None,
    style: str,
    m: Measurement,
) -> str:
    if style == "stream":
        whole = own.nominal_gbs
        seen = own.bandwidth_gbs or 0.0
        share = f", {percent(seen / whole)} of nominal" if whole else ": the slope"
        return f"{figure(seen)} GB/s{share}"
    if style == "sustained":
        seen_fall = fall(session)
        if seen_fall is not None and seen_fall.sm_mhz and seen_fall.sm_max_mhz:
            drop = 1 - seen_fall.sm_mhz / seen_fall.sm_max_mhz
            if drop > 0.01 and seen_fall.reasons:
                return f"{seen_fall.reasons[0]}: clock -{percent(drop)}"
    nominal = flat.nominal_tflops if flat else None
    if nominal:
        return f"{percent(tflops(m) / nominal)} of nominal {figure(nominal)}"
    roof = own.roof(flat.peak_key, "burst") if flat else None
    if roof is None:
        return ""
    return f"{percent(distances(intensity(m), tflops(m), roof, None).of_roof)} of the burst roof"
