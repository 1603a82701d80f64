"""The charts of the Clocks pane: clock, power and held rate, each with its limits, and memory.

Drawn column by column (tui/drawing/column_curve.py), not by plotext: a column of the past never
changes, so that a chart which goes on with time is cheap to send.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.roofline.statistics import median
from roofwatch.session.rate_scale import rate_scale
from roofwatch.tui.clocks.held_rate import HeldMark, HeldRate
from roofwatch.tui.clocks.shown_card import GAP_S, ShownCard, power_w
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.column_curve import Curve, dots_of, draw, held_over
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, figure
from roofwatch.tui.drawing.railed_scale import Rail, RailedScale
from roofwatch.tui.drawing.rows_of_text import Piece, Row, row
from roofwatch.tui.drawing.time_columns import TimeColumns

LEFT = 9
RIGHT = 7
UNEVEN = "uneven"  # an axis whose rows stand for unequal steps
SWING = 0.03  # around the power limit, of a card that is held at it
BOOST_KEYS = ("bf16", "fp16", "tf32", "fp32")  # the first that the card has tells its boost clock


class Chart(NamedTuple):
    """A curve, what it is called, and where it is drawn."""

    unit: str
    style: str
    curve: Curve
    limits: Sequence[Rail]
    last: float | None
    missing: str  # what is said where there is no curve
    beside: Curve | None = None


def clock_chart(what: ShownCard, spun: Curve | None, height: int) -> list[Row]:
    """The SM clock, beside it that read on the device; under its limits."""
    last = what.last
    why = "no clock was read" if last is None else f"not readable here{what.why_null('sm_mhz')}"
    now = None if last is None else last.sm_mhz
    curve = what.curve("sm_mhz")
    return _drawn(what, Chart("MHz", "clock", curve, _clock_limits(what), now, why, spun), height)


def power_chart(what: ShownCard, curve: Curve, height: int) -> list[Row]:
    """Power from zero on, with the enforced limit."""
    limit_w = what.card.device.power_limit_w
    limits = [Rail(limit_w, f"limit {limit_w:.0f} W", SWING)] if limit_w else []
    now = None if what.last is None else power_w(what.last)
    why = f"not readable here{what.why_null('power_instant_w')}"
    return _drawn(what, Chart("W", "power", curve, limits, now, why), height)


def _clock_limits(what: ShownCard) -> list[Rail]:
    """The highest clock that the driver allows, and the one behind the datasheet's peaks."""
    rails = []
    highest = what.card.device.sm_max_mhz
    if highest:
        rails.append(Rail(highest, f"max {highest:.0f}"))
    nominal = what.session.nominal
    if nominal is not None and what.card.device.name == what.session.device.name:
        boost = next((c for k in BOOST_KEYS if (c := nominal.clocks_mhz.get(k))), None)
        if boost and boost != highest:
            rails.append(Rail(boost, f"nominal {boost:.0f}"))
    return rails


