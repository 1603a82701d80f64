"""The spread of a fleet's figures as a table, and what in it could not be judged."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_scale import fleet_scale
from roofwatch.session.fleet.outliers import HALVED, Outlier
from roofwatch.session.fleet.rank_figures import CLOCK_HELD
from roofwatch.session.fleet.spreads import Metric, floor_of, kinds
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import RateScale
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import NOT_READ
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.fleet.doubt_rows import DOUBT
from roofwatch.tui.fleet.fleet_grid import against
from roofwatch.tui.fleet.held_name import held_name

LEAST_NAME, OTHER_CELLS = 24, 44  # cells of a figure's name, and of the columns behind it
APART_CELLS = 5  # more, where a mark says how far ranks lie apart
MOST_FAR, MOST_LACKING = 3, 4
COLUMNS = (
    "limit: a rank further under the median (of two ranks: under the faster) is slow, {warn} by "
    "how much"
)
HALF = "; one at half of the best or less too, {warn} by how much under the best"
CLOCK = "; a low clock counts only with a low rate"
DOUBTED = f"; {DOUBT} a rank's own record doubts it"


def spread_rows(
    fleet: Fleet,
    found: list[Metric],
    named: list[Outlier],
    doubts: set[tuple[int, str]],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """A row a figure; then which ranks lie too far apart, and what not every rank has."""
    if not found:
        return []
    one, scale = all(m.spread.count == 1 for m in found), fleet_scale(fleet)
    units = {id(m): scale.named(m.unit).replace("°", glyphs.degree) for m in found}
    names = {id(m): f"{shown(held_name(m.name, fleet))}, {units[id(m)]}" for m in found}
    other = OTHER_CELLS + APART_CELLS * any(m.too_far for m in found)
    wide = max(min(max(LEAST_NAME, *map(len, names.values())), cells - other), 8)
    head = f" {'':<{wide}} {against(found):>8}"
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
        name = head_of(names[id(m)], wide, glyphs.ellipsis)
        out.append(row(f" {name:<{wide}}{_figures(m, one, scale)}", *([] if one else [mark])))
    if one:
        return out
    clock = CLOCK if any(m.name == CLOCK_HELD for m in found) else ""
    half = HALF if any(o.doubt == HALVED for o in named) else ""
    said = (COLUMNS + half).format(warn=glyphs.warn) + clock + DOUBTED * questioned
    out += wrapped(said, cells, "dim", " ")
    return [*out, *_lacking(found, cells, glyphs), *_far(fleet, found, cells, glyphs)]


def _figures(m: Metric, one: bool, scale: RateScale) -> str:
    s, factor = m.spread, scale.factor_of(m.unit)
    text = f" {significant(m.against * factor):>8}"
    if one:
        return text
    ends = [significant(x * factor) if s.count > 1 else "" for x in (s.low, s.high)]
    limit = share_said(m.slow_under) if m.slow_under is not None else ""
    return f"{text} {ends[0]:>8} {ends[1]:>8} {limit:>6}  "


def _mark(
    m: Metric, worst: float | None, doubts: set[tuple[int, str]], glyphs: Glyphs
) -> tuple[str, str]:
    if worst is not None:
        return f"{glyphs.warn} {share_said(worst)}", "warn"
    if m.too_far:
        return f"{glyphs.warn} {share_said(m.apart or 0.0)} apart", "warn"
    if any((rank, m.name) in doubts for rank in m.ranks):
        return DOUBT, "warn"
    if m.comparable:
        return glyphs.ok, "ok"
    return ("1 rank" if m.spread.count == 1 else NOT_READ) if m.judged else "", "dim"


def share_said(under: float) -> str:
    """Two digits at least: a stream is slow from 0.3 % on."""
    return f"{under * 100:.2g} %" if under < 0.095 else f"{under * 100:.0f} %"


def _lacking(found: list[Metric], cells: int, glyphs: Glyphs) -> list[Row]:
    """Figures that not every rank with such a card has."""
    some = [
        f"{shown(m.name)} ({m.spread.count} of {m.of_kind})"
        for m in found
        if m.judged and m.spread.count < m.of_kind
    ]
    if not some:
        return []
    rest = len(some) - MOST_LACKING
    said = ", ".join(some[:MOST_LACKING]) + (f" and {rest} more" if rest > 0 else "")
    return hung(f" {glyphs.note} ", f"not every rank has: {said}", cells, of_head="note")


def _far(fleet: Fleet, found: list[Metric], cells: int, glyphs: Glyphs) -> list[Row]:
    """Figures in which ranks lie too far apart to call one of them slow."""
    far = [m for m in found if m.too_far]
    if not far:
        return []
    some = []
    for m in far[:MOST_FAR]:
        like = share_said(floor_of(m.unit, fleet.ranks[m.ranks[0]].kind))
        name = shown(held_name(m.name, fleet))
        some.append(f"{name} {share_said(m.apart or 0.0)} (like ones up to {like})")
    rest = len(far) - MOST_FAR
    said = "ranks lie too far apart to name a slow one: " + ", ".join(some)
    said += f" and {rest} more (--json names all)" if rest > 0 else ""
    return hung(f" {glyphs.warn} ", said, cells, of_head="warn")
