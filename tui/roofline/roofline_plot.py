"""The picture of the roofline: roofs and what is expected of them, points, ridge and names."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from roofwatch.session.awaited import STREAM
from roofwatch.session.events import Expect
from roofwatch.session.points import Point, card_share
from roofwatch.session.rate_scale import RateScale
from roofwatch.session.ridges import ridges
from roofwatch.session.roofs import WHICH, Roofs
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.log_frame import LEFT, Mark, framed
from roofwatch.tui.drawing.log_plane import Limits, LogPlane, snapped
from roofwatch.tui.drawing.plot_words import PlotWords
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.roofline.point_places import (
    Placed,
    guide,
    placed,
    point_at,
    put,
    row_under,
    write_names,
)
from roofwatch.tui.roofline.roof_lines import (
    RoofLine,
    draw,
    height_tflops,
    roof_lines,
    within,
)
from roofwatch.tui.roofline.shares import share
from roofwatch.tui.roofline.told_once import told_once

LEAST = (20, 4)  # columns and rows of the canvas under which nothing is drawn
WIDE = 90  # columns from which the name of a flat has its share of nominal
X_LEAST = -1.3  # 0.05 FLOP per byte
X_USUAL = 3.44  # the largest square on show: the names of the flats stand right of it
NAME, LONG_NAME = 16, 23  # cells that they take
SAID = 60  # columns from which the ridge's mark says what it is
STREAM_AT = 0.25  # FLOP per byte of the first stream that is measured
NO_FLAT_AT = 100.0  # FLOP per byte to which a slope is followed that meets no flat
BELOW, ABOVE, LEAST_DECADES = 0.5, 0.25, 2.5  # decades of the rate around what is drawn


class Shown(NamedTuple):
    """What one picture shows. ``marks`` are of ``points``, and ``cursor`` counts them."""

    own: Roofs
    key: str | None
    points: Sequence[Point]
    marks: Sequence[str]
    swept: Sequence[tuple[float, float]]
    waits: Mapping[str, Expect]
    cursor: int | None = None
    scale: RateScale = RateScale()


def plot(shown: Shown, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Rows of the picture with its axes; none where there is no room for one."""
    columns, rows = cells - LEFT - 1, height - 2
    if columns < LEAST[0] or rows < LEAST[1]:
        return []
    own, key, waits = shown.own, shown.key, shown.waits
    plane = LogPlane(columns, rows, _x_limits(shown.points, columns), _y_limits(shown, rows))
    canvas = Canvas(columns, rows)
    words = PlotWords(canvas)
    lines = roof_lines(own, key, waits, plane)
    draw(canvas, lines, waits.get(STREAM), plane, glyphs)
    points = placed(shown.points, shown.marks, lines, plane)
    put(canvas, words, points)
    _write_flats(words, shown, lines, columns, glyphs)
    for intensity, rate in shown.swept:
        x, y = plane.column(within(intensity)), row_under(rate, lines, plane)
        if not words.held(x, y):
            canvas.put(x, y, glyphs.sweep, "point-sweep")
            words.hold(x, y)
    at = points[shown.cursor] if shown.cursor is not None and points else None
    _write_ridges(words, shown, plane, at, glyphs)
    if own.bandwidth_gbs is None and not waits and all(one.row is None for one in lines.values()):
        text = "no roof is measured"
        words.write((columns - len(text)) // 2, rows // 2, text, "dim")
    if at is not None:
        point_at(canvas, words, at, glyphs)
        guide(canvas, words, at, lines, plane, glyphs)
    marks = _ridge_marks(shown, columns, glyphs)
    if marks:
        _stand_ridge(canvas, words, marks[0], lines, plane, at, glyphs)
    write_names(words, points)
    low, high = plane.y_limits
    told = low + shown.scale.decades, high + shown.scale.decades
    return framed(canvas, plane.x_limits, told, shown.scale.of(key), glyphs, marks)


def _x_limits(points: Sequence[Point], columns: int) -> Limits:
    """Wide enough that the names at the right end stand on no point."""
    at = [math.log10(within(p.intensity)) for p in points]
    left = min([X_LEAST, *(x - 0.3 for x in at)])
    last = max([X_USUAL, *at])
    name = LONG_NAME if columns >= WIDE else NAME
    room = max(columns - name - 2, columns // 2)
    return left, left + (last - left) * (columns - 1) / room


def _y_limits(shown: Shown, rows: int) -> Limits:
    """From under the lowest point, or where the first is expected, to over the highest flat."""
    own, key, waits = shown.own, shown.key, shown.waits
    heights = {w: h for w in WHICH if (h := height_tflops(own, key, waits, w))}
    rates = [p.tflops for p in shown.points]
    expect = waits.get(STREAM)
    slope_gbs = own.bandwidth_gbs or own.nominal_gbs or (expect.low if expect else None)
    if slope_gbs:
        rates += [slope_gbs * at / 1e3 for at in (STREAM_AT, *(() if heights else (NO_FLAT_AT,)))]
    top = math.log10(within(max([*heights.values(), *rates], default=1.0))) + ABOVE
    bottom = math.log10(within(min(rates, default=10 ** (top - 3)))) - BELOW
    limits = min(bottom, top - LEAST_DECADES), top
    return snapped(limits, rows, heights.get("burst") or heights.get("nominal"))


def _write_flats(
    words: PlotWords,
    shown: Shown,
    lines: Mapping[str, RoofLine],
    columns: int,
    glyphs: Glyphs,
) -> None:
    """What each flat is, at its right end: the whole name, or what of it there is room for."""
    flat = shown.own.compute.get(shown.key or "")
    one = flat is not None and flat.one
    for which, line in lines.items():
        if line.row is None or (one and which == "sustained"):
            continue  # it has the burst's line, whose name names both
        if line.flat_tflops is not None:
            value = short(line.flat_tflops * shown.scale.factor)
            texts = [f" {which} {value} ", f" {value} "]
            if one and which == "burst":
                held = short((lines["sustained"].flat_tflops or 0.0) * shown.scale.factor)
                first = "burst" if held == value else f"burst {value}"
                texts = [f" {first}, sustained {held} ", f" {first}, held {held} ", *texts]
            of_card = card_share(shown.own, shown.key, which)
            if of_card is not None and which != "nominal" and columns >= WIDE:
                part = f" {glyphs.dot} {share(of_card)}"
                texts.insert(0, f"{texts[0]}{part[1:]} ")
        elif line.expect is not None:
            ends = (line.expect.low, line.expect.high)
            value = glyphs.dash.join(short(end * shown.scale.factor) for end in ends)
            texts = [f" {which} expected {value} ", f" expected {value} ", f" {value} "]
        else:
            continue
        said = words.write_at_end(line.row, texts, which)
        if one and which == "burst" and said and "held" not in said and "sustained" not in said:
            words.write_at_end(line.row + 1, [f" sustained {held} ", f" {held} "], "sustained")


def _write_ridges(
    words: PlotWords, shown: Shown, plane: LogPlane, at: Placed | None, glyphs: Glyphs
) -> None:
    """The ridge and the slope of each roof in figures: the lines stand too close for the eye.

    The row of the cursor's point is left to its guide.
    """
    ridge = {w: short(value) for w, value in ridges(shown.own, shown.key or "").items()}
    slope = {w: short(gbs) for w in WHICH if (gbs := shown.own.slope_gbs(w))}
    if shown.own.held_gbs is None:
        slope.pop("sustained", None)
    expect = shown.waits.get(STREAM)
    if expect is not None:
        slope["expected"] = f"{short(expect.low)}{glyphs.dash}{short(expect.high)}"
    y = plane.rows // 2
    for head, found, tail in ((f"ridge {shown.key}", ridge, ""), ("slope", slope, " GB/s")):
        for kept in (found, {w: v for w, v in found.items() if w != "nominal"}, _first(found)):
            told = told_once(kept.items())
            text = f" {glyphs.dot} ".join(_told(w, v) for w, v in told)
            said = f" {head} {text}{tail}"
            if text and (below := _write_below(words, y, said, plane, at.y if at else None)):
                y = below
                break


def _first(found: Mapping[str, str]) -> dict[str, str]:
    """The most telling of the figures alone."""
    order = ("burst", "expected", "sustained", "nominal")
    return next(({w: found[w]} for w in order if w in found), {})


def _told(which: str, value: str) -> str:
    return f"expected {value}" if which == "expected" else f"{value} {which}"


def _write_below(
    words: PlotWords, top: int, text: str, plane: LogPlane, but: int | None
) -> int | None:
    """Write at the right end of a row, as high as there is room; the row under it."""
    for y in range(top, plane.rows):
        if y != but and words.write(plane.columns - len(text) - 1, y, text, "dim"):
            return y + 1
    return None


def _ridge_marks(shown: Shown, columns: int, glyphs: Glyphs) -> list[Mark]:
    """The ridges of what is measured; before anything is, the nominal one."""
    found = ridges(shown.own, shown.key or "")
    measured = [w for w in found if w != "nominal"] or list(found)
    if len({short(found[w]) for w in measured}) == 1:
        measured = measured[:1]  # one ridge
    said = ["ridge " if columns >= SAID else "", *([""] * len(measured))]
    return [
        Mark(math.log10(within(found[w])), glyphs.turn, before + short(found[w]), w)
        for before, w in zip(said, measured, strict=False)
    ]


def _stand_ridge(
    canvas: Canvas,
    words: PlotWords,
    mark: Mark,
    lines: Mapping[str, RoofLine],
    plane: LogPlane,
    at: Placed | None,
    glyphs: Glyphs,
) -> None:
    """A line from the ridge's mark up to its roof, behind everything; never beside a guide."""
    x = plane.column(10**mark.at)
    top = lines[mark.style].row or 0
    if at is not None and abs(at.x - x) <= 1:
        top = max(top, at.y)
    for y in range(plane.rows - 1, top, -1):
        if words.blank(x, y):
            canvas.put(x, y, glyphs.upright, "axis")