def clock_on_device(what: ShownCard) -> Curve | None:
    """The clock read on the device while something was held, a median a series."""
    wide = what.wide
    curve: Curve = [None] * wide.size
    for series in what.session.series:
        if not series.clock_mhz:
            continue
        x = wide.at(series.clock_t_s[len(series.clock_t_s) // 2])
        if 0 <= x < wide.size:
            value = median(series.clock_mhz)
            low, high = curve[x] or (value, value)
            curve[x] = min(low, value), max(high, value)
    return what.held(curve) if any(curve) else None


def _drawn(what: ShownCard, chart: Chart, height: int) -> list[Row]:
    """A chart; a single row of words where there is nothing to draw."""
    shown = [*chart.curve[what.lead :], *(chart.beside or [])[what.lead :]]
    seen = [each for each in shown if each] or [each for each in chart.curve if each]
    if not any(chart.curve) or not height:
        return [headed(chart.unit, ((f" {chart.missing}", "dim"),), what.glyphs)][:height]
    ends = min(low for low, _ in seen), max(high for _, high in seen)
    dots = dots_of(what.glyphs)
    scale = RailedScale(ends, chart.limits, height, dots, from_zero=chart.style != "clock")
    canvas = Canvas(what.columns.size, height)
    for y, _ in scale.rail_rows():
        canvas.write(0, y, what.glyphs.nominal * canvas.width, "nominal")
    draw(canvas, chart.curve, what.lead, scale, what.glyphs, chart.style)
    if chart.beside:
        draw(canvas, chart.beside, what.lead, scale, what.glyphs, f"{chart.style}-spin")
    for y, rail in scale.rail_rows():
        _name_line(canvas, y, rail.name, what.glyphs)
    newest = chart.curve[what.lead + what.end - 1]
    last = None if newest is None else newest[1] if chart.last is None else chart.last
    return _framed(canvas, scale, chart.unit, last, chart.style, what.glyphs)


def _name_line(canvas: Canvas, y: int, name: str, glyphs: Glyphs) -> None:
    """Write a limit's name on its line, at the right end or left of where a curve crosses it."""
    line = "".join(text for text, _ in canvas.row(y))
    text = f" {name} "
    at = line.rfind(glyphs.nominal * (len(text) + 2))
    if at >= 0:
        canvas.write(at + 1, y, text, "nominal")


def _framed(
    canvas: Canvas, scale: RailedScale, unit: str, last: float | None, style: str, glyphs: Glyphs
) -> list[Row]:
    """The canvas between its axis and the figure at its right end."""
    height = canvas.height
    labels = {y: figure(rail.value) for y, rail in scale.rail_rows()}
    if height > 1:
        labels.setdefault(0, figure(scale.top))
    if height > 2:
        labels.setdefault(height - 1, figure(scale.bottom))
    if height > 1 and len(unit) + len(figure(scale.bottom)) < LEFT - 2:
        labels.setdefault(height - 1, figure(scale.bottom))
    named = next((y for y in range(height) if y not in labels), height - 1)
    breaks = scale.breaks()
    under = range(min(breaks, default=height) + 1, height)
    told = next((y for y in under if y not in (*labels, named)), height)
    rows: list[Row] = []
    for y in range(height):
        label = _within(labels.get(y, ""), LEFT - 2)
        head = unit if y == named else UNEVEN if y == told else ""
        if len(head) + len(label) + 1 > LEFT - 2 and label and head:
            label = ""
        text = f"{head}{label:>{LEFT - 2 - len(head)}} "
        mark = glyphs.axis_break if y in breaks else glyphs.tick if label else glyphs.vertical
        here = last is not None and y == scale.row(last)
        tail = f" {_within(figure(last), RIGHT - 1)}" if here else ""
        rows.append((*row((text + mark, "axis")), *canvas.row(y), (f"{tail:<{RIGHT}}", style)))
    return rows


def _within(text: str, cells: int) -> str:
    """A figure that has room; a part of one would be another."""
    return text if len(text) <= cells else NOT_READ


def held_chart(what: ShownCard, held: HeldRate | None, height: int) -> list[Row]:
    """The rate of the held matmuls, with the stretch whose median is the held figure."""
    glyphs = what.glyphs
    if held is None or not height:
        return [
            headed(
                rate_scale(what.session).named("TFLOP/s"),
                ((" while a matmul is held", "dim"),),
                glyphs,
            )
        ][:height]
    seen = [each for each in held.curve if each]
    ends = min(low for low, _ in seen), max(high for _, high in seen)
    scale = RailedScale(ends, [], height, dots_of(glyphs), from_zero=True)
    canvas = Canvas(what.columns.size, height)
    gap = math.ceil(GAP_S / what.columns.width_s)
    draw(canvas, held_over(held.curve, gap, what.end), 0, scale, glyphs, "sustained")
    written = [_mark(canvas, what.columns, mark, scale, glyphs) for mark in held.marks]
    # What is over has its figure in the chart; beside it a last rate would be a second one.
    last = None if held.over and written and written[-1] else held.last
    return _framed(canvas, scale, held.unit, last, "sustained", glyphs)


def _mark(
    canvas: Canvas, columns: TimeColumns, mark: HeldMark, scale: RailedScale, glyphs: Glyphs
) -> bool:
    """A bar under or over the curve, as long as what was measured, with its figure; of a shorter
    one the figure only. False where there is no room for it."""
    at = max(0, columns.at(mark.begin_s))
    length = min(canvas.width, columns.at(mark.end_s) + 1) - at
    name = f"held {figure(mark.rate)}"
    text = f"{f' {name} ':{glyphs.horizontal}^{length}}" if length >= len(name) + 4 else name
    at = max(0, min(at, canvas.width - len(text)))
    y = scale.row(mark.rate)
    clear = max(0, at - 1)  # from another mark
    cells = min(canvas.width, at + len(text) + 1) - clear
    beside = next((row for row in (y + 1, y - 1) if canvas.free(clear, row, cells)), None)
    if beside is not None:
        canvas.write(at, beside, text, "sustained")
    return beside is not None


def memory_row(what: ShownCard) -> Row:
    """Memory used, as a row of levels against the whole; the figure at its right end."""
    curve = what.curve("mem_used_bytes")[what.lead :]
    whole = what.card.device.memory_bytes or max((each[1] for each in curve if each), default=0)
    spark = what.glyphs.spark
    top = len(spark) - 1
    levels = "".join(
        " " if each is None else spark[min(top, round(each[1] / (whole or 1) * top))]
        for each in curve
    )
    used = what.last.mem_used_bytes if what.last and curve[what.end - 1] else None
    tail = NOT_READ if used is None else _within(f"{used / 2**30:.1f}", RIGHT - 1)
    return headed("GiB", ((levels, "memory"), (f" {tail}", "memory")), what.glyphs)


def headed(name: str, pieces: Sequence[Piece], glyphs: Glyphs) -> Row:
    """A row beside the axis."""
    return (*row((f"{name:<{LEFT - 1}}{glyphs.vertical}", "axis")), *pieces)
