"""The links of a fleet as rows of text: collectives, the third roof, overlap, slow links."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD
from roofwatch.session.fleet.link_figures import (
    Collective,
    collective,
    link_gbs,
    link_roofs,
    overlapped,
    slow_links,
)
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row
from roofwatch.tui.fleet.third_roof import third_roof

OP_CELLS = 27
MOST_GROUPS, MOST_LINKS = 4, 6


def link_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """All of it; nothing where no link was measured."""
    if not fleet.collectives and not fleet.links:
        return []
    out = [row(""), *_collectives(fleet, cells, glyphs)]
    drawn: list[Row] = []
    for roof in link_roofs(fleet):
        if roof.group == WORLD and len(fleet.nodes) > 1:
            continue
        where = {WITHIN: "within a node", BETWEEN: "between nodes"}.get(roof.group, "all ranks")
        said = (
            f"{where} {figure(roof.bus_gbs)} GB/s each way: {roof.peak_key} "
            f"{figure(roof.peak_tflops)} TFLOP/s need {figure(roof.ridge)} FLOP per byte sent"
        )
        out += hung(" third roof: ", said, cells, of_head="dim")
        drawn = third_roof(roof, cells, glyphs)  # of several the last: the widest
    out += drawn
    out += _overlap(fleet, cells)
    out += _links(fleet, cells, glyphs)
    return out


def _collectives(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    head = f" {'collective':<{OP_CELLS}} {'least':>9} {'size':>8} {'bus GB/s':>9} {'alpha':>9}"
    head += f" {'fit off':>8}"
    out = [row((head, "dim"))]
    groups = [c for c in map(collective, fleet.collectives) if c.group == WORLD]
    within = [c for c in map(collective, fleet.collectives) if c.group == WITHIN]
    between = [c for c in map(collective, fleet.collectives) if c.group == BETWEEN]
    within.sort(key=lambda c: c.best_bus_gbs or 0.0)  # the slowest nodes are told
    for c in (*groups, *within[:MOST_GROUPS], *between):
        out.append(_collective(c, glyphs))
    if len(within) > MOST_GROUPS:
        rest = len(within) - MOST_GROUPS
        out.append(row((f"   and {rest} nodes whose all_reduce is faster", "dim")))
    return out


def _collective(c: Collective, glyphs: Glyphs) -> Row:
    where = {WORLD: f"{c.ranks} ranks", BETWEEN: "between nodes"}.get(c.group, shown(c.node))
    name = head_of(f"{shown(c.op)}, {where}", OP_CELLS, glyphs.ellipsis)
    if not c.sizes:
        return row(f" {name:<{OP_CELLS}} ", (shown(c.status or "not measured"), "note"))
    best = max(c.sizes, key=lambda s: s.bus_gbs)
    line = f" {name:<{OP_CELLS}} {_time(c.sizes[0].time_s):>9} {_bytes(best.bytes):>8}"
    line += f" {figure(best.bus_gbs):>9}"
    if c.fit is not None:
        off = percent(c.fit.residual)
        line += f" {_time(c.fit.alpha_s):>9} {off:>8}"
    return row(line)


def _overlap(fleet: Fleet, cells: int) -> list[Row]:
    o = overlapped(fleet)
    if o is None:
        return []
    said = (
        f"matmuls {_time(o.compute_s)}, all-reduce {_time(o.link_s)}, together "
        f"{_time(o.together_s)}: {max(0.0, min(1.0, o.hidden)) * 100:.0f} % of the shorter one is "
        f"hidden (all of it: {_time(o.longer_s)}, none: {_time(o.sum_s)})"
    )
    return hung(" overlap: ", said, cells, of_head="dim")


def _links(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    rates = link_gbs(fleet)
    out: list[Row] = []
    for group, said in ((WITHIN, "within nodes"), (BETWEEN, "between nodes")):
        of = [rates[x.a, x.b] for x in fleet.links if x.group == group and (x.a, x.b) in rates]
        least = [x.latency_s for x in fleet.links if x.group == group and x.latency_s]
        if of:
            text = f"{len(of)} {said}, {figure(min(of))} {glyphs.dash} {figure(max(of))} GB/s"
            if least:
                text += f", latency {_time(min(least))} {glyphs.dash} {_time(max(least))}"
            out += hung(" pairs: ", text, cells, of_head="dim")
    slow = slow_links(fleet)
    for each in slow[:MOST_LINKS]:
        out += hung(f" {glyphs.warn} ", shown(each.text), cells, of_head="warn")
    if len(slow) > MOST_LINKS:
        out.append(row((f"   and {len(slow) - MOST_LINKS} more links (--json names all)", "dim")))
    return out


def _time(seconds: float) -> str:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= scale:
            return f"{seconds / scale:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def _bytes(size: int) -> str:
    for scale, unit in ((30, "GiB"), (20, "MiB"), (10, "KiB")):
        if size >= 1 << scale:
            return f"{size / (1 << scale):.3g} {unit}"
    return f"{size} B"
