"""A fleet as rows of text: what came, the spread of each figure, the slow ones, the links."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import DONE
from roofwatch.session.fleet.outliers import Outlier, outliers
from roofwatch.session.fleet.slow_ranks import Slow, slow_ranks
from roofwatch.session.fleet.spreads import Metric, kinds, metrics
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row
from roofwatch.tui.fleet.fleet_head import head_rows
from roofwatch.tui.printed.fleet_link_rows import link_rows

MOST_SLOW, MOST_TROUBLED, MOST_NODES = 5, 4, 6
NAME_CELLS = 24


def fleet_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole report; it fits a screen however many ranks there are."""
    found = metrics(fleet)
    slow = slow_ranks(fleet, outliers(fleet, found))
    return [
        *head_rows(fleet, slow, cells, glyphs),
        *_troubled(fleet, cells, glyphs),
        *_spread(fleet, found, cells, glyphs),
        *_slow(fleet, slow, cells, glyphs),
        *link_rows(fleet, cells, glyphs),
        *_notes(fleet, cells, glyphs),
    ]


def _troubled(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    troubled = fleet.troubled
    out: list[Row] = []
    for r in troubled[:MOST_TROUBLED]:
        state = r.state if r.state != DONE else "not whole"
        why = r.why or (r.faults[0] if r.faults else "its session is incomplete")
        head = f" {glyphs.wrong} {shown(r.place)} (rank {r.rank}) "
        out += hung(head, f"{state}: {shown(why)}", cells, of_head="wrong")
    if len(troubled) > MOST_TROUBLED:
        out.append(row((f"   and {len(troubled) - MOST_TROUBLED} more (--json names all)", "dim")))
    return out


def _spread(fleet: Fleet, found: list[Metric], cells: int, glyphs: Glyphs) -> list[Row]:
    if not found:
        return []
    one = all(m.spread.count == 1 for m in found)
    name_cells = min(max(NAME_CELLS, cells - 56), 40)
    head = f" {'':<{name_cells}} {'median':>8}"
    head += "" if one else f" {'min':>8} {'max':>8} {'deviation':>9}  under"
    out = [row(""), row((head, "dim"))]
    several, device = len(kinds(fleet)) > 1, ""
    for m in found:
        if several and m.device != device:
            device = m.device
            out.append(row((f" {shown(device)}", "title")))
        out.append(_metric(m, name_cells, one, glyphs))
    return out


def _metric(m: Metric, name_cells: int, one: bool, glyphs: Glyphs) -> Row:
    s = m.spread
    name = head_of(f"{shown(m.name)}, {m.unit}", name_cells, glyphs.ellipsis)
    text = f" {name:<{name_cells}} {figure(s.median):>8}"
    if one:
        return row(text)
    share = f"{s.deviation / s.median * 100:.2g} %" if s.median else "n/a"
    text += f" {figure(s.low):>8} {figure(s.high):>8} {share:>9}  "
    if not m.judged:
        return row(text)
    under = s.count >= 3 and s.low < s.median - s.limit * s.deviation
    if under or m.split is not None:
        worst = 1 - s.low / (s.median if under else m.split.fast_median if m.split else s.median)
        return row(text, (f"{glyphs.warn} {worst * 100:.0f} %", "warn"))
    return row(text, (glyphs.ok, "ok"))


def _slow(fleet: Fleet, slow: list[Slow], cells: int, glyphs: Glyphs) -> list[Row]:
    if not slow:
        return []
    out = [row("")]
    for each in slow[:MOST_SLOW]:
        said = f"{shown(each.who)}: {outlier_said(each.worst)}"
        if each.others:
            said += f"; {len(each.others)} more {'figure' if len(each.others) == 1 else 'figures'}"
        out += hung(f" {glyphs.warn} ", said, cells, of_head="warn")
        why = each.worst.reason
        out += hung("     ", f"{shown(why.code)}: {shown(why.text)}", cells, "dim")
    if len(slow) > MOST_SLOW:
        out.append(row((f"   and {len(slow) - MOST_SLOW} more (--json names all)", "dim")))
    if len(fleet.nodes) > 1:
        out += _by_node(fleet, slow, cells)
    return out


def _by_node(fleet: Fleet, slow: list[Slow], cells: int) -> list[Row]:
    """Nodes that have a slow rank, those with the most first."""
    ranks = {r for s in slow for r in s.ranks}
    counts = {
        node: f"{sum(r.rank in ranks for r in of)} of {len(of)}"
        for node, of in fleet.nodes.items()
        if any(r.rank in ranks for r in of)
    }
    order = sorted(counts, key=lambda node: -int(counts[node].split()[0]))
    said = ", ".join(f"{shown(node)} {counts[node]}" for node in order[:MOST_NODES])
    rest = len(order) - MOST_NODES
    return hung(" slow by node: ", said + (f" and {rest} more" if rest > 0 else ""), cells, "dim")


def outlier_said(o: Outlier) -> str:
    """One slow figure with its numbers."""
    against = "the median" if not o.doubt else "the faster"
    text = (
        f"{shown(o.metric)} {figure(o.value)} {o.unit}, {o.under * 100:.0f} % under {against} "
        f"{figure(o.median)}"
    )
    if o.deviations is not None:
        return f"{text}; {o.deviations:.1f} robust deviations"
    return f"{text}; {o.doubt}"


def _notes(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    out: list[Row] = [row("")] if fleet.notes else []
    for note in fleet.notes:
        out += hung(f" {glyphs.note} ", shown(note.text), cells)
    return out
