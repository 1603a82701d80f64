"""The links of a fleet as rows of text: collectives, the third roof, overlap, slow links."""

from __future__ import annotations

from collections.abc import Mapping

from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.time_said import time_said
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_scale import fleet_scale
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD
from roofwatch.session.fleet.link_figures import (
    Collective,
    collective,
    link_gbs,
    link_roofs,
    overlapped,
    slow_links,
)
from roofwatch.session.fleet.link_nominals import (
    BY_CARD,
    BY_DRIVER,
    BY_RATE,
    LinkNominal,
    link_nominals,
)
from roofwatch.session.fleet.missing_links import missing_links
from roofwatch.session.fleet.spreads import kinds
from roofwatch.session.link_names import LINK_NAMES
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.fitting_columns import filled, fitting
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.drawing.told_apart import told_apart
from roofwatch.tui.fleet.third_roof import third_roof
from roofwatch.tui.fleet.wide_rows import wide_rows

DOUBTED = " (that rate is not to be believed: a rank's own record doubts it)"
OP_CELLS, MOST_OP_CELLS = 19, 40
CELLS = {
    "latency": 8,
    "at size": 9,  # "1000 KiB" and a blank
    "bus GB/s": 9,
    "share": 6,
    "alpha": 8,
    "beta": 7,
    "fit off": 8,
}
GIVE_WAY = ("fit off", "beta", "alpha", "at size", "latency")
MOST_GROUPS, MOST_LINKS = 4, 6
TERMS = {
    "latency": "latency: of the smallest size.",
    "bus GB/s": "bus GB/s: what each link carries, at its best size.",
    "share": "share: of the nominal rate.",
    "alpha": "alpha + size / beta: the line through all sizes.",
    "beta": "beta: GB/s of the collective's own bytes (algorithm bandwidth), which may exceed the "
    "nominal rate.",
    "fit off": "fit off: how far the times lie from it.",
}
HOW = {
    BY_DRIVER: " by the driver's word",
    BY_RATE: " by its rate",
    BY_CARD: ", as the card has no NVLink",
}


def link_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """All of it; in place of it why no link was measured."""
    missing = missing_links(fleet)
    if missing:
        return [row(""), *hung(" links: ", shown(missing), cells, of_head="dim")]
    sold = link_nominals(fleet)
    out = [row("")]
    if fleet.collectives:
        out += [*_collectives(fleet, sold, cells, glyphs), *wide_rows(fleet, cells)]
    out += _nominal(fleet, sold, cells)
    scale = fleet_scale(fleet)
    drawn: list[Row] = []
    several = len(kinds(fleet)) > 1
    for roof in link_roofs(fleet):
        if roof.group == WORLD and len(fleet.nodes) > 1:
            continue
        where = {WITHIN: "within a node", BETWEEN: "between nodes"}.get(roof.group, "all ranks")
        whose = f"{shown(roof.device)}'s {roof.peak_key}" if several else roof.peak_key
        said = (
            f"{where} {significant(roof.bus_gbs)} GB/s each way: {whose} "
            f"{significant(roof.peak_tflops * scale.factor)} {scale.of(roof.peak_key)} need "
            f"{significant(roof.ridge)} FLOP per byte sent{DOUBTED if roof.doubted else ''}"
        )
        out += hung(" third roof: ", said, cells, of_head="dim")
        drawn = third_roof(roof, cells, glyphs, scale)  # of several the last: the widest
    out += [*drawn, *_overlap(fleet, cells), *_pairs(fleet, sold, cells, glyphs)]
    return micro([*out, *slow_link_rows(fleet, cells, glyphs)], glyphs)


def slow_link_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """The slow links by name, as many as there is room for in a report."""
    slow = slow_links(fleet)
    out: list[Row] = []
    for each in slow[:MOST_LINKS]:
        out += hung(f" {glyphs.warn} ", shown(each.text), cells, of_head="warn")
    if len(slow) > MOST_LINKS:
        out.append(row((f"   and {len(slow) - MOST_LINKS} more links (--json names all)", "dim")))
    return out


def _collectives(
    fleet: Fleet, sold: dict[str, LinkNominal], cells: int, glyphs: Glyphs
) -> list[Row]:
    known = any(each.gbs for each in sold.values())  # else there is no column of shares
    every = {name: size for name, size in CELLS.items() if known or name != "share"}
    columns = fitting(every, GIVE_WAY, cells - 1 - OP_CELLS)
    wide = min(max(OP_CELLS, cells - 1 - sum(columns.values())), MOST_OP_CELLS)
    groups = [c for c in map(collective, fleet.collectives) if c.group == WORLD]
    counts = {c.ranks for c in groups}
    of = f"collective, {counts.pop()} ranks" if len(counts) == 1 else "collective"
    head = f" {head_of(of, wide, glyphs.ellipsis):<{wide}}"
    out = [row((head + filled({c: c for c in columns}, columns), "dim"))]
    within = [c for c in map(collective, fleet.collectives) if c.group == WITHIN]
    between = [c for c in map(collective, fleet.collectives) if c.group == BETWEEN]
    within.sort(key=lambda c: c.best_bus_gbs or 0.0)  # the slowest nodes are told
    told = [*groups, *within[:MOST_GROUPS], *between]
    names = told_apart([_named(c, wide) for c in told], wide, glyphs.ellipsis)
    for c, name in zip(told, names, strict=True):
        out.append(_collective(c, name, sold.get(c.group), columns, wide))
    if len(within) > MOST_GROUPS:
        rest = len(within) - MOST_GROUPS
        out.append(row((f"   and {rest} nodes whose all_reduce is faster", "dim")))
    return [*out, *wrapped(" ".join(TERMS[c] for c in columns if c in TERMS), cells, "dim", " ")]


