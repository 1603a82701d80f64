"""A fleet as rows of text: what came, the spread of each figure, the slow ones, the links."""

from __future__ import annotations

from roofwatch.session.fleet.doubted import doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_scale import fleet_scale
from roofwatch.session.fleet.link_figures import slow_links
from roofwatch.session.fleet.missing_links import told_without_links
from roofwatch.session.fleet.outliers import Outlier, outliers
from roofwatch.session.fleet.slow_ranks import Slow, slow_ranks
from roofwatch.session.fleet.spreads import metrics
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.fleet.doubt_rows import doubt_rows, told_of_slow
from roofwatch.tui.fleet.fleet_context import context_rows
from roofwatch.tui.fleet.fleet_head import head_rows
from roofwatch.tui.fleet.link_rows import link_rows
from roofwatch.tui.printed.spread_rows import share_said, spread_rows

MOST_SLOW, MOST_TROUBLED, MOST_NODES, MOST_MISSING = 5, 3, 6, 12
MOST_FIGURES = 3  # of a slow one, beside its worst


def fleet_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole report; it fits a screen however many ranks there are."""
    found = metrics(fleet)
    named = outliers(fleet, found)
    slow, doubts = slow_ranks(fleet, named), doubted(fleet)
    doubt = doubt_rows(fleet, doubts, told_of_slow(slow[:MOST_SLOW], named), cells, glyphs)
    return [
        *head_rows(fleet, found, slow, slow_links(fleet), cells, glyphs),
        *context_rows(fleet, cells),
        *_troubled(fleet, cells, glyphs),
        *spread_rows(fleet, found, named, doubted_figures(doubts), cells, glyphs),
        *_slow(fleet, slow, cells, glyphs),
        *([row("")] if doubt and not slow else []),
        *doubt,
        *link_rows(fleet, cells, glyphs),
        *_notes(fleet, cells, glyphs),
    ]


def _troubled(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    troubled = fleet.troubled
    out: list[Row] = []
    for r in troubled[:MOST_TROUBLED]:
        out += hung(f" {glyphs.wrong} {shown(r.who)} ", shown(r.fared), cells, of_head="wrong")
    if len(troubled) > MOST_TROUBLED:
        out.append(row((f"   and {len(troubled) - MOST_TROUBLED} more (--json names all)", "dim")))
    lacking = fleet.header.world - len(fleet.ranks)
    if lacking > 0:
        some = ", ".join(map(str, fleet.missing(MOST_MISSING)))
        some += f" and {lacking - MOST_MISSING} more" if lacking > MOST_MISSING else ""
        head = f" {glyphs.wrong} {'rank' if lacking == 1 else 'ranks'} {some} "
        out += hung(head, "nothing of it is in the file", cells, of_head="wrong")
    return out


def _slow(fleet: Fleet, slow: list[Slow], cells: int, glyphs: Glyphs) -> list[Row]:
    if not slow:
        return []
    out, scale = [row("")], fleet_scale(fleet)
    for each in slow[:MOST_SLOW]:
        said = f"{shown(each.who)}: {outlier_said(each.worst, scale)}"
        others = [shown(o.metric) for o in each.others]
        if others:
            said += f"; slow too: {', '.join(others[:MOST_FIGURES])}"
            rest = len(others) - MOST_FIGURES
            said += f" and {rest} more" if rest > 0 else ""
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


def outlier_said(o: Outlier, scale: RateScale) -> str:
    """One slow figure with its numbers."""
    factor = scale.factor_of(o.unit)
    text = (
        f"{shown(o.metric)} {significant(o.value * factor)} {scale.named(o.unit)}, "
        f"{share_said(o.under)} under {o.against} {significant(o.median * factor)}"
    )
    if o.deviations is not None:
        return f"{text} ({o.deviations:.1f} robust deviations)"
    return f"{text}; {o.doubt}"


def _notes(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    notes = [note for note in fleet.notes if not told_without_links(fleet, note.text)]
    out: list[Row] = [row("")] if notes else []
    for note in notes:
        out += hung(f" {glyphs.note} ", shown(fleet.noted(note)), cells)
    return out
