"""A trace's kernels under the card's roof, by the letters of the table."""

from __future__ import annotations

import math

from roofwatch.roofline.roof import Roof
from roofwatch.trace.report import KernelRow, TraceReport
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import cell_of, curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_frame import LEFT, framed
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, fit
from roofwatch.tui.trace.trace_table import BOUND, mark_of

LEAST_ROWS, LEAST_CELLS = 9, 40
X_LIMITS = (-1.3, 4.3)  # 0.05 to 20k FLOP per byte
MOST_POINTS = 26


def plot(r: TraceReport, at: int, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Rows of the picture; none where there is no room, no roof or no kernel with FLOP."""
    columns, rows = cells - LEFT - 1, height - 2
    placed = [(i, k) for i, k in enumerate(r.kernels) if _has_place(k)][:MOST_POINTS]
    keys = [k.peak_key for _, k in placed if k.peak_key in r.card.peaks_tflops]
    flats = [(key, r.card.peaks_tflops[key]) for key in dict.fromkeys(keys) if key is not None][:3]
    slope = r.card.bandwidth_gbs
    if height < LEAST_ROWS or cells < LEAST_CELLS or not placed or not flats or slope is None:
        return []
    tops = [k.tflops or 0.0 for _, k in placed] + [flat for _, flat in flats]
    low = min(math.log10(k.tflops or 1.0) for _, k in placed) - 0.3
    y_limits = low, max(math.log10(max(tops)) + 0.4, low + 1.0)
    canvas = Canvas(columns, rows)
    for key, flat in flats:
        roof = Roof(bandwidth_gbs=slope, peak_tflops=flat)
        xs = (X_LIMITS[0], math.log10(roof.ridge), X_LIMITS[1])
        path = [(x, math.log10(roof.attainable_tflops(10**x))) for x in xs]
        canvas.lay(curve(path, (columns, rows), X_LIMITS, y_limits, glyphs.curve), "axis")
        _name(canvas, f" {key} {figure(flat)} ", rows - 1 - cell_of(path[2][1], y_limits, rows))
    taken: set[tuple[int, int]] = set()
    for i, k in placed:
        x = cell_of(math.log10(k.intensity or 1.0), X_LIMITS, columns)
        y = rows - 1 - cell_of(math.log10(k.tflops or 1.0), y_limits, rows)
        while (x, y) in taken:
            x += 1
        taken.add((x, y))
        style = "taken" if i == at else BOUND.get(k.bound, "strong")
        canvas.put(x, y, mark_of(i).strip() or glyphs.sweep, style)
    return [fit(line, cells) for line in framed(canvas, X_LIMITS, y_limits, "TFLOP/s", glyphs)]


def _has_place(k: KernelRow) -> bool:
    return bool(k.intensity and k.tflops and math.isfinite(k.tflops) and k.tflops > 0)


def _name(canvas: Canvas, text: str, y: int) -> None:
    """Names a flat at its right end, above it, or below where that is taken."""
    x = canvas.width - len(text)
    for row in (y - 1, y + 1, y - 2):
        if canvas.free(x, row, len(text)):
            canvas.write(x, row, text, "burst")
            return
