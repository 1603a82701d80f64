"""One rank of a fleet: its figures against the others', and what its record says."""

from __future__ import annotations

from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ, figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.fleet.fleet_grid import Grid
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (110, 50)
HEAD_ROWS = 2
NAME_CELLS = 28


def rank_rows(grid: Grid, r: RankFigures, cells: int, glyphs: Glyphs) -> list[Row]:
    """Who it is; each figure with its distance; causes, findings, faults."""
    device = f"{shown(r.device or 'no device')}   {shown(r.uuid or '')}".rstrip()
    state = r.state if r.complete or not r.figures else f"{r.state}, not whole"
    out = [
        row((head_of(f"{shown(r.place)}   rank {r.rank}   {device}", cells, glyphs.ellipsis), "")),
        row((f"{state}{': ' if r.why else ''}{shown(r.why)}", grid.marked(r) or "ok")),
    ]
    if r.power_limit_w:
        out.append(row((f"power limit {r.power_limit_w:.0f} W", "dim")))
    if r.figures:
        out.append(row(""))
        out.append(row((f"{'':<{NAME_CELLS}} {'measured':>9} {'median':>8} {'apart':>8}", "dim")))
    for name in r.figures:
        out += _figure(grid, r, name, cells, glyphs)
    for head, said in (("finding", [f.message for f in r.findings]), ("fault", r.faults)):
        for text in said:
            out += [row(""), *wrapped(f"{head}: {shown(text)}", cells)]
    return out


def _figure(grid: Grid, r: RankFigures, name: str, cells: int, glyphs: Glyphs) -> list[Row]:
    own, metric, slow = r.figures[name], grid.metric(r.rank, name), grid.slow(r.rank, name)
    label = head_of(f"{shown(name)}, {own.unit}", NAME_CELLS, glyphs.ellipsis)
    line = f"{label:<{NAME_CELLS}} {figure(own.value):>9}"
    if metric is None or not metric.spread.median:
        return [row(f"{line} {NOT_READ:>8}")]
    share = own.value / metric.spread.median - 1
    line += f" {figure(metric.spread.median):>8} {f'{share * 100:+.1f} %':>8}"
    clock = f"  {own.sm_mhz:.0f} MHz" if own.sm_mhz else ""
    if slow is None:
        return [row(line, (clock, "dim"))]
    away = f"{slow.deviations:.1f} deviations" if slow.deviations is not None else slow.doubt
    out = [row(line, (f" {glyphs.warn}{clock}", "warn"))]
    out += hung("    ", f"{away}; {shown(slow.reason.code)}: {shown(slow.reason.text)}", cells)
    return out


class RankPage(ScrolledSheet):
    """The page of one rank."""

    def __init__(self, grid: Grid, r: RankFigures, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD_ROWS, f"Rank {r.rank}")
        self._grid = grid
        self._rank = r

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return rank_rows(self._grid, self._rank, cells, self.glyphs)
