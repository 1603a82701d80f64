"""The height of a chart: linear between its limits, each of which has a row to itself.

A curve that rides along a limit would hide its line. So the line's row belongs to no value: what
is at the limit or under it is drawn below the line, what is over it above.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

STEPS = 8  # in which both ends move: a chart that changes with every reading is no calm one
LEAST_SPAN = 0.25  # of the top; in less the noise of a clock would be drawn as a fall
UNEVEN = 1.25  # times as much a row: the eye would take a slope for another
LEAST_VALUE = 1e-9  # what is less is drawn at the bottom


class Rail(NamedTuple):
    """A limit: its value, and the words that stand on its line.

    ``swing`` is the share by which what is held at it goes beyond.
    """

    value: float
    name: str
    swing: float = 0.0

    @property
    def end(self) -> float:
        """The highest value that counts as at it."""
        return self.value * (1 + self.swing)


class Section(NamedTuple):
    """Rows between two ends of a scale; ``end`` is the highest value that is drawn in them."""

    top: float
    end: float
    bottom: float
    first_row: int
    rows: int


class RailedScale:
    """Values to rows, and to the dots of which each row has ``dots``; both count from the top."""

    def __init__(
        self,
        values: tuple[float, float],
        rails: Sequence[Rail],
        rows: int,
        dots: int,
        from_zero: bool,
    ) -> None:
        """``values`` are the lowest and highest to be drawn. Of rails for which there is no room,
        the last ones are left out."""
        self.rows, self.dots = rows, dots
        positive = [r for r in rails if math.isfinite(r.value) and r.value > LEAST_VALUE]
        rails = list({r.value: r for r in reversed(positive)}.values())[::-1]
        low, high = values
        self.top, self.bottom = _ends(low, max([high, *(r.value for r in rails)]), from_zero)
        highest = max(rails, default=None)
        if highest is not None and high <= highest.end:
            self.top = highest.value
        inside = [r for r in rails if self.bottom < r.value <= self.top]
        while inside and _least_rows(self.top, inside) > rows:
            inside.pop()
        self.rails = sorted(inside, reverse=True)
        self.sections = self._divided()

    def _divided(self) -> list[Section]:
        """Rows to the sections between the rails, by their extent, one at least to each."""
        under = [r for r in self.rails if r.value < self.top]
        tops = [Rail(self.top, ""), *under]
        if self.rails and self.rails[0].value == self.top:
            tops[0] = self.rails[0]
        bottoms = [*(rail.value for rail in tops[1:]), self.bottom]
        extents = [rail.value - bottom for rail, bottom in zip(tops, bottoms, strict=True)]
        left = max(1, self.rows - len(self.rails))
        sections: list[Section] = []
        row = 1 if self.rails and self.rails[0].value == self.top else 0
        for i, (rail, bottom) in enumerate(zip(tops, bottoms, strict=True)):
            rest = len(extents) - 1 - i
            share = round(left * extents[i] / sum(extents[i:])) if rest else left
            rows = max(1, min(share, left - rest))
            sections.append(Section(rail.value, rail.end, bottom, row, rows))
            row, left = row + rows + 1, left - rows
        return sections

    def dot(self, value: float) -> int:
        """The dot row of a value; what lies outside is held at the edge."""
        value = max(self.bottom, value)
        section = next((s for s in reversed(self.sections) if value <= s.end), self.sections[0])
        value = min(value, section.top)
        share = (section.top - value) / (section.top - section.bottom)
        return section.first_row * self.dots + round(share * (section.rows * self.dots - 1))

    def row(self, value: float) -> int:
        """The row of a value."""
        return self.dot(value) // self.dots

    def breaks(self) -> set[int]:
        """Rows of the rails at which the step from row to row changes."""
        step = [(s.top - s.bottom) / s.rows for s in self.sections]
        return {
            below.first_row - 1
            for (over, under), below in zip(pairwise(step), self.sections[1:], strict=True)
            if max(over, under) > UNEVEN * min(over, under)
        }

    def rail_rows(self) -> list[tuple[int, Rail]]:
        """The row of each rail, from the top."""
        if not self.rails:
            return []
        rows = [s.first_row - 1 for s in self.sections if s.first_row]
        return list(zip(rows, self.rails, strict=True))


def _least_rows(top: float, rails: Sequence[Rail]) -> int:
    """One for each rail and section; where there are several rails, two at least under them."""
    return 1 + len(rails) + sum(r.value < top for r in rails) + (len(rails) > 1)


def _ends(low: float, high: float, from_zero: bool) -> tuple[float, float]:
    """Round ends around the values."""
    if not (math.isfinite(high) and high > LEAST_VALUE):
        return 1.0, 0.0
    step = nice(high / STEPS)
    top = step * math.ceil(high / step - 1e-9)
    low = min(low, (1 - LEAST_SPAN) * top)
    bottom = 0.0 if from_zero else max(0.0, step * math.floor(low / step + 1e-9))
    return top, bottom


def nice(value: float) -> float:
    """The largest 1, 2 or 5 times a power of ten that is not above ``value``."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(m * power for m in (5, 2, 1) if m * power <= value * (1 + 1e-9))
