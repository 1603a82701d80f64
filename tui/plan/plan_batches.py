"""A plan's table by batch: the batches that tell most where rows are few, the others by pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.roofline.decode import at_roof
from roofwatch.session.plan import Plan
from roofwatch.session.plan_step import PlanPoint
from roofwatch.tui.drawing.numbers import figure, priced
from roofwatch.tui.drawing.rows_of_text import Piece, Row, row, spread
from roofwatch.tui.drawing.significant import cost, significant
from roofwatch.tui.drawing.telling import left_out, telling
from roofwatch.tui.plan.plan_rows import batch_of, duration, points

FORTH, BACK = "PgDn", "PgUp"
LEAST_LINES = 1  # under the head: with fewer it says no more than how many batches there are


class _Column(NamedTuple):
    """Where cells are short the columns of a higher rank go first."""

    name: str
    cells: int  # at least
    rank: int
    text: Callable[[PlanPoint], str]
    word: bool = False  # stands at the left

    def filled(self, text: str) -> str:
        """``text`` in the column's cells."""
        return f"  {text:<{self.cells - 2}}" if self.word else f"{text:>{self.cells}}"


class _Layout(NamedTuple):
    columns: list[_Column]
    lines: int  # batches under the head
    beside: bool  # what is hidden is said right of the head, else in a line of its own


def table(p: Plan, cells: int, height: int, at: int = 0) -> list[Row]:
    """At most ``height`` rows: the head, and batches in the lines below it.

    Page 0 has the telling ones, with what is hidden counted and the key that leads there; the
    pages after it have all in their order.
    """
    curve = points(p)
    columns, lines, beside = _layout(p, curve, cells, height, at)
    if lines < 1:
        told = f"  {len(curve)} batches, up to {curve[-1].batch}: {FORTH}"
        return [row((told, "dim"))] if height > 0 else []
    chosen = _chosen(p, curve, lines, at)
    said = ""
    if len(chosen) < len(curve):
        said = _hidden(chosen[0], len(curve) - 1 - chosen[-1])
    if said and at < 1:  # between others: both ends stand there
        room = cells - (sum(c.cells for c in columns) + 2 if beside else 2)
        missing = [str(x.batch) for i, x in enumerate(curve) if i not in chosen]
        said = left_out(missing, FORTH, room)
    head = row(("".join(c.filled(c.name) for c in columns), "dim"))
    rows = [spread(head, [(f"{said} ", "dim")], cells) if said and beside else head]
    rows += [_line(curve[i], p, columns) for i in chosen]
    return rows if beside or not said else [*rows, row((f"  {said}", "dim"))]


def pages(p: Plan, cells: int, height: int) -> int:
    """How many pages of all batches a table of so many rows has."""
    curve = points(p)
    return math.ceil(len(curve) / max(1, _layout(p, curve, cells, height, 1).lines))


def holds_all(p: Plan, cells: int, height: int) -> bool:
    """Whether a table of so many rows has a line for every batch."""
    curve = points(p)
    return _layout(p, curve, cells, height, 0).lines == len(curve)


def _layout(p: Plan, curve: Sequence[PlanPoint], cells: int, height: int, at: int) -> _Layout:
    columns = _columns(p, curve, cells)
    many = [str(x.batch) for x in curve]
    longest = len(_hidden(len(curve), len(curve)) if at else left_out(many, FORTH, 0)) + 1
    beside = sum(c.cells for c in columns) + longest < cells
    if len(curve) < height:
        return _Layout(columns, len(curve), beside)
    lines = height - (1 if beside else 2)
    return _Layout(columns, lines if lines >= LEAST_LINES else 0, beside)


def _chosen(p: Plan, curve: Sequence[PlanPoint], lines: int, at: int) -> list[int]:
    """Which batches stand there; of the last page as many as of any other."""
    if at < 1 or lines >= len(curve):
        index = {x.batch: i for i, x in reversed(list(enumerate(curve)))}
        roof, cap = index.get(at_roof(p.b_star) or 0), index.get(p.batch_memory_cap or 0)
        bend = next((i for i, x in enumerate(curve) if x.bound != curve[0].bound), None)
        ends = (roof, cap) if p.reaches_roof else (cap, roof)
        return telling(len(curve), lines, *ends, bend)
    first = min((at - 1) * lines, len(curve) - lines)
    return list(range(first, first + lines))


def _hidden(above: int, below: int) -> str:
    """How many batches are out of sight, and the keys that lead there."""
    told = " and ".join(f"{n} {way}" for n, way in ((above, "before"), (below, "more")) if n)
    keys = "/".join(key for n, key in ((above, BACK), (below, FORTH)) if n)
    return f"{told}: {keys}"


def _columns(p: Plan, curve: Sequence[PlanPoint], cells: int) -> list[_Column]:
    """Those that fit. Their widths hold from key to key, unless a figure is longer."""
    columns = [
        _Column("batch", 9, 0, lambda x: batch_of(x, p)),
        _Column("FLOP/B", 7, 5, lambda x: significant(x.intensity)),
        _Column("step", 9, 1, lambda x: duration(x.step_s)),
        _Column("tokens/s", 9, 0, lambda x: figure(x.tokens_per_s)),
        _Column("off linear", 11, 4, lambda x: f"{x.gap_to_linear * 100:.1f} %"),
        _Column("bound", 10, 3, lambda x: x.bound if x.fits else "no room", word=True),
    ]
    if p.price is not None:
        title = priced("/Mtok", p.price.currency)
        columns.append(_Column(title, 9, 2, lambda x: cost(x.cost_per_mtok)))
    columns = [
        c._replace(cells=max(c.cells, *(len(t) + 1 for t in (c.name, *map(c.text, curve)))))
        for c in columns
    ]
    while len(columns) > 1 and sum(c.cells for c in columns) > cells:
        columns.remove(max(columns, key=lambda c: c.rank))
    return columns


def _line(x: PlanPoint, p: Plan, columns: Sequence[_Column]) -> Row:
    """One batch: dim where it does not fit in the memory, its bound marked where that changed."""
    pieces: list[Piece] = []
    for c in columns:
        style = "" if x.fits else "dim"
        if c.name == "bound" and x.fits:
            style = "dim" if x.bound == p.curve[0].bound else "reason"
        pieces.append((c.filled(c.text(x)), style))
    return row(*pieces)
