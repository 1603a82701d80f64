"""Several cards on paper: by what they meet, what a step exchanges, where more stop paying."""

from __future__ import annotations

from roofwatch.session.plan import Plan
from roofwatch.session.plan_parallel import GIVEN, MEASURED, NVLINK, PCIE, ScalePoint
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.plan.plan_rows import duration

WORDS = {NVLINK: "NVLink", PCIE: "PCIe", GIVEN: "given", MEASURED: "measured"}


def said_of_cards(p: Plan) -> str:
    """The link in a few words."""
    late = f", {duration(p.peer_latency_s)} an all-reduce" if p.peer_latency_s else ""
    return f"{p.tp} over {figure(p.peer_gbs)} GB/s ({WORDS.get(p.peer_from, p.peer_from)}){late}"


def ends_at(p: Plan, batch: int) -> str:
    """Up to how many cards a step of that batch becomes a tenth shorter each time."""
    most, last = p.pays_to[batch], max(x.tp for x in p.scaling)
    return f"pays up to the {most} shown" if most == last else f"stops paying at {most}"


def scaling_rows(p: Plan, cells: int) -> list[Row]:
    """The table of other numbers of cards, a block a batch; none for one card."""
    if not p.scaling:
        return []
    rows = [row("")]
    for batch in sorted(p.pays_to):
        title = f"on more cards, batch {batch}: {ends_at(p, batch)} (a tenth off each time)"
        rows += wrapped(title, cells - 1, "dim", " ")
        head = f"   {'cards':>5}{'step':>10}{'exchanged':>11}{'tokens/s':>10}{'speedup':>9}"
        rows.append(row((f"{head}{'each worth':>12}{'  prefill':>10}", "dim")))
        rows += [_split(x, p) for x in p.scaling if x.batch == batch]
    return rows


def _split(x: ScalePoint, p: Plan) -> Row:
    line = f"   {x.tp:>5}{duration(x.step_s):>10}{duration(x.comm_s) if x.comm_s else '-':>11}"
    line += f"{figure(x.tokens_per_s):>10}{x.speedup:>8.2f}x{percent(x.efficiency):>12}"
    line += f"{duration(x.prefill_s):>10}"
    style = "" if x.fits else "dim"
    tail = "" if x.fits else "  no room"
    return row((line, "strong" if x.tp == p.tp and x.fits else style), (tail, "dim"))
