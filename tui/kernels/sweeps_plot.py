"""Size sweeps as text: bandwidth over bytes with the cache's cliff, and a table of squares."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.roofline.size_said import size_said
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.roofs import Roofs
from roofwatch.session.sweeps import Sweep, sweeps
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, fit, row, wrapped

LEFT = 8
HEIGHT = 12
LEAST_CELLS = 40
STYLES = ("burst", "sustained")  # of the sweeps in their order: y = x + 1, then read only
STEP = 3  # octaves between two labels
SLOTS = 64  # cells from which the share of full slots stands beside the waves
TOO_SMALL = "too small"


def build(
    session: Session,
    own: Roofs,
    cells: int,
    glyphs: Glyphs,
    probe: str | None = None,
    run: int | None = None,
) -> list[Row]:
    """Rows of every sweep of a run (the reported one by default), or of one ``probe`` alone.

    None without one.
    """
    if cells < LEAST_CELLS:
        return []
    found = [s for s in sweeps(session, own, run) if probe in (None, s.probe)]
    over_bytes = [s for s in found if s.points[0].bytes is not None]
    rows: list[Row] = []
    if over_bytes:
        rows += _bytes_plot(session, own, over_bytes, cells, glyphs)
    for swept in found:
        if swept.points[0].n is not None:
            rows += _squares(session, swept, cells, glyphs)
    return [fit(r, cells) for r in rows]


def _bytes_plot(
    session: Session, own: Roofs, found: Sequence[Sweep], cells: int, glyphs: Glyphs
) -> list[Row]:
    columns = cells - LEFT - 1
    canvas = Canvas(columns, HEIGHT)
    curves = [[(math.log2(p.bytes or 1), p.gbs or 0.0) for p in s.points] for s in found]
    lowest = min(c[0][0] for c in curves)
    x_limits = (lowest, max(lowest + 1, *(c[-1][0] for c in curves)))  # one point alone: an octave
    top = 1.05 * max(rate for c in curves for _, rate in c)
    y_limits = (0.0, top)

    def y_of(rate: float) -> int:
        return HEIGHT - 1 - cell_of(rate, y_limits, HEIGHT)

    cache = session.device.l2_bytes
    if cache and x_limits[0] < math.log2(cache) < x_limits[1]:
        x = cell_of(math.log2(cache), x_limits, columns)
        for y in range(HEIGHT):
            canvas.put(x, y, glyphs.vertical, "axis")
    if own.nominal_gbs and own.nominal_gbs < top:
        canvas.write(0, y_of(own.nominal_gbs), glyphs.nominal * columns, "nominal")
    for points, name in zip(curves, STYLES, strict=False):
        canvas.lay(curve(points, (columns, HEIGHT), x_limits, y_limits, glyphs.curve), name)
    if cache and x_limits[0] < math.log2(cache) < x_limits[1]:
        text = f"{size_said(cache)} cache reported"
        x = min(cell_of(math.log2(cache), x_limits, columns) + 2, columns - len(text))
        canvas.write(x, HEIGHT - 2, text, "dim")
    rows: list[Row] = [row((" GB/s over bytes of all tensors together", "dim"))]
    for s, name in zip(found, STYLES, strict=False):
        rows += wrapped(f"{glyphs.horizontal * 2} {turns(session, s)}", cells - 2, name, " ")
    marks = {y_of(r): figure(r) for r in (top / 1.05, own.nominal_gbs or 0.0, 0.0)}
    for y in range(HEIGHT):
        mark = glyphs.tick if y in marks else glyphs.vertical
        rows.append((*row((f"{marks.get(y, ''):>{LEFT - 2}} {mark}", "axis")), *canvas.row(y)))
    return [*rows, *_size_axis(x_limits, columns, glyphs), row("")]


def _size_axis(x_limits: tuple[float, float], columns: int, glyphs: Glyphs) -> list[Row]:
    line = [glyphs.horizontal] * columns
    names = [" "] * (columns + LEFT)
    for octave in range(math.ceil(x_limits[0]), math.floor(x_limits[1]) + 1, STEP):
        x = cell_of(float(octave), x_limits, columns)
        line[x] = glyphs.axis_tick
        label = size_said(1 << octave)
        start = max(0, min(LEFT + x - len(label) // 2, len(names) - len(label)))
        names[start : start + len(label)] = label
    return [
        row((" " * (LEFT - 1) + glyphs.corner + "".join(line), "axis")),
        row(("".join(names), "axis")),
    ]


def turns(session: Session, swept: Sweep) -> str:
    """Which sweep it is, and where it turns."""
    if swept.points[0].n is None:
        said, found = session.label(swept.probe), swept.cliff
        if found is None:
            return said
        rates = f"cache {figure(found.plateau_gbs)}, memory {figure(found.memory_gbs)}"
        return f"{said}: {rates}, half-way at {size_said(found.bytes_seen)}"
    places = (
        (swept.ridge_n, "ridge at n="),
        (swept.wave_n, "first whole wave at "),
        (swept.flat_n, "flat from "),
    )
    return ", ".join([shown(swept.probe), *(f"{what}{n}" for n, what in places if n is not None)])


def _squares(session: Session, swept: Sweep, cells: int, glyphs: Glyphs) -> list[Row]:
    """A line a size: rate, bar, waves of tiles over the SMs, and what limits it.

    Where it is narrow first the share of full slots goes, then the bar.
    """
    highest, scale = max(p.tflops or 0.0 for p in swept.points) or 1.0, rate_scale(session)
    full = cells >= SLOTS
    waves_cells = 24 if full else 12
    room = cells - 15 - waves_cells - 1 - len(TOO_SMALL) - 2
    bar_cells = min(30, room) if room >= 8 else 0
    rows: list[Row] = [
        *wrapped(turns(session, swept), cells - 2, "dim", " "),
        row((f" {'n':>6}{scale.named('TFLOP/s'):>8}", "dim")),
    ]
    for p in swept.points:
        filled = round((p.tflops or 0.0) / highest * bar_cells)
        bar = f"{glyphs.full * filled}{glyphs.empty * (bar_cells - filled)} " if bar_cells else ""
        waves = f"{figure(p.waves):>6} waves" if p.waves else ""
        waves += f", {percent(p.wave_share)} full" if p.waves and full else ""
        why = TOO_SMALL if p.code == "E4" else ""
        rate = p.tflops * scale.factor if p.tflops is not None else None
        rows.append(
            row(
                f" {p.n:>6} {figure(rate):>7} ",
                (bar, "burst"),
                (f"{waves:<{waves_cells}} {why}", "dim"),
            )
        )
    return [*rows, row("")]
