"""The grid of a fleet: a row a rank, a column a figure, each as its distance from the others'."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from roofwatch.session.fleet.doubted import doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_scale import fleet_scale
from roofwatch.session.fleet.link_figures import slow_links
from roofwatch.session.fleet.outliers import Outlier, outliers
from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.fleet.spreads import Metric, metrics
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import distance
from roofwatch.tui.drawing.rows_of_text import Row, fit, head_of
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.drawing.told_apart import told_apart
from roofwatch.tui.fleet.doubt_rows import DOUBT
from roofwatch.tui.fleet.held_name import held_name

LEAST_RANK, MOST_RANK = 10, 24  # cells of a rank's name
MOST_CARD = 12  # cells of its card's, with a blank
COLUMN, WIDE = 12, 16  # cells of a figure; those in which its unit stands whole
HEAD_ROWS = 4  # two of names, the medians, a line
MARK_CELLS = 2


class Grid:
    """What the grid is drawn from, worked out once."""

    def __init__(self, fleet: Fleet) -> None:
        self.fleet = fleet
        self.ranks: list[RankFigures] = fleet.in_order
        self.metrics = metrics(fleet)
        self.outliers = outliers(fleet, self.metrics)
        self.slow_links = slow_links(fleet)
        self.names = list(dict.fromkeys(m.name for m in self.metrics))
        self.scale = fleet_scale(fleet)
        longest = max((len(label_of(r)) for r in self.ranks), default=0)
        self._cards = _card_words(fleet)
        cards = max(map(len, self._cards.values()), default=-1) + 1  # with the blank before it
        self.rank_cells = min(max(LEAST_RANK, longest + 3), MOST_RANK) + min(cards, MOST_CARD)
        self.card_cells = min(cards, MOST_CARD)
        self._doubted = doubted_figures(doubted(fleet))
        self._slow = {(o.rank, o.metric): o for o in self.outliers}
        self._of = {(rank, m.name): m for m in self.metrics for rank in m.ranks}

    def card_word(self, r: RankFigures) -> str:
        """Which card a rank has, where they have several kinds; else nothing."""
        return self._cards.get(r.device or "", "")

    def of_rank(self, rank: int | None, name: str) -> Metric:
        """A figure's spread over the cards of this rank's kind; of another kind, where they have
        none."""
        own = self._of.get((rank, name)) if rank is not None else None
        return own or next(m for m in self.metrics if m.name == name)

    def metric(self, rank: int, name: str) -> Metric | None:
        """The spread that a rank's figure is held against: that of its own kind of card."""
        return self._of.get((rank, name))

    def slow(self, rank: int, name: str) -> Outlier | None:
        """Whether that figure is an outlier."""
        return self._slow.get((rank, name))

    def doubted(self, rank: int, name: str) -> bool:
        """Whether the rank's own record doubts that figure."""
        return (rank, name) in self._doubted

    def marked(self, r: RankFigures) -> str:
        """``wrong`` of a rank that is not whole, ``warn`` of a slow one."""
        if not r.whole:
            return "wrong"
        return "warn" if any((r.rank, name) in self._slow for name in self.names) else ""

    def next_marked(self, at: int) -> int:
        """The next place in the list that has a mark, round and round; ``at`` where none has."""
        count = len(self.ranks)
        places = ((at + step) % count for step in range(1, count + 1))
        return next((i for i in places if self.marked(self.ranks[i])), at)

    def cause(self, place: int) -> str:
        """Why the rank at a place in the list is slow in its worst figure; else nothing."""
        if not self.ranks:
            return ""
        own = [o for o in self.outliers if o.rank == self.ranks[place].rank]
        if not own:
            return ""
        worst = own[0]
        return f"{worst.metric}: {worst.reason.text}"

    @property
    def any_marked(self) -> bool:
        """Whether a rank is slow or not whole."""
        return any(self.marked(r) for r in self.ranks)

    def slow_columns(self, place: int) -> list[int]:
        """Columns of the figures in which the rank at a place in the list is slow."""
        if not self.ranks:
            return []
        rank = self.ranks[place].rank
        return [i for i, name in enumerate(self.names) if self.slow(rank, name) is not None]


