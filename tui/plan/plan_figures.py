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
    ends_at,
    even_said,
    said_of_cards,
)
from roofwatch.tui.plan.plan_rows import (
    cheapest,
    duration,
    latency_beyond,
    latency_of,
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
        ("weights", [size(p.weights_bytes), _loading(p), f"{p.params:,} parameters"], ""),
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
    return [*parts, f"{figure(p.peak_tflops)} TFLOP/s{flat} over {figure(p.bandwidth_gbs)} GB/s"]


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
    if not p.batch_memory_cap:
        return ["too small", f"{size(p.memory_bytes)} do not hold it"]
    full = f"full at batch {p.batch_memory_cap}" if p.reaches_roof else ""  # else the limit says it
    return [size(p.memory_bytes), f" ({p.memory_bytes / 2**30:.4g} GiB)", full]


def _limit(p: Plan) -> list[str]:
    """What really ends the gain from batching."""
    if p.reaches_roof:
        beyond = "the overhead is shared by more" if p.overhead_s else "no gain"
        return ["compute", f"{beyond} beyond b*"]
    if p.batch_memory_cap is None:
        return ["not known", "nor is the memory"]
    if not p.batch_memory_cap:
        return ["memory", "it does not run here"]
    never = "no batch reaches the ridge"
    if p.b_star is not None:
        never = f"b* is batch {at_roof(p.b_star)}"
    return ["memory", f"full at batch {p.batch_memory_cap}", never]


def _floor(p: Plan) -> list[str]:
    rate = figure(1 / p.decode_floor_s)
    return [f"{duration(p.decode_floor_s)} a step", f"{rate} tokens/s at batch 1"]


def _cards(p: Plan) -> list[str]:
    """By which link, where more cards stop paying, and what a step exchanges."""
    last = p.curve[-1]
    parts = [said_of_cards(p), *(f"batch {b}: {ends_at(p, b)}" for b in sorted(p.pays_to))]
    return [*parts, f"{duration(last.comm_s)} of a step at batch {last.batch}"]


def _latency(p: Plan) -> list[str]:
    """Which latency is counted; what it is over other numbers of cards as far as there is room."""
    if p.latency_from == NONE:
        return [UNCOUNTED, even_said(p, 1)]
    said, _, of = latency_of(p).partition(" of ")
    return [said, f" of {of}", f" ({p.latency_from})", even_said(p, 1), latency_beyond(p)]


def _late_style(p: Plan) -> str:
    return "warn" if p.latency_from == NONE else ""


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