def _named(c: Collective, wide: int) -> str:
    between = ", between nodes" if len(c.op) + len(", between nodes") <= wide else ", between"
    where = {WORLD: "", BETWEEN: between}.get(c.group, f", {shown(c.node)}")
    return f"{shown(c.op)}{where}"


def _collective(
    c: Collective, name: str, sold: LinkNominal | None, columns: Mapping[str, int], wide: int
) -> Row:
    if not c.sizes:
        return row(f" {name:<{wide}} ", (shown(c.status or "not measured"), "note"))
    best = max(c.sizes, key=lambda s: s.bus_gbs)
    texts = {
        "latency": time_said(c.sizes[0].time_s),
        "at size": size_said(best.bytes),
        "bus GB/s": significant(best.bus_gbs),
        "share": percent(sold.share(best.bus_gbs) if sold else None),
        "alpha": time_said(c.fit.alpha_s) if c.fit else "",
        "beta": significant(c.fit.beta_gbs) if c.fit else "",
        "fit off": percent(c.fit.residual) if c.fit else "",
    }
    return row(f" {name:<{wide}}{filled(texts, columns)}".rstrip())


def _nominal(fleet: Fleet, sold: dict[str, LinkNominal], cells: int) -> list[Row]:
    out: list[Row] = []
    several = len(fleet.nodes) > 1
    for group, where in ((WITHIN, "within a node "), (BETWEEN, "between nodes ")):
        each = sold[group]
        if group == BETWEEN and not several:
            continue
        if group == WITHIN and several and not any(x.group == WITHIN for x in fleet.links):
            continue
        if each.gbs is None:
            said = f"{where if several else ''}not known ({each.why})"
        else:
            said = (
                f"{where if several else ''}{LINK_NAMES[each.link]}{HOW[each.how]}, "
                f"{significant(each.gbs)} GB/s each way, all links of a card"
            )
        if each.gbs is not None and each.carried_gbs is not None:
            said += (
                f"; carried at least {significant(each.carried_gbs)}, "
                f"{percent(each.of_nominal)} ({shown(each.carried_by)})"
            )
        out += hung(" nominal: ", said, cells, of_head="dim")
    return out


def _overlap(fleet: Fleet, cells: int) -> list[Row]:
    o = overlapped(fleet)
    if o is None:
        return []
    said = (
        f"matmuls {time_said(o.compute_s)}, all-reduce {time_said(o.link_s)}, together "
        f"{time_said(o.together_s)}: {max(0.0, min(1.0, o.hidden)) * 100:.0f} % of the shorter one "
        f"is hidden (all of it: {time_said(o.longer_s)}, none: {time_said(o.sum_s)})"
    )
    return hung(" overlap: ", said, cells, of_head="dim")


def _pairs(fleet: Fleet, sold: dict[str, LinkNominal], cells: int, glyphs: Glyphs) -> list[Row]:
    rates = link_gbs(fleet)
    out: list[Row] = []
    for group, said in ((WITHIN, "within nodes"), (BETWEEN, "between nodes")):
        of = [rates[x.a, x.b] for x in fleet.links if x.group == group and (x.a, x.b) in rates]
        least = [x.latency_s for x in fleet.links if x.group == group and x.latency_s]
        if not of:
            continue
        text = f"{len(of)} {said}, {_range([significant(g) for g in (min(of), max(of))], glyphs)}"
        shares = [percent(sold[group].share(g)) for g in (min(of), max(of))]
        sizes = sorted({x.size_bytes for x in fleet.links if x.group == group and x.time_s})
        text += f" GB/s at {_range([size_said(s) for s in (sizes[0], sizes[-1])], glyphs)}"
        text += f", {_range(shares, glyphs)} of nominal" if sold[group].gbs else ""
        if least:
            text += f", latency {_range([time_said(t) for t in (min(least), max(least))], glyphs)}"
        out += hung(" pairs: ", text, cells, of_head="dim")
    return out


def _range(ends: list[str], glyphs: Glyphs) -> str:
    """From one to the other; one of two that read alike."""
    return f" {glyphs.dash} ".join(dict.fromkeys(ends))


def rank_link_rows(fleet: Fleet, rank: int, most: int) -> list[str]:
    """A rank's pairs in words, the slowest first."""
    rates, sold, named = link_gbs(fleet), link_nominals(fleet), slow_links(fleet)
    found = []
    for x in fleet.links:
        gbs = rates.get((x.a, x.b))
        if gbs is None or rank not in (x.a, x.b):
            continue
        other = x.b if rank == x.a else x.a
        place = fleet.ranks[other].who if other in fleet.ranks else f"rank {other}"
        said = f"to {place} {significant(gbs)} GB/s"
        if (share := sold[x.group].share(gbs) if x.group in sold else None) is not None:
            said += f", {percent(share)} of nominal"
        slow = next((s for s in named if s.ranks == (x.a, x.b)), None)
        if slow is not None:
            said += f", {slow.times:.1f} times slower than the others"
        found.append((gbs, said))
    return [said for _, said in sorted(found)[:most]]
