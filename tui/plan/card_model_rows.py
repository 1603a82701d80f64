"""Cards against models, a row a pair: what is the same in all rows stands above them."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.decode import AI_MAX, COMPUTE, MEMORY, at_roof
from roofwatch.session.plan import DERIVED, GIVEN, MEASURED, NOMINAL, Plan
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, money, priced
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped
from roofwatch.tui.drawing.significant import cost, rate, significant
from roofwatch.tui.plan.cards_head import cards_said, columns_said, uncounted
from roofwatch.tui.plan.plan_rows import duration, size, slowest, types

MAKER = "NVIDIA "
LEAST_NAME = 28  # cells: the names of the table differ in fewer
MAIN_GAP, GAP = 1, 2
GIVE_WAY = ("tokens/s", "ends", "memory", "roof at", "floor", "AI_max")
"""The first to go where names would be cut below their least."""


def table_rows(plans: Sequence[Plan], cells: int, glyphs: Glyphs) -> list[Row]:
    """The table over models, over cards, or of pairs."""
    if not plans:
        return [row(" no card has the figures for it")]
    first = plans[0]
    one_card = len({p.gpu for p in plans}) == 1
    one_model = len({p.model for p in plans}) == 1 and not one_card
    least = slowest(max(first.bandwidth_slowest_of, first.peak_slowest_of))
    head = [f"{first.context} tokens of context", f"{_whose(plans)} figures{least}", types(first)]
    if one_card and len(plans) > 1:
        what, columns = "model", {**_of_model(plans), **_of_pair(plans)}
        head = [shown(first.gpu), *head, f"ridge {figure(first.ridge)}"]
        head.append(f"{figure(first.bandwidth_gbs)} GB/s")
        head += [f"{_memory(first)} of memory"] if first.memory_bytes else []
    elif one_model:
        what, columns = "card", {**_of_card(plans), **_of_pair(plans)}
        head = [shown(first.model), *head, f"{size(first.weights_bytes)} of weights"]
        head.append(f"{first.kv_bytes_per_token:,} B of KV a token")
        head.append(f"AI_max {figure(first.ai_max)}")
    else:
        what, columns = f"card {glyphs.cross} model", _of_seeds(plans)
    columns |= _cost(plans)
    if first.price is not None:
        at = f"at {money(first.price.per_hour, first.price.currency)} an hour"
        at += " a card" if first.tp > 1 else ""
        head.append(f"{at} and the largest batch that fits, up to {_largest(first)}")
    names = [_name(p, what, glyphs) for p in plans]
    rows = wrapped(", ".join(head), cells, "title", " ")
    widths = _widths(what, names, columns, cells)
    if first.tp > 1:
        rows += wrapped(cards_said(plans), cells, "warn" if uncounted(first) else "title", " ")
        rows += wrapped(columns_said(widths), cells, "dim", " ")
    for doubt in dict.fromkeys(d for p in plans for d in p.doubts):
        rows += wrapped(doubt, cells, "warn", " ")
    rows += _lines(what, names, columns, widths, cells, glyphs)
    return rows if "limit" not in columns else [*rows, *_why(plans, "roof at" in widths, cells)]


def _why(plans: Sequence[Plan], roof_at: bool, cells: int) -> list[Row]:
    """What never (in ``roof_at``, if that column stands) and each limit of the pairs mean."""
    most = _largest(plans[0])
    said = {}
    if roof_at and any(p.b_star is None for p in plans):
        said["never"] = "no batch reaches the roof: AI_max lies under the ridge"
    elif roof_at and not all(p.reaches_roof for p in plans):
        said["never"] = "the batch that reaches the roof does not fit"
    limits = {p.limited_by for p in plans}
    if AI_MAX in limits:
        said["limit AI_max"] = f"batch {most} fits, and the bytes of its KV keep it there"
    if MEMORY in limits:
        said["limit memory"] = f"it is full before batch {most}"
    wide = max(map(len, said), default=0)
    return [r for n, why in said.items() for r in hung(f" {n:<{wide}}  ", why, cells, "dim")]


def _widths(
    what: str, names: Sequence[str], columns: dict[str, list[str]], cells: int
) -> dict[str, int]:
    """Of the columns that stay: some give way before names are cut beyond what tells them apart."""
    widths = {n: max(map(len, (n, *texts))) + GAP for n, texts in columns.items()}
    longest = max(map(len, (what, *names)))
    least = min(longest, LEAST_NAME)
    if sum(widths.values()) + longest + 1 > cells:
        widths = {n: w - GAP + MAIN_GAP for n, w in widths.items()}
    for n in GIVE_WAY:
        if n in widths and sum(widths.values()) + least + 1 > cells:
            del widths[n]
    return widths


def _lines(
    what: str,
    names: Sequence[str],
    columns: dict[str, list[str]],
    widths: dict[str, int],
    cells: int,
    glyphs: Glyphs,
) -> list[Row]:
    """The head and the rows."""
    longest = max(map(len, (what, *names)))
    room = max(8, min(longest, cells - 1 - sum(widths.values())))
    rows = [row((f" {what:<{room}}" + "".join(f"{n:>{w}}" for n, w in widths.items()), "dim"))]
    for i, name in enumerate(names):
        line = f" {head_of(name, room, glyphs.ellipsis):<{room}}"
        rows.append(row(line + "".join(f"{columns[n][i]:>{w}}" for n, w in widths.items())))
    return rows


def _of_card(plans: Sequence[Plan]) -> dict[str, list[str]]:
    return {
        "ridge": [figure(p.ridge) for p in plans],
        "GB/s": [figure(p.bandwidth_gbs) for p in plans],
        "memory": [_memory(p) for p in plans],
    }


def _of_model(plans: Sequence[Plan]) -> dict[str, list[str]]:
    return {
        "weights": [size(p.weights_bytes) for p in plans],
        "KV/token": [f"{p.kv_bytes_per_token:,} B" for p in plans],
        "AI_max": [significant(p.ai_max) for p in plans],
    }


def _of_pair(plans: Sequence[Plan]) -> dict[str, list[str]]:
    """What card and model make together; ``ends`` is what really does."""
    return {
        "floor": [duration(p.decode_floor_s) for p in plans],
        "tokens/s": [rate(p.curve[0].tokens_per_s) for p in plans],
        "b*": ["never" if p.b_star is None else str(at_roof(p.b_star)) for p in plans],
        "cap": [_cap(p) for p in plans],
        "ends": [_ends(p) for p in plans],
    }


def _of_seeds(plans: Sequence[Plan]) -> dict[str, list[str]]:
    """The table of Day 18 (a seed), whose limit goes by the largest batch of the curve."""
    words = {COMPUTE: "compute", AI_MAX: "AI_max"}
    return {
        "ridge": [figure(p.ridge) for p in plans],
        **_of_model(plans),
        "roof at": [f"b {p.b_star:.0f}" if p.b_star and p.reaches_roof else "never" for p in plans],
        "limit": [words.get(p.limited_by, "memory") for p in plans],
        "cap": [_cap(p) for p in plans],
    }


def _cost(plans: Sequence[Plan]) -> dict[str, list[str]]:
    price = plans[0].price
    if price is None:
        return {}
    costs = [p.cost_per_mtok for p in plans]
    name = f"{priced('', price.currency).strip()}/Mtok"
    return {name: ["none" if each is None else cost(each) for each in costs]}


def _whose(plans: Sequence[Plan]) -> str:
    seen = {p.figures for p in plans}
    return seen.pop() if seen in ({NOMINAL}, {DERIVED}, {MEASURED}) else GIVEN


def _largest(p: Plan) -> int:
    return max(x.batch for x in p.curve)


def _memory(p: Plan) -> str:
    return "not known" if p.memory_bytes is None else size(p.memory_bytes)


def _cap(p: Plan) -> str:
    if p.batch_memory_cap is None:
        return "?"
    return str(p.batch_memory_cap) if p.batch_memory_cap else "none"


def _ends(p: Plan) -> str:
    if p.reaches_roof:
        return "compute"
    if p.batch_memory_cap is None:
        return "?"
    return "memory" if p.batch_memory_cap else "no room"


def _name(p: Plan, what: str, glyphs: Glyphs) -> str:
    card, model = shown(p.gpu).removeprefix(MAKER), shown(p.model)
    return {"card": card, "model": model}.get(what, f"{card} {glyphs.cross} {model}")
