"""The repetitions of a number: how long, how spread, drawn as a distribution and in order."""

from __future__ import annotations

import math

from roofwatch.roofline.time_said import time_scale
from roofwatch.session.distribution import Distribution, counts, distribution
from roofwatch.session.events import Measurement
from roofwatch.session.how_timed import stop_said
from roofwatch.session.rates import value
from roofwatch.tui.drawing.amount import time_in
from roofwatch.tui.drawing.curves import cell_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.labelled import beside, labelled, room
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.drawing.short_figure import short
from roofwatch.tui.drawing.spark import spark

HEIGHT = 3  # rows of the distribution
MOST_COLUMNS = 72
LEAST_COLUMNS = 24
WIDEST_BIN, WIDEST_BLOCK = 6, 4  # cells of a bin, and of a repetition


def repetition_rows(
    m: Measurement, unit: str, factor: float, cells: int, glyphs: Glyphs
) -> list[Row]:
    """Figures, then the distribution of the times, then the rates in the order they came.

    ``factor`` times a rate is the rate in ``unit``.
    """
    seen = distribution(m.times_s)
    rows = labelled("time", _figures(seen, glyphs), cells)
    times = f"{seen.n} times: {stop_said(m.stop)}"
    rows += labelled("repeated", f"{times}{_shape_said(seen)}", cells)
    drawn = histogram(m, seen, room(cells), glyphs)
    rows += beside("distribution", drawn, cells)
    return [*rows, *beside("in order", _in_order(m, unit, factor, room(cells), glyphs), cells)]


def _figures(d: Distribution, glyphs: Glyphs) -> str:
    middle = d.median_s
    _, unit = time_scale(middle)
    parts = [
        f"median {time_in(middle, middle)} {unit}",
        f"best {time_in(d.least_s, middle)}",
        f"worst {time_in(d.greatest_s, middle)}",
        f"IQR {d.iqr_s / middle * 100:.2g} %",
    ]
    return f" {glyphs.dot} ".join(parts)


def _shape_said(d: Distribution) -> str:
    """Two modes or a drift, where they show."""
    said = ""
    if d.modes is not None:
        _, unit = time_scale(d.modes.fast)
        slow = time_in(d.modes.slow, d.modes.fast)
        said += f"; two modes, {time_in(d.modes.fast, d.modes.fast)} and {slow} {unit}, "
        said += f"{d.modes.slow_share * 100:.0f} % of the times in the slower one"
    if d.drift:
        word = "slower" if d.drift > 0 else "faster"
        said += f"; the last third is {abs(d.drift) * 100:.2g} % {word} than the first"
    return said


def histogram(m: Measurement, d: Distribution, cells: int, glyphs: Glyphs) -> list[Row]:
    """How many times lie where, from the least to the greatest, and where the median is."""
    most = min(MOST_COLUMNS, cells - 2)
    if most < LEAST_COLUMNS:
        return []
    bins = min(most, max(8, 2 * math.ceil(math.sqrt(d.n))))
    each = min(WIDEST_BIN, most // bins)
    columns = bins * each
    limits = (d.least_s, d.greatest_s)
    found = counts(m.times_s, limits, bins)
    highest = max(found)
    levels = len(glyphs.spark)
    rows: list[Row] = []
    for y in range(HEIGHT - 1, -1, -1):
        line = ""
        for n in found:
            filled = n / highest * HEIGHT * levels if n else 0.0
            level = min(levels, max(0, math.ceil(filled) - y * levels))
            char = " " if not level else glyphs.full if level == levels else glyphs.spark[level - 1]
            line += char * each
        rows.append(row((line, "spark")))
    return [*rows, *_time_axis(d, limits, columns, glyphs)]


def _time_axis(
    d: Distribution, limits: tuple[float, float], columns: int, glyphs: Glyphs
) -> list[Row]:
    """The median's place under the bars, then the three figures."""
    at = cell_of(d.median_s, limits, columns) if limits[1] > limits[0] else columns // 2
    line = [glyphs.horizontal] * columns
    line[at] = glyphs.axis_tick
    _, unit = time_scale(d.median_s)
    least, middle, greatest = (
        time_in(s, d.median_s) for s in (d.least_s, d.median_s, d.greatest_s)
    )
    names = [" "] * columns
    ends = [(0, f"{least} {unit}"), (columns - len(greatest), greatest)]
    for start, text in ends:
        names[max(0, start) : max(0, start) + len(text)] = text
    text = f"median {middle}"
    start = min(max(0, at - len(text) // 2), columns - len(text))
    around = names[max(0, start - 2) : start + len(text) + 2]
    if start >= 0 and all(c == " " for c in around):
        names[start : start + len(text)] = text
    return [row(("".join(line), "axis")), row(("".join(names[:columns]), "dim"))]


def _in_order(m: Measurement, unit: str, factor: float, cells: int, glyphs: Glyphs) -> list[Row]:
    """Each repetition's rate as a block, the first at the left; then between what they lie."""
    rates = [value(m, t) * factor for t in m.times_s]
    each = min(WIDEST_BLOCK, max(1, cells // len(rates)))
    line = "".join(block * each for block in spark(rates, cells, glyphs))
    said = f"{short(min(rates))} to {short(max(rates))} {unit}"
    if len(rates) > cells:
        said += f"; each block is the mean of {len(rates) / cells:.2g} repetitions"
    return [row((line, "spark")), *wrapped(said, cells, "dim")]
