"""A card and a model on paper, answered anew with every key: fields, figures, batches, curve."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.roofline.decode import TWO_BYTES
from roofwatch.session.decode import decode_curves
from roofwatch.session.fold import Session
from roofwatch.session.plan import MEASURED, NOMINAL, Plan, PlanPoint, at_roof
from roofwatch.session.plan_fields import FIELDS as TYPED
from roofwatch.session.plan_overhead import TWO_COUNTS
from roofwatch.session.printable import shown
from roofwatch.session.roofs import roofs
from roofwatch.tui.card_model_rows import table_rows
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, money, priced
from roofwatch.tui.plan_fields import FIELDS, ROOFS, Answer, PlanFields
from roofwatch.tui.plan_rows import batch_of, cheapest, duration, points, size, under
from roofwatch.tui.rows_of_text import Piece, Row, fit, head_of, page, row, width, wrapped
from roofwatch.tui.telling import telling
from roofwatch.tui.throughput_plot import DASHES, DOTS, SOLID, Line, plot
from roofwatch.tui.typed_line import drawn

LABELS = {
    "gpu": "card",
    "kv": "KV cache",
    "batch_max": "batch to",
}
MAKER = "NVIDIA "  # gives way where a card's name is too long
LABEL = 10  # of a field, and of a figure
FIELD_CELLS = (28, 48)  # of the fields' column, least and most
BESIDE = 112  # cells from which the curve stands beside the table
LEAST_PLOT = 10
LEAST_LINES = 8  # batches that stand before the other models
LEAST_MODELS = 70  # cells of their table
LEAST_MORE = 26  # rows below the fields from which the other models stand under the batches
ROOMY = 26  # rows from which there is space around


def build(
    fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """Rows of the pane: the fields with their figures beside, a line of help, batches, curve."""
    answer = fields.answer(session)
    own = answer.plan.overhead_s if answer.plan and answer.overhead else None
    left = min(FIELD_CELLS[1], max(FIELD_CELLS[0], cells * 46 // 100))
    figures = _figures(answer, cells - left - 2, glyphs)
    asked = [_field(fields, name, session, left, glyphs, own) for name in FIELDS]
    beside = [
        (*(asked[i] if i < len(asked) else fit((), left)), ("  ", ""), *figures[i])
        if i < len(figures)
        else asked[i]
        for i in range(max(len(asked), len(figures)))
    ]
    at = FIELDS.index(fields.open)
    said = _help(fields, answer, cells, glyphs)[: max(1, height - 2)]
    room = max(1, min(len(beside), height - 1 - len(said)))
    first = min(max(0, at - room + 1), len(beside) - room)
    space = [row("")] if height >= ROOMY else []
    top = [*space, *beside[first : first + room], *space, *said, *space]
    if answer.plan is not None:
        curve = _lines(fields, session, answer.plan)
        left = height - len(top)
        more = fields.other_models(session) if cells >= BESIDE and left > LEAST_MORE else []
        top += _below(answer.plan, more, curve, cells, left, glyphs)
    return page(top, cells, height)


def small(
    fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """What a terminal too small for all of it gets: the open field, then the figures."""
    answer = fields.answer(session)
    rows = [_field(fields, fields.open, session, cells, glyphs)]
    if fields.said:
        rows += wrapped(fields.said, cells - 2, "warn", " ")
    if answer.plan is not None:
        title = f"{shown(answer.plan.gpu)}, {shown(answer.plan.model)}"
        rows.append(row((f"  {head_of(title, cells - 3, glyphs.ellipsis)}", "dim")))
    rows += [(("  ", ""), *r) for r in _figures(answer, cells - 3, glyphs)]
    return page(rows, cells, height)


# -- fields ----------------------------------------------------------------------------------


def _label(name: str) -> str:
    return LABELS.get(name, name)


def _value(fields: PlanFields, name: str, session: Session, own_s: float | None = None) -> str:
    """What stands in a field; ``own_s`` is the overhead as measured, where that is used."""
    q = fields.question
    if name == "gpu":
        if fields.here:
            return f"{session.device.name or 'this machine'} (here)"
        return fields.card(session).name
    if name == "price":
        return f"{money(q.price.per_hour, q.price.currency)}/h" if q.price else "none"
    if name == ROOFS:
        return f"{fields.figures} here" if fields.figures != NOMINAL else NOMINAL
    if name == "overhead" and own_s is not None:
        return f"{figure(own_s * 1e3)} ms, measured"
    return {
        "model": fields.model.name,
        "context": f"{q.context} tokens",
        "weights": q.weights,
        "kv": q.kv,
        "batch_max": str(q.batch_max),
        "overhead": f"{q.overhead_s * 1e3:g} ms a step",
    }[name]


def _field(
    fields: PlanFields,
    name: str,
    session: Session,
    cells: int,
    glyphs: Glyphs,
    own_s: float | None = None,
) -> Row:
    """Exactly ``cells`` cells: the label, then the value on its ground."""
    here = name == fields.open
    label: Piece = (
        f"{glyphs.here if here else ' '} {_label(name)}",
        "key" if here else "dim",
    )
    room = cells - LABEL - 2
    ground = "field-open" if here else "field"
    if here and fields.line is not None:
        value = fit(drawn(fields.line, "", max(4, room - 2), glyphs), room, ground)
    else:
        keys = f" {glyphs.left_right} " if here else " "
        left = room - 1 - len(keys)
        text = shown(_value(fields, name, session, own_s))
        if cell_len(text) > left:
            text = text.removeprefix(MAKER)
        text = head_of(text, left, glyphs.ellipsis)
        gap = left - cell_len(text)
        value = fit(row((f" {text}" + " " * gap + keys, ground)), room, ground)
    return (*fit([label], LABEL + 2), *value)


def _help(fields: PlanFields, answer: Answer, cells: int, glyphs: Glyphs) -> list[Row]:
    """A refusal or what the plan lacked, whole; what a name means so far or a key does, a line."""
    notes = [answer.remark, *answer.plan.notes] if answer.plan else []  # else it stands above
    if answer.plan is not None and fields.open != "weights":  # a note of theirs stands there alone
        notes = [n for n in notes if not n.startswith(f"{answer.plan.precision} weights")]
    note = next((n for n in notes if n), "")
    note = answer.overhead if fields.open == "overhead" and answer.overhead else note
    if fields.said:
        return _whole(fields.said, cells, "warn", glyphs.warn)
    if fields.line is not None:
        meant = fields.meant()
        text = f"{meant + ': ' if meant else ''}Enter takes it, Esc leaves it as it was"
        style = "strong" if meant else "dim"
    elif note:
        return _whole(note, cells, "note", glyphs.note)
    elif fields.open == ROOFS:
        text, style = "of this session's card as measured, or as printed: m does it anywhere", "dim"
    else:
        what = TYPED[fields.open].what.removeprefix(f"{_label(fields.open)}: ")
        text, style = f"{glyphs.left_right} changes it, Enter types it: {what}", "dim"
    return [fit(row((f"  {head_of(shown(text), cells - 3, glyphs.ellipsis)}", style)), cells)]


def _whole(text: str, cells: int, style: str, sign: str) -> list[Row]:
    return [fit(r, cells) for r in wrapped(text, cells - 1, style, f"  {sign} ")]


# -- figures ---------------------------------------------------------------------------------


def _figures(answer: Answer, cells: int, glyphs: Glyphs) -> list[Row]:
    """The answer, a line a figure, each with as much beside it as there is room for."""
    p = answer.plan
    if p is None:
        return wrapped(answer.remark, cells, "warn", f"{glyphs.warn} ")
    said: list[tuple[str, list[str], str]] = [
        ("ridge", _ridge(p), ""),
        ("weights", [size(p.weights_bytes), _loading(p), f"{p.params:,} parameters"], ""),
        ("KV cache", [f"{p.kv_bytes_per_token:,} B a token", _sequence(p)], ""),
        ("AI_max", [f"{figure(p.ai_max)} FLOP/byte", "beyond it no batch gets"], ""),
        ("b*", _b_star(p), ""),
        ("memory", _memory(p), ""),
        ("limit", _limit(p), "reason"),
        ("floor", _floor(p), ""),
        ("Mtok", _cost(p), "ok" if p.cost_per_mtok is not None else "dim"),
    ]
    return [_figure(name, parts, style, cells) for name, parts, style in said]


def _figure(name: str, parts: Sequence[str], style: str, cells: int) -> Row:
    first, rest = parts[0], [part for part in parts[1:] if part]
    pieces: list[Piece] = [(f"{name:<{LABEL}}", "dim"), (first, style or "strong")]
    for part in rest:
        if width(pieces) + len(part) + 2 > cells:
            break
        pieces.append((f", {part}", ""))
    return fit(pieces, cells)


def _ridge(p: Plan) -> list[str]:
    parts = [f"{figure(p.ridge)} FLOP/byte", p.figures]
    if p.figures != NOMINAL and p.ridge_nominal is not None:
        parts[1] += f" (nominal {figure(p.ridge_nominal)})"
    flat = f" {p.peak_flat}" if p.peak_from == MEASURED else ""
    return [*parts, f"{figure(p.peak_tflops)} TFLOP/s{flat} over {figure(p.bandwidth_gbs)} GB/s"]


def _loading(p: Plan) -> str:
    return f"loads in {duration(p.load_s)}" if p.load_s is not None else ""


def _sequence(p: Plan) -> str:
    return f"{size(p.kv_bytes_per_token * p.context)} a sequence"


def _b_star(p: Plan) -> list[str]:
    if p.b_star is None:
        return ["never", under(p, "AI_max is left of the ridge", "AI_max is at the ridge")]
    return [f"batch {p.b_star:.0f}", "there the intensity is the ridge"]


def _memory(p: Plan) -> list[str]:
    if p.memory_bytes is None or p.batch_memory_cap is None:
        return ["not known", "no batch is too large"]
    if not p.batch_memory_cap:
        return ["too small", f"{size(p.memory_bytes)} do not hold it"]
    return [f"{p.batch_memory_cap} sequences", f"in {size(p.memory_bytes)}"]


def _limit(p: Plan) -> list[str]:
    """What really ends the gain from batching."""
    if p.reaches_roof:
        beyond = "the overhead is shared by more" if p.overhead_s else "no gain"
        return ["compute", f"{beyond} beyond b*"]
    if p.batch_memory_cap is None:
        return ["not known", "nor is the memory"]
    if not p.batch_memory_cap:
        return ["memory", "it does not run here"]
    never = "AI_max never gets beyond the ridge" if p.b_star is None else f"b* is {p.b_star:.0f}"
    return ["memory", f"full at batch {p.batch_memory_cap}", never]


def _floor(p: Plan) -> list[str]:
    rate = figure(1 / p.decode_floor_s)
    return [f"{duration(p.decode_floor_s)} a step", f"{rate} tokens/s at batch 1"]


def _cost(p: Plan) -> list[str]:
    if p.price is None or p.cost_per_mtok is None:
        return [p.status.get("cost_per_mtok", "not known")]
    parts = [f"{money(p.cost_per_mtok, p.price.currency)} at batch {p.cost_batch}"]
    least, first = cheapest(p), p.curve[0]
    if least:
        parts.append(f"least {least}")
    if first.cost_per_mtok is not None and first.batch != p.cost_batch:
        parts.append(f"{money(first.cost_per_mtok, p.price.currency)} at {first.batch}")
    return parts


# -- batches and curve -----------------------------------------------------------------------


def _below(
    p: Plan,
    more: Sequence[Plan],
    lines: Sequence[Line],
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    """The table by batch, with the curve beside it or below it where there is room.

    ``more`` are the other models on this card, under the table of a large screen.
    """
    posts = _posts(p)
    counts = wrapped(f"{TWO_COUNTS}.", cells - 2, "dim", " ") if lines[0].name == MEASURED else []
    height -= len(counts)
    if cells >= BESIDE and height >= LEAST_PLOT:
        others = table_rows(more, LEAST_MODELS, glyphs)[-len(more) - 1 :] if more else []
        table = _table(p, max(height - 1 - (len(others) + 2 if others else 0), LEAST_LINES))
        if others:
            table += [row(""), row((" every model on this card", "title")), *others]
        wide = max(width(r) for r in table) + 3
        picture = plot(lines, cells - wide - 1, height, glyphs, posts)
        table = page(table, wide, height)
        if picture:
            return [*((*a, *b) for a, b in zip(table, picture, strict=True)), *counts]
        return table
    table = _table(p, height - 1)
    left = height - len(table) - 1
    if left >= LEAST_PLOT:
        table = [*table, row(""), *plot(lines, cells - 1, left, glyphs, posts), *counts]
    return table


def _table(p: Plan, lines: int) -> list[Row]:
    """Batches in at most so many lines under the head."""
    if lines < 1:
        return []
    head = f"{'batch':>9}{'FLOP/B':>8}{'step':>10}{'tokens/s':>10}{'off linear':>12}  {'bound':<8}"
    if p.price is not None:
        head += f"{priced('/Mtok', p.price.currency):>10}"
    curve = points(p)
    end = at_roof(p.b_star) if p.reaches_roof else p.batch_memory_cap
    keep = next((i for i, x in enumerate(curve) if x.batch == end), None)
    chosen = telling(len(curve), lines, keep)
    return [row((head, "dim")), *(_point(curve[i], p) for i in chosen)]


def _point(x: PlanPoint, p: Plan) -> Row:
    line = f"{batch_of(x, p):>9}{figure(x.intensity):>8}{duration(x.step_s):>10}"
    line += f"{figure(x.tokens_per_s):>10}{x.gap_to_linear * 100:>10.1f} %"
    bound = f"  {x.bound if x.fits else 'no room':<8}"
    cost = ""
    if x.cost_per_mtok is not None and p.price is not None:
        cost = f"{money(x.cost_per_mtok, p.price.currency):>10}"
    if not x.fits:
        return row((line + bound + cost, "dim"))
    return row(line, (bound, "dim" if x.bound == p.curve[0].bound else "reason"), cost)


def _lines(fields: PlanFields, session: Session, p: Plan) -> list[Line]:
    """On paper and linear; of the session's own card what was measured of that model as well."""
    first = p.curve[0]
    rates = [(float(x.batch), x.tokens_per_s) for x in p.curve]
    out = [
        Line("paper", rates, DASHES, "strong"),
        Line("linear", [(x.batch, x.batch / first.step_s) for x in p.curve], DOTS, "axis"),
    ]
    q = fields.question
    if fields.here and {q.weights, q.kv} <= set(TWO_BYTES):
        for curve in decode_curves(session, roofs(session)):
            if (curve.model, curve.context, curve.layers) == (p.model, p.context, curve.layers_of):
                seen = [(x.batch, x.tokens_per_s) for x in curve.points if x.tokens_per_s]
                seen = [(b, rate) for b, rate in seen if b <= p.curve[-1].batch]
                out.insert(0, Line("measured", seen, SOLID, "burst"))
    return out


def _posts(p: Plan) -> list[tuple[float, str]]:
    posts: list[tuple[float, str]] = []
    if p.batch_memory_cap:
        posts.append((p.batch_memory_cap, f"memory full {p.batch_memory_cap}"))
    if p.b_star is not None:
        posts.append((p.b_star, f"ridge {p.b_star:.0f}"))
    return posts
