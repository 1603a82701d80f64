"""The third roof drawn: what a card reaches by the FLOP that a byte sent brings, log by log."""

from __future__ import annotations

import math

from roofwatch.session.fleet.link_figures import LinkRoof
from roofwatch.session.rate_scale import RateScale
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.curves import curve
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_frame import LEFT, Mark, framed
from roofwatch.tui.drawing.log_plane import LogPlane
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.significant import significant

ROWS = 7
MOST_COLUMNS = 72
BELOW, BEYOND = 2.2, 1.2  # decades of intensity on either side of the ridge
LOW, HIGH = 2.0, 0.25  # decades of the rate around the flat


def third_roof(
    roof: LinkRoof, cells: int, glyphs: Glyphs, scale: RateScale | None = None
) -> list[Row]:
    """``min(peak, bus bandwidth x FLOP per byte sent)`` with its ridge; none in a narrow place.

    ``scale``: the unit of the rates; TFLOP/s without."""
    scale = scale or RateScale()
    peak = roof.peak_tflops * scale.factor
    columns = min(MOST_COLUMNS, cells - LEFT - 1)
    if columns < 30 or roof.ridge <= 0 or roof.peak_tflops <= 0:
        return []
    ridge, top = math.log10(roof.ridge), math.log10(peak)
    plane = LogPlane(columns, ROWS, (ridge - BELOW, ridge + BEYOND), (top - LOW, top + HIGH))
    canvas = Canvas(columns, ROWS)
    points = [(ridge - BELOW, top - BELOW), (ridge, top), (ridge + BEYOND, top)]
    for style, (a, b) in (("sustained", points[:2]), ("burst", points[1:])):
        at = (columns, ROWS), plane.x_limits, plane.y_limits
        canvas.lay(curve([a, b], *at, glyphs.curve), style)
    rate = f"{significant(roof.bus_gbs)} GB/s sent"
    canvas.write(max(0, plane.column(roof.ridge) - len(rate) - 14), 1, rate, "sustained")
    flat = f"{roof.peak_key} {significant(peak)}"
    canvas.write(columns - len(flat), 0, flat, "burst")
    mark = Mark(ridge, glyphs.axis_tick, f"ridge {significant(roof.ridge)}", "strong")
    return framed(
        canvas, plane.x_limits, plane.y_limits, scale.of(roof.peak_key), glyphs, [mark], True
    )
