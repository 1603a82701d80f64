"""One rank of a fleet: its figures against the others', and what its record says."""

from __future__ import annotations

from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row
from roofwatch.tui.fleet.fleet_grid import Grid
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (110, 50)
HEAD_ROWS = 2
NAME_CELLS = 27


def rank_rows(grid: Grid, r: RankFigures, cells: int, glyphs: Glyphs) -> list[Row]:
    """Who it is; each figure with its distance; causes, findings, faults."""
    device = f"{shown(r.device or 'no device')}   {shown(r.uuid or '')}".rstrip()
    mark = grid.marked(r)
    state = r.state if r.complete or not r.figures else f"{r.state}, not whole"
    said = f"{state}{', slow' if mark == 'warn' else ''}{': ' if r.why else ''}{shown(r.why)}"
    out = [
        row(head_of(f"{shown(r.place)}   rank {r.rank}   {device}", cells, glyphs.ellipsis)),
        row((head_of(said, cells, glyphs.ellipsis), mark or "ok")),
    ]
    if r.figures:
        head = f"{'':<{NAME_CELLS}} {'measured':>8} {'median':>7} {'apart':>8} deviations"
        out += [row(""), row((head, "dim"))]
    out += [_figure(grid, r, name, glyphs) for name in r.figures]
    slow = [each for name in r.figures if (each := grid.slow(r.rank, name))]
    causes = list(dict.fromkeys(f"{o.reason.code}: {o.reason.text}" for o in slow))
    limit = [f"power limit {r.power_limit_w:.0f} W"] if r.power_limit_w else []
    for head, texts in (
        (f"{glyphs.warn} ", list(dict.fromkeys(o.doubt for o in slow if o.doubt))),
        (f"{glyphs.warn} ", causes),
        ("finding: ", [f.message for f in r.findings]),
        ("fault: ", list(r.faults)),
        ("", limit),
    ):
        for text in texts:
            out += [row(""), *hung(head, shown(text), cells)]
    return out


def _figure(grid: Grid, r: RankFigures, name: str, glyphs: Glyphs) -> Row:
    own, metric, slow = r.figures[name], grid.metric(r.rank, name), grid.slow(r.rank, name)
    label = head_of(f"{shown(name)}, {own.unit}", NAME_CELLS, glyphs.ellipsis)
    line = f"{label:<{NAME_CELLS}} {figure(own.value):>8}"
    if metric is None or not metric.spread.median:
        return row(f"{line} {NOT_READ:>7}")
    share = own.value / metric.spread.median - 1
    line += f" {figure(metric.spread.median):>7} {f'{share * 100:+.1f} %':>8}"
    away = f"{slow.deviations:.1f}" if slow and slow.deviations is not None else ""
    line += f" {away:>8}"
    clock = f"{own.sm_mhz:>6.0f} MHz" if own.sm_mhz else ""
    mark = f" {glyphs.warn} " if slow else "   "
    return row((line, "warn" if slow else ""), (mark, "warn"), (clock, "dim"))


class RankPage(ScrolledSheet):
    """The page of one rank."""

    def __init__(self, grid: Grid, r: RankFigures, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD_ROWS, f"Rank {r.rank}")
        self._grid = grid
        self._rank = r

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return rank_rows(self._grid, self._rank, cells, self.glyphs)
