"""A fleet as rows of text: what came, the spread of each figure, the slow ones, the links."""

from __future__ import annotations

from roofwatch.session.fleet.doubted import doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.link_figures import slow_links
from roofwatch.session.fleet.missing_links import NO_LINKS
from roofwatch.session.fleet.outliers import Outlier, outliers
from roofwatch.session.fleet.rank_figures import CLOCK_HELD
from roofwatch.session.fleet.slow_ranks import Slow, slow_ranks
from roofwatch.session.fleet.spreads import Metric, kinds, metrics
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.fleet.doubt_rows import DOUBT, doubt_rows, told_of_slow
from roofwatch.tui.fleet.fleet_context import context_rows
from roofwatch.tui.fleet.fleet_head import head_rows
from roofwatch.tui.fleet.link_rows import link_rows

MOST_SLOW, MOST_TROUBLED, MOST_NODES, MOST_MISSING = 5, 3, 6, 12
LEAST_NAME, OTHER_CELLS = 24, 44  # cells of a figure's name, and of the columns behind it
COLUMNS = (
    "limit: a rank further under the median (of two ranks: under the faster) is slow, {warn} by "
    "how much"
)
CLOCK = "; a low clock counts only with a low rate"
DOUBTED = f"; {DOUBT} a rank's own record doubts it"


def fleet_rows(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    """The whole report; it fits a screen however many ranks there are."""
    found = metrics(fleet)
    named = outliers(fleet, found)
    slow, doubts = slow_ranks(fleet, named), doubted(fleet)
    doubt = doubt_rows(fleet, doubts, told_of_slow(slow[:MOST_SLOW], named), cells, glyphs)
    return [
        *head_rows(fleet, slow, slow_links(fleet), cells, glyphs),
        *context_rows(fleet, cells),
        *_troubled(fleet, cells, glyphs),
        *_spread(fleet, found, named, doubted_figures(doubts), cells, glyphs),
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


def _spread(
    fleet: Fleet,
    found: list[Metric],
    named: list[Outlier],
    doubts: set[tuple[int, str]],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    if not found:
        return []
    one = all(m.spread.count == 1 for m in found)
    longest = max(len(f"{shown(m.name)}, {m.unit}") for m in found)
    wide = max(min(max(LEAST_NAME, longest), cells - OTHER_CELLS), 8)
    head = f" {'':<{wide}} {'median':>8}"
    head += "" if one else f" {'min':>8} {'max':>8} {'limit':>6}  slowest"
    out = [row(""), row((head, "dim"))]
    several, device, questioned = len(kinds(fleet)) > 1, "", False
    for m in found:
        if several and m.device != device:
            device = m.device
            out.append(row((f" {head_of(shown(device), cells - 1, glyphs.ellipsis)}", "title")))
        worst = [o.under for o in named if o.metric == m.name and o.rank in m.ranks]
        mark = _mark(m, max(worst, default=None), doubts, glyphs)
        questioned = questioned or mark[0] == DOUBT
        out.append(row(_metric(m, wide, one, glyphs), *([] if one else [mark])))
    if one:
        return out
    clock = CLOCK if any(m.name == CLOCK_HELD for m in found) else ""
    return [
        *out,
        *wrapped(
            COLUMNS.format(warn=glyphs.warn) + clock + DOUBTED * questioned, cells, "dim", " "
        ),
    ]


def _metric(m: Metric, wide: int, one: bool, glyphs: Glyphs) -> str:
    s = m.spread
    unit = m.unit.replace("°", glyphs.degree)
    name = head_of(f"{shown(m.name)}, {unit}", wide, glyphs.ellipsis)
    text = f" {name:<{wide}} {significant(s.median):>8}"
    if one:
        return text
    limit = f"{m.slow_under * 100:.2g} %" if m.slow_under is not None else ""
    return f"{text} {significant(s.low):>8} {significant(s.high):>8} {limit:>6}  "


def _mark(
    m: Metric, worst: float | None, doubts: set[tuple[int, str]], glyphs: Glyphs
) -> tuple[str, str]:
    if worst is not None:
        return f"{glyphs.warn} {_share(worst)}", "warn"
    if any((rank, m.name) in doubts for rank in m.ranks):
        return DOUBT, "warn"
    return (glyphs.ok, "ok") if m.judged and m.spread.count > 1 else ("", "")


def _share(under: float) -> str:
    """Two digits at least: a stream is slow from 0.3 % on."""
    return f"{under * 100:.2g} %" if under < 0.1 else f"{under * 100:.0f} %"


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
        f"{shown(o.metric)} {significant(o.value)} {o.unit}, {_share(o.under)} under {against} "
        f"{significant(o.median)}"
    )
    if o.deviations is not None:
        return f"{text} ({o.deviations:.1f} robust deviations)"
    return f"{text}; {o.doubt}"


def _notes(fleet: Fleet, cells: int, glyphs: Glyphs) -> list[Row]:
    notes = [note for note in fleet.notes if not note.text.startswith(NO_LINKS)]  # told there
    out: list[Row] = [row("")] if notes else []
    for note in notes:
        out += hung(f" {glyphs.note} ", shown(note.text), cells)
    return out
