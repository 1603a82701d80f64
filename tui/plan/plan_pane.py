"""A card and a model on paper, answered anew with every key: fields, figures, batches, curve."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.roofline.decode import TWO_BYTES, at_roof
from roofwatch.session.fold import Session
from roofwatch.session.plan import (
    DERIVED,
    GIVEN,
    MEASURED,
    NOMINAL,
    NONE,
    PARTLY,
    Plan,
    Question,
)
from roofwatch.session.plan_fields import FIELDS as TYPED
from roofwatch.session.plan_overhead import TWO_COUNTS
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.numbers import figure, money, priced
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import (
    Piece,
    Row,
    fit,
    head_of,
    page,
    row,
    spread,
    width,
    wrapped,
)
from roofwatch.tui.drawing.throughput_plot import DASHES, DOTS, SOLID, Line, plot
from roofwatch.tui.drawing.typed_line import drawn
from roofwatch.tui.plan import plan_batches
from roofwatch.tui.plan.card_model_rows import table_rows
from roofwatch.tui.plan.parallel_rows import WORDS
from roofwatch.tui.plan.plan_answers import Answer
from roofwatch.tui.plan.plan_fields import LABELS, OF_CARDS, PEER_GBS, ROOFS, PlanFields
from roofwatch.tui.plan.plan_figures import LABEL, figures
from roofwatch.tui.plan.plan_rows import duration

MAKER = "NVIDIA "  # gives way where a card's name is too long
FIELD_CELLS = (28, 48)  # of the fields' column, least and most
BESIDE = 112  # cells from which the curve stands beside the table
SIGNS = 4  # cells at the end of the open field
LEAST_PLOT = 10
TABLE_CELLS = 70  # most of the table beside the curve, and of that of the models
LEAST_MODELS = 3
LEAST_MORE = 26  # rows below the fields from which the other models stand under the batches
ROOMY = 26  # rows from which there is space around


def build(
    fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """Rows of the pane: the fields with their figures beside, a line of help, batches, curve.

    On a page of all batches the open field alone stands above them.
    """
    p = fields.answer(session).plan
    at = min(fields.page, pages(fields, session, cells, height, glyphs) - 1)
    top = _top(fields, session, cells, height, at, glyphs)
    if p is not None:
        top += _below(fields, session, p, at, cells, height - len(top), glyphs)
    return micro(page(top, cells, height), glyphs)


def pages(fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs) -> int:
    """How many pages the batches have: 1 where all stand under the fields."""
    p = fields.answer(session).plan
    if p is None:
        return 1
    counts = len(_counts(_lines(fields, session, p), cells))
    rooms = []
    for at in (0, 1):
        room = height - len(_top(fields, session, cells, height, at, glyphs))
        wide = cells >= BESIDE and room >= LEAST_PLOT + counts
        rooms.append((TABLE_CELLS, room - counts) if wide else (cells, room))
    if plan_batches.holds_all(p, *rooms[0]):
        return 1
    return 1 + plan_batches.pages(p, *rooms[1])


def keys(fields: PlanFields) -> list[Offer]:
    """What the pane's own keys do now: m only where a card was measured."""
    found: list[Offer] = [("{ud}", "field"), ("{lr}", "change"), ("Enter", "type")]
    return [*found, ("m", "roofs")] if fields.here else found


