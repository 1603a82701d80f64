"""TFLOP/s of the held matmuls over time, and the stretch of it whose median is the held figure."""

from __future__ import annotations

import math
from typing import NamedTuple

from roofwatch.roofline.peaks import unit
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Series
from roofwatch.session.fold import Session
from roofwatch.session.rates import tflops
from roofwatch.session.throttle import held_matmul
from roofwatch.tui.drawing.column_curve import Curve
from roofwatch.tui.drawing.time_columns import TimeColumns

BLOCKS = 10  # points of a series of launches
LAST = 10  # of them, whose median is the held rate now: a single one is noise
UNIT = "TFLOP/s"


class HeldMark(NamedTuple):
    """A measured stretch of a held matmul and its figure."""

    begin_s: float
    end_s: float
    tflops: float


class HeldRate(NamedTuple):
    """What a window shows of held matmuls."""

    curve: Curve
    now: float
    unit: str
    marks: list[HeldMark]


def held_rate(session: Session, columns: TimeColumns) -> HeldRate | None:
    """The held matmuls inside the columns; None where there is none."""
    shown = [
        s
        for s in session.series
        # A held stream has no TFLOP/s to show.
        if s.flop and held_matmul(s.probe) and columns.holds(s.t0, s.t)
    ]
    points = [point for s in shown for point in _points(s, s.t - s.t0 < columns.width_s)]
    first, last = columns.window
    points = [(t, v) for t, v in points if first <= t < last and math.isfinite(v)]
    if not points:
        return None
    curve: Curve = [None] * columns.size
    for t, value in points:
        x = min(columns.size - 1, max(0, columns.at(t)))
        before = curve[x]
        low, high = before or (value, value)
        curve[x] = (min(low, value), max(high, value))
    marks = [
        HeldMark(m.begin_s, m.end_s, tflops(m))
        for m in session.measurements
        if m.protocol == "sustained" and held_matmul(m.probe) and columns.holds(m.begin_s, m.end_s)
    ]
    key = shown[-1].probe.removeprefix("matmul-").removesuffix("-sustained")
    return HeldRate(curve, median([v for _, v in points[-LAST:]]), unit(key), marks)


def _points(series: Series, whole: bool) -> list[tuple[float, float]]:
    """(moment, TFLOP/s) of its launches in ten blocks, which are finer than a column; of all of
    them where a column is longer than the series."""
    flop = series.flop or 0.0
    size = max(1, len(series.times_s) if whole else len(series.times_s) // BLOCKS)
    points = []
    end = series.t0
    for at in range(0, len(series.times_s), size):
        block = series.times_s[at : at + size]
        took = sum(block)
        end += took
        points.append((end, flop * len(block) / took / 1e12))
    return points
