"""What a plan says beside its fields: ridge, bytes, b*, what ends batching; a line a figure."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.decode import at_roof
from roofwatch.session.plan import MEASURED, NOMINAL, NONE, Plan
from roofwatch.tui.drawing.numbers import figure, money
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, width
from roofwatch.tui.drawing.significant import significant
from roofwatch.tui.plan.parallel_rows import (
    UNCOUNTED,
    bounded,
    even_said,
    later,
    said_of_cards,
)
from roofwatch.tui.plan.plan_rows import (
    cheapest,
    duration,
    fit_off,
    latency_beyond,
    latency_of,
    least_said,
    peak_said,
    size,
    tenth,
    under,
)

LABEL = 10


def figures(p: Plan, cells: int) -> list[Row]:
    """A line a figure, each with as much beside it as there is room for, whole.

    What begins with a blank goes on without a comma.
    """
    said: list[tuple[str, list[str], str]] = [
        ("ridge", _ridge(p), ""),
        ("weights", [size(p.weights_bytes), *_each(p), _loading(p), _params(p)], ""),
        ("KV cache", [f"{p.kv_bytes_per_token:,} B a token", _sequence(p)], ""),
        ("AI_max", [f"{significant(p.ai_max)} FLOP/byte", "the most that any batch reaches"], ""),
        ("b*", _b_star(p), ""),
        ("memory", _memory(p), ""),
        ("limit", _limit(p), "reason"),
        ("floor", _floor(p), ""),
        ("Mtok", _cost(p), "ok" if p.cost_per_mtok is not None else "dim"),
    ]
    if p.tp > 1:
        said.append(("cards", _cards(p), ""))
        said.append(("latency", _latency(p), _late_style(p)))
        said.append(("pays", _pays(p), ""))
    return [_figure(name, parts, style, cells) for name, parts, style in said]


def _figure(name: str, parts: Sequence[str], style: str, cells: int) -> Row:
    first, rest = _words(parts[0], cells - LABEL), [part for part in parts[1:] if part]
    pieces: list[Piece] = [(f"{name:<{LABEL}}", "dim"), (first, style or "strong")]
    if first != parts[0]:
        rest = []
    for part in rest:
        part = part if part.startswith(" ") else f", {part}"
        if width(pieces) + len(part) > cells:
            break
        pieces.append((part, ""))
    return fit(pieces, cells)


def _words(text: str, cells: int) -> str:
    """As many words as there is room for: a figure is whole, or not there."""
    words = text.split(" ")
    while len(words) > 1 and len(" ".join(words)) > cells:
        words.pop()
    return " ".join(words)


def _ridge(p: Plan) -> list[str]:
    of = f" {p.peak_key}" if p.peak_key else ""  # another precision has another ridge
    parts = [f"{figure(p.ridge)} FLOP/byte{of}", p.figures]
    if p.figures != NOMINAL and p.ridge_nominal is not None:
        parts[1] += f" (nominal {figure(p.ridge_nominal)})"
    flat = f" {p.peak_flat}" if p.peak_from == MEASURED else ""
    return [*parts, f"{peak_said(p)}{flat} over {figure(p.bandwidth_gbs)} GB/s"]


def _each(p: Plan) -> list[str]:
    """What one of several cards holds of the weights."""
    return [f"{size(p.weights_bytes / p.tp)} a card"] if p.tp > 1 else []


def _params(p: Plan) -> str:
    return f"{p.params:,} parameters"


def _loading(p: Plan) -> str:
    return f"loads in {duration(p.load_s)}" if p.load_s is not None else ""


def _sequence(p: Plan) -> str:
    return f"{size(p.kv_bytes_per_token * p.context)} a sequence"


def _b_star(p: Plan) -> list[str]:
    """The first whole batch that is there, as the table has it, then b* itself."""
    if p.b_star is None:
        return ["never", under(p, "AI_max is left of the ridge", "AI_max is at the ridge")]
    return [f"batch {at_roof(p.b_star)}", f"the first at the ridge: {tenth(p.b_star)}"]


def _memory(p: Plan) -> list[str]:
    if p.memory_bytes is None or p.batch_memory_cap is None:
        return ["not known", "no batch is too large"]
    shared = f", {p.memory_shared_by} of one host" if p.memory_shared_by else ""
    of = f" a card, {p.tp} cards{shared}" if p.tp > 1 else ""
    if not p.batch_memory_cap:
        return ["too small", f"{size(p.memory_bytes)}{of} do not hold it"]
    full = f"full at batch {p.batch_memory_cap}" if p.reaches_roof else ""  # else the limit says it
    return [f"{size(p.memory_bytes)}{of}", f" ({_gib(p)})", full]


def _gib(p: Plan) -> str:
    each = " each" if p.tp > 1 else ""
    return f"{(p.memory_bytes or 0) / 2**30:.4g} GiB{each}"


def _limit(p: Plan) -> list[str]:
    """What really ends the gain from batching."""
    if p.reaches_roof:
        beyond = "the overhead is shared by more" if p.overhead_s else "no gain"
        return ["compute", f"{beyond} beyond b*"]
    if p.batch_memory_cap is None:
        return ["not known", "nor is the memory"]
    if not p.batch_memory_cap:
        return ["memory", f"it does not run on {p.tp}" if p.tp > 1 else "it does not run here"]
    never = "no batch reaches the ridge"
    if p.b_star is not None:
        never = f"b* is batch {at_roof(p.b_star)}"
    full = f"{p.tp} cards are full" if p.tp > 1 else "full"
    return ["memory", f"{full} at batch {p.batch_memory_cap}", never]


def _floor(p: Plan) -> list[str]:
    rate = figure(1 / p.decode_floor_s)
    return [f"{duration(p.decode_floor_s)} a step", f"{rate} tokens/s at batch 1"]


def _cards(p: Plan) -> list[str]:
    """By which link, and what a step exchanges."""
    last = p.curve[-1]
    return [said_of_cards(p), f"{duration(last.comm_s)} of a step at batch {last.batch}"]


def _pays(p: Plan) -> list[str]:
    """Up to how many cards each batch's step becomes a tenth shorter each time."""
    parts = []
    for batch in sorted(p.pays_to):
        most = p.pays_to[batch]
        cards = "1 card" if most == 1 else f"{most} cards"
        at_most = " at most" if bounded(p, most) else ""
        parts.append(f"to {cards}{at_most} at batch {batch}{later(p, batch)}")
    return parts


def _latency(p: Plan) -> list[str]:
    """Which latency is counted; what it is over other numbers of cards as far as there is room."""
    if p.latency_from == NONE:
        return [UNCOUNTED, even_said(p, 1)]
    said, _, of = latency_of(p).partition(" of ")
    whose = f" ({p.latency_from}{fit_off(p)})"
    least = f"at least {duration(p.peer_least_s)}" if least_said(p) else ""
    return [said, f" of {of}", whose, least, even_said(p, 1), latency_beyond(p)]


def _late_style(p: Plan) -> str:
    return "warn" if p.latency_from == NONE or fit_off(p) else ""


def _cost(p: Plan) -> list[str]:
    if p.price is None or p.cost_per_mtok is None:
        return [p.status.get("cost_per_mtok", "not known")]
    parts = [money(p.cost_per_mtok, p.price.currency), f" at batch {p.cost_batch}"]
    least, first = cheapest(p), p.curve[0]
    if least:
        parts.append(f"least {least}")
    if first.cost_per_mtok is not None and first.batch != p.cost_batch:
        parts.append(f"{money(first.cost_per_mtok, p.price.currency)} at {first.batch}")
    return parts
