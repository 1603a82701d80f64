"""TFLOP/s of the held matmuls over time, and the stretch of it whose median is the held figure."""

from __future__ import annotations

import math
from typing import NamedTuple

from roofwatch.roofline.probe_spec import matmul_precision
from roofwatch.roofline.statistics import median
from roofwatch.session.events import Series
from roofwatch.session.fold import Session
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.rates import tflops
from roofwatch.session.throttle import held_matmul
from roofwatch.tui.drawing.column_curve import Curve
from roofwatch.tui.drawing.time_columns import TimeColumns

BLOCKS = 10  # points of a series of launches
LAST = 10  # of them, whose median is the held rate now: a single one is noise


class HeldMark(NamedTuple):
    """A measured stretch of a held matmul and its figure."""

    begin_s: float
    end_s: float
    rate: float


class HeldRate(NamedTuple):
    """What a window shows of held matmuls, in ``unit``."""

    curve: Curve
    last: float  # the figure of what was held last: its rate now, once it is measured that
    over: bool  # whether it is measured
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
    scale = rate_scale(session)
    points = [
        (t, rate * scale.factor)
        for s in shown
        for t, rate in _points(s, s.t - s.t0 < columns.width_s)
    ]
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
        HeldMark(m.begin_s, m.end_s, tflops(m) * scale.factor)
        for m in session.measurements
        if m.protocol == "sustained" and held_matmul(m.probe) and columns.holds(m.begin_s, m.end_s)
    ]
    key = matmul_precision(shown[-1].probe)
    measured = session.measured(shown[-1].run)
    done = next((m for m in measured if m.probe == shown[-1].probe and m.t < last), None)
    rate = median([v for _, v in points[-LAST:]])
    rate = rate if done is None else tflops(done) * scale.factor
    return HeldRate(curve, rate, done is not None, scale.of(key), marks)


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
