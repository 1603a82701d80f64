"""One rank of a fleet: its figures against the others', and what its record says."""

from __future__ import annotations

import re

from rich.cells import cell_len

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.robust_spread import FEWEST
from roofwatch.session.fleet.outliers import Outlier
from roofwatch.session.fleet.rank_figures import RankFigures, Said
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import NOT_READ, distance
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.fleet.doubt_rows import DOUBT
from roofwatch.tui.fleet.fleet_grid import Grid, against
from roofwatch.tui.fleet.held_name import held_name
from roofwatch.tui.fleet.link_rows import rank_link_rows
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (110, 50)
HEAD_ROWS = 2
MOST_NAME, OTHER_CELLS = 30, 46  # cells of a figure's name, and of the columns behind it
MOST_LINKS, MOST_FIGURES = 6, 4
LEAST_NODE = 8  # cells of a node's name, and of a UUID
FINE = 0.1  # a share under it has a digit behind the point
UNREAD = {"cpu": "CPU", "cuda": "GPU"}  # a rank without a record: what it was to measure
SM_CLOCK, CPU_CLOCK = "SM clock", "CPU clock"
NUMBER = re.compile(r"\d[\d.,]*")


def rank_rows(grid: Grid, r: RankFigures, cells: int, glyphs: Glyphs) -> list[Row]:
    """Who it is; each figure with its distance; causes, links, findings, faults."""
    device = r.device or UNREAD.get(r.kind or "", "no device")
    mark = grid.marked(r)
    said = shown(r.fared) if mark == "wrong" else r.state
    said += ", slow" if any(grid.slow(r.rank, name) for name in r.figures) else ""
    if any(grid.doubted(r.rank, name) for name in r.figures):
        said, mark = f"{said}, doubted", mark or "warn"
    out = [
        row(_who(r, device, cells, glyphs)),
        row((head_of(said, cells, glyphs.ellipsis), mark or "ok")),
    ]
    if r.figures:
        clock = CPU_CLOCK if r.kind == "cpu" else SM_CLOCK
        room = cells - OTHER_CELLS - (len(clock) - len(SM_CLOCK))
        wide, judged = max(8, min(MOST_NAME, room)), _judged(grid, r)
        metrics = [m for name in r.figures if (m := grid.metric(r.rank, name))]
        head = f"{'':<{wide}} {'measured':>8} {against(metrics):>7} {'apart':>8}"
        head += f" {'deviations':>10}" if judged else "  "
        head += f" {clock}" if any(f.sm_mhz for f in r.figures.values()) else ""
        out += [row(""), row((head.rstrip(), "dim"))]
        out += [_figure(grid, r, name, wide, judged, glyphs) for name in r.figures]
    slow = [each for name in r.figures if (each := grid.slow(r.rank, name))]
    causes = causes_said(slow)
    limit = [f"power limit {r.power_limit_w:.0f} W"] if r.power_limit_w else []
    for head, texts in (
        (f"{glyphs.warn} ", doubts_said(grid, slow)),
        (f"{glyphs.warn} ", causes),
        ("link: ", rank_link_rows(grid.fleet, r.rank, MOST_LINKS)),
        ("finding: ", findings_said(r)),
        ("fault: ", list(r.faults)),
        ("", limit),
    ):
        if texts:
            out.append(row(""))
        for text in texts:
            out += hung(head, shown(text), cells)
    return micro(out, glyphs)


def _who(r: RankFigures, device: str, cells: int, glyphs: Glyphs) -> str:
    """Its node, card, number and device: a node's long name gives way, the UUID first of all."""
    device, uuid = shown(device), shown(r.uuid or "")
    if not r.node:
        return head_of(f"{shown(r.place)}   {device}   {uuid}".rstrip(), cells, glyphs.ellipsis)
    node = shown(r.node)
    rest = f"{shown(r.place).removeprefix(node)}   rank {r.rank}   {device}"
    node = head_of(node, max(LEAST_NODE, cells - cell_len(rest)), glyphs.ellipsis)
    line = head_of(f"{node}{rest}", cells, glyphs.ellipsis)
    room = cells - cell_len(line) - 3
    return (
        f"{line}   {head_of(uuid, room, glyphs.ellipsis)}" if uuid and room > LEAST_NODE else line
    )


