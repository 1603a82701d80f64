"""The columns of the probe table, and which of them fit.

Where cells are short they give way in this order: the blanks around the range's dash, the
repetitions, the ends of long names, all findings but the first, the share of the roof, that of
nominal, the expected range (the unit then stands behind the figure), the findings, and last the
names down to their heads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from rich.cells import cell_len

from roofwatch.notebook.finding import NOTE, WRONG
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import OVER
from roofwatch.session.table import ProbeRow
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.short_figure import short

MOST_NAME = 40  # cells of the longest name
LEAST_NAME, SHORT_NAME = 15, 16  # of the column; what it shrinks to before another goes
LEAST = 10  # of the column where nothing else is left to go
MOST_WORDS, SHORT_WORDS = 28, 9  # of the findings that give way to nothing; that shares leave
LEAST_SPARK, MOST_SPARK = 7, 24
NO_RANGE = "no expectation"


class Columns(NamedTuple):
    """Cells of each column; 0 where it gave way."""

    name: int
    low: int
    high: int
    tight: bool  # no blanks around the dash
    expected: int
    unit: int
    measured: int
    mark: int
    nominal: int
    roof: int
    spark: int
    words: int

    @property
    def used(self) -> int:
        """All of them, with the cursor's cell and the gaps."""
        spark_cells = self.spark + 2 if self.spark else 0
        words = self.words + 1 if self.words else 0
        figures = self.measured + self.mark + self.nominal + self.roof
        return 1 + self.name + self.expected + self.unit + figures + spark_cells + words

    @property
    def before_words(self) -> int:
        """Cells left of what a finished probe says in the last column."""
        return self.used - (self.words + 1 if self.words else 0)


def columns_for(rows: Sequence[ProbeRow], cells: int, glyphs: Glyphs, has_nominal: bool) -> Columns:
    """The columns that fit; see the module for what gives way.

    Without a nominal figure of the device there is no column of its shares.
    """
    ranges = [r for r in rows if r.low is not None and r.high is not None]
    low = max((len(short(r.low or 0.0)) for r in ranges), default=4)
    high = max((len(short(r.high or 0.0)) for r in ranges), default=4)
    figures = max((len(short(r.measured)) for r in rows if r.measured is not None), default=0)
    words = max((cell_len(" ".join(words_of(r, glyphs))) for r in rows), default=0)
    names = min(MOST_NAME, max((cell_len(r.label) for r in rows), default=0))
    unit = max((len(r.unit) for r in rows), default=0) + 1
    at_least = NO_RANGE if any(r.low is None and not r.said for r in rows) else "expected"

    def expected(tight: bool) -> int:
        dash = 1 if tight else 3
        needed = low + high + dash
        return max(needed, len(at_least) - (unit if at_least == NO_RANGE else 0))

    columns = Columns(
        name=max(LEAST_NAME, names) + 1,
        low=low,
        high=high,
        tight=False,
        expected=expected(False),
        unit=unit,
        measured=max(len("measured"), figures) + 1,
        mark=max(len(glyphs.ok), len(glyphs.warn)) + 1,
        nominal=len("nominal") + 1 if has_nominal else 0,
        roof=len("100 %") + 1 + any(over(r) for r in rows),
        spark=LEAST_SPARK,
        words=max(len("findings"), words),
    )
    columns = columns._replace(words=min(columns.words, MOST_WORDS))
    longest = columns.name
    steps: list[dict[str, Any]] = [
        {"tight": True, "expected": expected(True)},
        {"spark": 0},
        {"name": min(longest, SHORT_NAME + 1)},
        {"words": min(columns.words, SHORT_WORDS)},
        {"roof": 0},
        {"nominal": 0},
        {"expected": 0},
        {"words": len("findings")},
        {"words": 0},
        {"name": LEAST},
    ]
    for step in steps:
        if columns.used <= cells:
            break
        columns = columns._replace(**step)
    # What went in vain, since more had to go, comes back as far as there is room.
    room = max(0, cells - columns.used)
    columns = columns._replace(name=min(longest, columns.name + room))
    loose = columns._replace(tight=False, expected=expected(False))
    if columns.tight and not columns.spark and columns.expected and loose.used <= cells:
        columns = loose
    if columns.spark:
        room = max(0, cells - columns.used)
        columns = columns._replace(spark=min(MOST_SPARK, columns.spark + room))
    return columns._replace(words=max(0, columns.words + cells - columns.used))


def over(r: ProbeRow) -> bool:
    """Whether its share of the roof is one that a roof should not leave room for."""
    return r.of_roof is not None and r.of_roof >= OVER


def words_of(r: ProbeRow, glyphs: Glyphs) -> list[str]:
    """What the findings column says: each code behind the mark of its severity."""
    if r.on_purpose:  # its label names the mistake
        return ["on purpose" if r.codes or r.library_limited else "not flagged"]
    marks = {WRONG: glyphs.wrong, NOTE: glyphs.note}
    pairs = zip(r.codes, r.severities, strict=True)
    words = [f"{marks.get(severity, glyphs.warn)} {shown(code)}" for code, severity in pairs]
    return [*words, *(["library"] if r.library_limited else [])]
