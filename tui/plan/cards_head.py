"""What stands above a table of plans over several cards: by which link, and what is counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from roofwatch.session.link_names import LINK_NAMES
from roofwatch.session.plan import NONE, Plan
from roofwatch.session.plan_parallel import GIVEN, MEASURED
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.plan.plan_rows import latency_said

LINKS = {
    **{key: f"{name} as printed" for key, name in LINK_NAMES.items()},
    GIVEN: "given",
    MEASURED: "measured",
}
OF = {
    "tokens/s": "tokens/s contain what a step exchanges",
    "cap": "cap is of the cards together",
    "floor": "floor and memory are of one card",
    "weights": "weights are the whole model's",
}
"""By column, in a table over several cards."""


def uncounted(p: Plan) -> bool:
    """Whether tokens/s are an upper bound: no latency is counted, or that of fewer cards."""
    return p.latency_from == NONE or 0 < p.latency_most < p.tp


def cards_said(plans: Sequence[Plan]) -> str:
    """The number of cards of each row, their link or links, and the latency."""
    first = plans[0]
    whose = [LINKS.get(x, x) for x in dict.fromkeys(p.peer_from for p in plans)]
    rates = {p.peer_gbs for p in plans}
    link = " or ".join(whose).replace(" as printed or", " or")
    if len(rates) == 1:
        link = f"{figure(first.peer_gbs)} GB/s ({link})"
    late = "no latency counted" if first.latency_from == NONE else latency_said(first)
    bound = ": an upper bound" if uncounted(first) else ""
    return f"each over {first.tp} cards, all-reduce over {link}, {late}{bound}"


def columns_said(columns: Iterable[str]) -> str:
    """What the columns that stand there are of: the cards together, one of them, or the model."""
    return ", ".join(said for name, said in OF.items() if name in columns)