def doubts_said(grid: Grid, slow: list[Outlier]) -> list[str]:
    """What the spread cannot tell, once each; and what the figures are held against, where their
    column has another thing."""
    of: dict[str, list[str]] = {}
    for o in slow:
        if not o.doubt:
            continue
        said = of.setdefault(o.doubt, [])
        metric = grid.metric(o.rank, o.metric)
        if metric is not None and metric.against != o.median:
            value = significant(o.median * grid.scale.factor_of(o.unit))
            name, unit = held_name(o.metric, grid.fleet), grid.scale.named(o.unit)
            share = per_cent(o.under, 1 if o.under < FINE else 0)
            said.append(f"{name} {share} under {o.against} {value} {unit}")
    return [f"{doubt}{': ' * bool(said)}{_some(said)}" for doubt, said in of.items()]


def _some(said: list[str]) -> str:
    """The first few, the others counted."""
    rest = len(said) - MOST_FIGURES
    return ", ".join(said[:MOST_FIGURES]) + (f" and {rest} more" if rest > 0 else "")


def causes_said(slow: list[Outlier]) -> list[str]:
    """Each cause once, with the figures that it makes slow."""
    of: dict[str, list[str]] = {}
    for o in slow:
        of.setdefault(f"{o.reason.code}: {o.reason.text}", []).append(o.metric)
    return [f"{cause} ({_some(names)})" for cause, names in of.items()]


def findings_said(r: RankFigures) -> list[str]:
    """Its findings, those of one kind together, each with the figure that it is of."""
    alike: dict[tuple[str, str], list[Said]] = {}
    for f in r.findings:
        alike.setdefault((f.code, NUMBER.sub("#", f.message)), []).append(f)
    out = []
    for found in alike.values():
        first = found[0]
        others = ", ".join(dict.fromkeys(f.subject for f in found[1:] if f.subject))
        name = ", ".join(filter(None, (first.code, first.subject)))
        out.append(f"{name}{f' (alike: {others})' * bool(others)}: {first.message}")
    return out


def _judged(grid: Grid, r: RankFigures) -> bool:
    """Whether robust deviations say anything: of two ranks they do not."""
    metrics = (grid.metric(r.rank, name) for name in r.figures)
    return any(m is not None and m.spread.count >= FEWEST for m in metrics)


def _figure(grid: Grid, r: RankFigures, name: str, wide: int, judged: bool, glyphs: Glyphs) -> Row:
    own, metric, slow = r.figures[name], grid.metric(r.rank, name), grid.slow(r.rank, name)
    factor = grid.scale.factor_of(own.unit)
    unit = grid.scale.named(own.unit).replace("°", glyphs.degree)
    label = head_of(f"{shown(held_name(name, grid.fleet))}, {unit}", wide, glyphs.ellipsis)
    line = f"{label:<{wide}} {significant(own.value * factor):>8}"
    if metric is None or not metric.against:
        return row(f"{line} {NOT_READ:>7}")
    share = own.value / metric.against - 1
    line += f" {significant(metric.against * factor):>7} {f'{distance(share * 100)} %':>8}"
    told = metric.judged and metric.spread.count >= FEWEST
    told = told and (slow is None or slow.deviations is not None)  # else the spread did not tell
    away = distance(-metric.spread.deviations(own.value)) if told else ""
    clock = f"{own.sm_mhz:.0f} MHz" if own.sm_mhz else ""
    wide_clock = len(CPU_CLOCK if r.kind == "cpu" else SM_CLOCK)
    doubt = grid.doubted(r.rank, name)
    mark = f" {glyphs.warn}" if slow else f" {DOUBT}" if doubt else "  "
    line += f" {away:>8}" if judged else ""
    return row(
        (line, "warn" if slow or doubt else ""),
        (mark, "warn"),
        (f" {clock:>{wide_clock}}", "dim"),
    )


class RankPage(ScrolledSheet):
    """The page of one rank."""

    def __init__(self, grid: Grid, r: RankFigures, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD_ROWS, f"Rank {r.rank}")
        self._grid = grid
        self._rank = r

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return rank_rows(self._grid, self._rank, cells, self.glyphs)