class At(msgspec.Struct, frozen=True, kw_only=True):
    """Where one stands: the rank under the cursor, the first one on show, the first column."""

    rank: int = 0
    top: int = 0
    column: int = 0


def column_cells(grid: Grid, cells: int) -> int:
    """Of each figure: wide where all of them have room for it, else narrow with its unit short."""
    return WIDE if grid.rank_cells + WIDE * len(grid.names) <= cells else COLUMN


def room_for(grid: Grid, cells: int, height: int) -> tuple[int, int]:
    """Ranks and columns that fit."""
    wide = (cells - grid.rank_cells) // column_cells(grid, cells)
    return max(1, height - HEAD_ROWS), max(1, wide)


def moved(grid: Grid, at: At, cells: int, height: int, rows: int = 0, columns: int = 0) -> At:
    """Moved by so much, within what there is, with the cursor on show."""
    ranks, wide = room_for(grid, cells, height)
    rank = min(max(0, at.rank + rows), max(0, len(grid.ranks) - 1))
    top = min(max(at.top, rank - ranks + 1), rank)
    top = min(top, max(0, len(grid.ranks) - ranks))
    column = min(max(0, at.column + columns), max(0, len(grid.names) - wide))
    return At(rank=rank, top=top, column=column)


def shown_slow(grid: Grid, at: At, cells: int, height: int) -> At:
    """The columns moved as little as shows a figure that makes the rank under the cursor slow."""
    _, wide = room_for(grid, cells, height)
    slow = grid.slow_columns(at.rank)
    if not slow or any(at.column <= i < at.column + wide for i in slow):
        return at
    nearest = min(slow, key=lambda i: abs(i - at.column))
    column = nearest if nearest < at.column else nearest - wide + 1
    return moved(grid, msgspec.structs.replace(at, column=column), cells, height)


def _card_words(fleet: Fleet) -> dict[str, str]:
    """Of each kind of card its name, without the words with which all of them begin."""
    names = {r.device: shown(r.device).split() for r in fleet.in_order if r.device and r.figures}
    if len(names) < 2:
        return {}
    words = list(names.values())
    alike = next(
        (i for i, same in enumerate(zip(*words, strict=False)) if len(set(same)) > 1),
        min(map(len, words)) - 1,
    )
    return {name: " ".join(of[alike:]) for name, of in names.items()}


def label_of(r: RankFigures) -> str:
    """A rank's node and card; of one that never came its number."""
    return f"{shown(r.node)} {r.card}" if r.node else r.place


def against(of: Iterable[Metric]) -> str:
    """What ``Metric.against`` is of all of them, in a word."""
    words = {"faster" if m.of_two else "median" for m in of if m.spread.count > 1} or {"median"}
    return words.pop() if len(words) == 1 else "against"


def grid_rows(grid: Grid, at: At, cells: int, height: int, glyphs: Glyphs) -> list[Row]:
    """Its heads, which are of the kind of card under the cursor, and the ranks that fit."""
    ranks, wide = room_for(grid, cells, height)
    names = grid.names[at.column : at.column + wide]
    here = grid.ranks[at.rank] if grid.ranks else None
    out = _heads(grid, here, names, cells, glyphs)
    room = (
        grid.rank_cells
        - grid.card_cells
        - 4
        - max((len(f"{r.card}") for r in grid.ranks), default=1)
    )
    nodes = told_apart([shown(r.node) for r in grid.ranks], room, glyphs.ellipsis)
    for i, r in enumerate(grid.ranks[at.top : at.top + ranks], at.top):
        out.append(_rank(grid, r, nodes[i], names, cells, i == at.rank, glyphs))
    return out


