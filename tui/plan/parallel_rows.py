"""Several cards on paper: by what they meet, what a step exchanges, where more stop paying."""

from __future__ import annotations

from roofwatch.roofline.parallel import PAYS
from roofwatch.session.link_names import LINK_NAMES
from roofwatch.session.plan import NONE, Plan
from roofwatch.session.plan_parallel import GIVEN, MEASURED, ScalePoint
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.drawing.significant import rate
from roofwatch.tui.plan.plan_rows import duration, fit_off, latency_said, of_one_link

UNCOUNTED = "none counted: an upper bound"
PAYS_SAID = "More cards pay while each row's step is a tenth or more shorter than the one above."
UNKNOWN = "--link-latency gives one"
WORDS = {**LINK_NAMES, GIVEN: "given", MEASURED: "measured"}


def said_of_cards(p: Plan) -> str:
    """The link in a few words."""
    return f"{p.tp} over {figure(p.peer_gbs)} GB/s ({WORDS.get(p.peer_from, p.peer_from)})"


def bounded(p: Plan, most: int) -> bool:
    """Whether so many cards pay at most: their latency, or what is more of it, is not counted."""
    if p.latency_from == NONE:
        return most > 1
    return 0 < p.latency_most < most


def charged_more(p: Plan, most: int) -> bool:
    """Whether the next number of cards is charged with the latency of more than it has: that it
    does not pay is then no sure thing."""
    after = min((x.tp for x in p.scaling if x.tp > most), default=0)
    return 0 < after < p.latency_cards and of_one_link(p, after)


def ends_at(p: Plan, batch: int) -> str:
    """Up to how many cards a step of that batch becomes a tenth shorter each time.

    Without a latency, or by that of fewer cards, it is an upper bound, by that of more cards a
    lower one, and stands so beside it.
    """
    most, last = p.pays_to[batch], max(x.tp for x in p.scaling)
    said = f"pays up to the {most} shown" if most == last else f"stops paying at {most}"
    said = f"{said} at most" if bounded(p, most) else said
    said = f"{said} at the earliest" if charged_more(p, most) else said
    return f"{said}{later(p, batch)}"


def later(p: Plan, batch: int) -> str:
    """Where more cards bring a tenth after all, though the next number of them did not."""
    most = p.pays_to[batch]
    rows = [x for x in p.scaling if x.batch == batch]
    stop = next(x for x in rows if x.tp == most)
    best = min((x for x in rows if x.tp > most), key=lambda x: x.step_s, default=stop)
    if best.step_s > stop.step_s * (1 - PAYS):
        return ""
    return f", though {best.tp} are {stop.step_s / best.step_s:.2f}x as fast as {most}"


def even_said(p: Plan, batch: int) -> str:
    """From which latency on the plan's cards are no faster than one; empty for one card."""
    of = next((x for x in p.scaling if (x.tp, x.batch) == (p.tp, batch)), None)
    if of is None or of.break_even_s is None:
        return ""
    if not of.break_even_s:
        return "no faster than one even without any"
    return f"no faster than one from {duration(of.break_even_s)} an all-reduce on"


def scaling_rows(p: Plan, cells: int) -> list[Row]:
    """The table of other numbers of cards, a block a batch; none for one card."""
    if not p.scaling:
        return []
    rows = [row(""), *wrapped(PAYS_SAID, cells - 1, "dim", " ")]
    for batch in sorted(p.pays_to):
        title = f"on more cards, batch {batch}: {ends_at(p, batch)}{_why_at_most(p, batch)}"
        rows += wrapped(title, cells - 1, "strong", " ")
        rows += wrapped(_of_latency(p, batch), cells - 3, _style(p, batch), "   ")
        head = f"   {'cards':>5}{'step':>10}{'exchanged':>11}{'tokens/s':>10}{'speedup':>9}"
        rows.append(row((f"{head}{'each worth':>12}{'  prefill':>10}", "dim")))
        rows += [_split(x, p) for x in p.scaling if x.batch == batch]
    return rows


def _why_at_most(p: Plan, batch: int) -> str:
    """By the latency of fewer or more cards; that none is counted stands in the line below."""
    most = p.pays_to[batch]
    if charged_more(p, most):
        return f", by the latency of {p.latency_cards} cards"
    if p.latency_from == NONE or not bounded(p, most):
        return ""
    return f", by the latency of {p.latency_most} cards"


def _of_latency(p: Plan, batch: int) -> str:
    """What latency does to that: counted, or not; and from where on the cards are in vain."""
    even = even_said(p, batch)
    cards = f"{p.tp} cards are {even}" if even else ""
    if p.latency_from == NONE:
        return f"with no latency counted, an upper bound: {cards or UNKNOWN}"
    return f"with {latency_said(p)}; {cards}" if cards else f"with {latency_said(p)}"


def _style(p: Plan, batch: int) -> str:
    unsure = p.latency_from == NONE or fit_off(p) or bounded(p, p.pays_to[batch])
    unsure = unsure or charged_more(p, p.pays_to[batch])
    return "warn" if unsure else "dim"


def _split(x: ScalePoint, p: Plan) -> Row:
    line = f"   {x.tp:>5}{duration(x.step_s):>10}{duration(x.comm_s) if x.comm_s else '-':>11}"
    line += f"{rate(x.tokens_per_s):>10}{x.speedup:>8.2f}x{percent(x.efficiency):>12}"
    line += f"{duration(x.prefill_s):>10}"
    style = "" if x.fits else "dim"
    tail = "" if x.fits else "  no room"
    return row((line, "strong" if x.tp == p.tp and x.fits else style), (tail, "dim"))