def _top(
    fields: PlanFields, session: Session, cells: int, height: int, at: int, glyphs: Glyphs
) -> list[Row]:
    """The fields around the open one as far as there is room, on a later page that one alone."""
    answer = fields.answer(session)
    own = answer.plan.overhead_s if answer.plan and answer.overhead else None
    said = help_rows(fields, answer, cells, glyphs)[: max(1, height - 2)]
    space = [row("")] if height >= ROOMY else []
    left = min(FIELD_CELLS[1], max(FIELD_CELLS[0], cells * 46 // 100))
    if at:
        field = field_row(fields, fields.open, session, left, glyphs, own)
        back = row((f"{plan_batches.BACK}: all fields ", "dim"))
        return [*space, spread(field, back, cells), *said, *space]
    told = _figures(answer, cells - left - 2, glyphs)
    asked = [field_row(fields, name, session, left, glyphs, own) for name in fields.names]
    both = [
        (*(asked[i] if i < len(asked) else fit((), left)), ("  ", ""), *told[i])
        if i < len(told)
        else asked[i]
        for i in range(max(len(asked), len(told)))
    ]
    below = 1 if answer.plan is not None else 0  # at least how many batches there are
    room = max(1, min(len(both), height - below - len(said)))
    first = min(max(0, fields.names.index(fields.open) - room + 1), len(both) - room)
    return [*space, *both[first : first + room], *space, *said, *space]


def _figures(answer: Answer, cells: int, glyphs: Glyphs) -> list[Row]:
    """The answer, or why there is none."""
    if answer.plan is None:
        return wrapped(answer.remark, cells, "warn", f"{glyphs.warn} ")
    return figures(answer.plan, cells)


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
        return _whose(fields, session)
    if name in OF_CARDS:
        return _between(fields, name, session)
    if name == "overhead" and own_s is not None:
        return f"{figure(own_s * 1e3)} ms, measured"
    return {
        "model": fields.model.name,
        "context": f"{q.context} tokens",
        "weights": q.weights,
        "kv": q.kv,
        "batch_max": str(q.batch_max),
        "overhead": f"{q.overhead_s * 1e3:g} ms a step",
        "tp": f"{q.tp} cards, tensor parallel" if q.tp > 1 else "1 card",
    }[name]


def _between(fields: PlanFields, name: str, session: Session) -> str:
    """What stands in the fields of the link between cards, and whose it is."""
    p, q = fields.answer(session).plan, fields.question
    if name == PEER_GBS:
        if p is not None and p.peer_gbs is not None:
            return f"{figure(p.peer_gbs)} GB/s, {WORDS.get(p.peer_from, p.peer_from)}"
        return "not known" if q.peer_gbs is None else f"{figure(q.peer_gbs)} GB/s, {GIVEN}"
    if p is not None and p.latency_from != NONE:
        return f"{_late(p.peer_latency_s)}, {p.latency_from}"
    return "none counted" if q.peer_latency_s is None else f"{_late(q.peer_latency_s)}, {GIVEN}"


def _late(seconds: float) -> str:
    """A latency; one of nothing can be typed."""
    return duration(seconds) if seconds else "0 s"


def _whose(fields: PlanFields, session: Session) -> str:
    """Whose roofs stand in the figures: of those measured here there may be one, or none."""
    found = fields.answer(session).plan
    if fields.figures == NOMINAL:
        return NOMINAL
    if found is not None and found.figures == PARTLY:
        return f"{PARTLY} here"
    if found is not None and found.figures in (NOMINAL, DERIVED):
        return f"{found.figures}: none measured"
    return f"{MEASURED} here"


def field_row(
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
        signs = f" {glyphs.left_right} "
        keys = signs if here and len(signs) <= SIGNS else " "  # words stand in the line of help
        left = room - 1 - len(keys)
        text = shown(_value(fields, name, session, own_s))
        if cell_len(text) > left:
            text = text.removeprefix(MAKER)
        text = head_of(text, left, glyphs.ellipsis)
        gap = left - cell_len(text)
        value = fit(row((f" {text}" + " " * gap + keys, ground)), room, ground)
    return (*fit([label], LABEL + 2), *value)


def help_rows(fields: PlanFields, answer: Answer, cells: int, glyphs: Glyphs) -> list[Row]:
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


# -- batches and curve -----------------------------------------------------------------------


def _below(
    fields: PlanFields,
    session: Session,
    p: Plan,
    at: int,
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    """The table by batch, with the curve beside it or below it where there is room."""
    lines = _lines(fields, session, p)
    counts = _counts(lines, cells)
    if cells < BESIDE or height < LEAST_PLOT + len(counts):
        table = plan_batches.table(p, cells, height, at)
        left = height - len(table) - 1 - len(counts)
        if left < LEAST_PLOT:
            return table
        return [*table, row(""), *plot(lines, cells - 1, left, glyphs, _posts(p)), *counts]
    height -= len(counts)
    table = plan_batches.table(p, TABLE_CELLS, height, at)
    wide = max(width(r) for r in table) + 3
    if height > LEAST_MORE:
        table += _models(fields, session, height - len(table) - 1, glyphs)
        wide = max(wide, TABLE_CELLS + 3)
    picture = plot(lines, cells - wide - 1, height, glyphs, _posts(p))
    if not picture:
        return table
    table = page(table, wide, height)
    return [*((*a, *b) for a, b in zip(table, picture, strict=True)), *counts]


def _counts(lines: Sequence[Line], cells: int) -> list[Row]:
    """Why paper and measured curve differ, where both are drawn."""
    return wrapped(f"{TWO_COUNTS}.", cells - 2, "dim", " ") if lines[0].name == MEASURED else []


def _models(fields: PlanFields, session: Session, height: int, glyphs: Glyphs) -> list[Row]:
    """The models of this card around the one chosen, and how many there are besides."""
    room = height - 4  # under the title, what the prices are of in two rows, and the head
    if room < LEAST_MODELS:
        return []
    count = len(fields.models)
    lines = room if room >= count else room - 1
    plans = fields.other_models(session, lines)
    if not plans:
        return []
    rows = table_rows(plans, TABLE_CELLS, glyphs)[-len(plans) - 1 :]
    title = row((" every model on this card", "title"))
    of = wrapped(_priced_at(fields.question, plans), TABLE_CELLS, "dim", " ")
    told = [row(""), title, *of, *rows]
    if count > len(plans):
        told[1] = row((f" {len(plans)} of {count} models on this card", "title"))
        told.append(row((f" {count - len(plans)} more: {glyphs.left_right} on the model", "dim")))
    return told


def _priced_at(q: Question, plans: Sequence[Plan]) -> str:
    """Which batch the prices are of, and with what overhead: measured is that of one model."""
    over = plans[0].overhead_s
    whose = f"{figure(over * 1e3)} ms of overhead each" if over else "no overhead counted"
    if q.price is None:
        return f"floor: the weights alone; cap: the last batch that fits; {whose}"
    of = priced("/Mtok", q.price.currency)
    return f"{of} at batch {q.batch_max}, or at cap where that is less; {whose}"


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
        for curve in fields.measured(session)[1]:
            if (curve.model, curve.context, curve.layers) == (p.model, p.context, curve.layers_of):
                seen = [(x.batch, x.tokens_per_s) for x in curve.points if x.tokens_per_s]
                seen = [(b, rate) for b, rate in seen if b <= p.curve[-1].batch]
                if seen:
                    out.insert(0, Line(MEASURED, seen, SOLID, "burst"))
    return out


def _posts(p: Plan) -> list[tuple[float, str]]:
    posts: list[tuple[float, str]] = []
    if p.batch_memory_cap:
        posts.append((p.batch_memory_cap, f"memory full {p.batch_memory_cap}"))
    if p.b_star is not None:
        posts.append((p.b_star, f"ridge {at_roof(p.b_star)}"))
    return posts