def _heads(
    grid: Grid, here: RankFigures | None, names: list[str], cells: int, glyphs: Glyphs
) -> list[Row]:
    wide_name, fleet, column = grid.rank_cells, grid.fleet, column_cells(grid, cells)
    shown_metrics = [grid.of_rank(here.rank if here else None, name) for name in names]
    label = f" {against(shown_metrics)}"
    if here is not None and (card := grid.card_word(here)):
        label = head_of(f"{label}, {card}", wide_name - 1, glyphs.ellipsis)
    upper, lower, middle = ([f"{word:<{wide_name}}"] for word in ("", " rank", label))
    for name, metric in zip(names, shown_metrics, strict=True):
        told = held_name(name, fleet)
        first, _, rest = told.partition("-") if ", " not in told else told.partition(", ")
        rest = rest.replace("sustained", "held")
        upper.append(f"{head_of(shown(first), column - 1, glyphs.ellipsis):>{column}}")
        lower.append(f"{head_of(shown(rest), column - 1, glyphs.ellipsis):>{column}}")
        value = metric.against * grid.scale.factor_of(metric.unit)
        said = f"{significant(value)} {grid.scale.named(metric.unit)}"
        said = said if column == WIDE else said.replace("FLOP/s", "F")
        said += f" {glyphs.warn}" if metric.too_far else ""
        middle.append(f"{said:>{column}}")
    hidden = len(grid.names) - len(names)
    more = f" {hidden} more {glyphs.left_right} " if hidden else ""
    more = more if len(more) <= cells else ""
    return [
        fit([("".join(upper), "strong")], cells),
        fit([("".join(lower), "strong")], cells),
        fit([("".join(middle), "dim")], cells),
        fit([(glyphs.horizontal * (cells - len(more)), "axis"), (more, "dim")], cells),
    ]


def _rank(
    grid: Grid,
    r: RankFigures,
    node: str,
    names: list[str],
    cells: int,
    here: bool,
    glyphs: Glyphs,
) -> Row:
    on = "-here" if here else ""
    mark = grid.marked(r)
    sign = {"wrong": glyphs.wrong, "warn": glyphs.warn}.get(mark, " ")
    if not mark and any(grid.doubted(r.rank, name) for name in r.figures):
        mark, sign = "warn", DOUBT
    label = f"{node} {r.card}" if r.node else label_of(r)
    pieces = [
        (f"{glyphs.here if here else ' '}{sign} ", f"{mark}{on}" if mark else f"strong{on}"),
        (f"{label:<{grid.rank_cells - grid.card_cells - 3}}", f"strong{on}" if here else on),
    ]
    if grid.card_cells:
        card = head_of(grid.card_word(r), grid.card_cells - 1, glyphs.ellipsis)
        pieces.append((f" {card:<{grid.card_cells - 1}}", f"dim{on}"))
    if not r.figures:
        why = head_of(shown(r.fared), cells - grid.rank_cells - 1, glyphs.ellipsis)
        pieces.append((f" {why}", f"wrong{on}"))
        return fit(pieces, cells, on)
    for name in names:
        pieces.append(_cell(grid, r, name, on, column_cells(grid, cells), glyphs))
    return fit(pieces, cells, on)


def _cell(
    grid: Grid, r: RankFigures, name: str, on: str, cells: int, glyphs: Glyphs
) -> tuple[str, str]:
    own, metric = r.figures.get(name), grid.metric(r.rank, name)
    if own is None or metric is None or not metric.against:
        return f"{'n/a':>{cells - MARK_CELLS}}" + " " * MARK_CELLS, f"dim{on}"
    share = own.value / metric.against - 1
    text = f"{distance(share * 100)} %"
    if grid.slow(r.rank, name) is not None:
        return f"{text:>{cells - MARK_CELLS}} {glyphs.warn}", f"warn{on}"
    if grid.doubted(r.rank, name):
        return f"{text:>{cells - MARK_CELLS}} {DOUBT}", f"warn{on}"
    return f"{text:>{cells - MARK_CELLS}}" + " " * MARK_CELLS, on
