"""The decode step over batch: measured both ways, from its parts, on paper, and what bends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from rich.cells import cell_len

from roofwatch.roofline.decode import at_roof
from roofwatch.session.decode import BENT, DecodeCurve, DecodePoint, decode_curves
from roofwatch.session.fold import Session
from roofwatch.session.plan import Plan
from roofwatch.session.printable import shown
from roofwatch.session.roofs import roofs
from roofwatch.tui.decode import decode_table
from roofwatch.tui.drawing.glyphs import UNICODE, Glyphs
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import (
    Piece,
    Row,
    head_of,
    hung,
    page,
    row,
    spread,
    text_of,
    width,
    wrapped,
)
from roofwatch.tui.drawing.telling import arrows, left_out
from roofwatch.tui.drawing.throughput_plot import CROSSES, DASHES, DOTS, RINGS, SOLID, Line, plot

LEAST_PLOT = 9  # rows that the picture keeps before the table gives way
MOST_PLOT = 40
LEAST_LINES = 2  # of the table beside a picture
MOST_MISSING = 30  # cells in which the batches that are not there are named
WHOLE = 1000  # rows: a report says all of it
ROOMY = 26  # rows from which all that is to be said stands below
LEAST_NAME, MOST_NAME = 16, 40  # cells of a model's
NUMBER = 5  # the key that shows this pane alone
ON_SCREEN = "roofwatch --suite decode"
NOT_YET = " No decode step is measured yet; the card's roofs come first."
NEVER = " No decode step was measured in this session."
HOW = (
    f"roofwatch run --suite decode measures one, {ON_SCREEN} does so in the screen: eager and as "
    "a CUDA graph, against its own parts."
)


def curves(session: Session) -> list[DecodeCurve]:
    """Every curve that the keys go through."""
    return [c for c in decode_curves(session, roofs(session)) if c.points]


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    which: int | None = 0,
    whole: bool = False,
    paper: Plan | None = None,
) -> list[Row]:
    """Rows of the pane for one curve, counted round.

    ``whole`` gives the table all rows, else the picture keeps some and the table shows the batches
    that tell most. Without any curve ``paper`` is drawn, if there is one. ``which`` None is the
    pane beside others: it follows the largest curve, and no key is its own.
    """
    found = curves(session)
    if not found:
        follows = which is None
        return page(_unmeasured(session, paper, follows, cells, height, glyphs), cells, height)
    c = largest(found) if which is None else found[which % len(found)]
    said, room, lines = _layout(c, whole, cells, height, glyphs)
    drawn = plot(_lines(c), cells - 1, room - lines, glyphs)
    if not drawn:
        lines = min(len(c.points), max(0, room))
    reach = f"key {NUMBER}" if which is None else arrows(glyphs)[1]
    place = None if which is None or len(found) < 2 else (which % len(found), len(found))
    columns = decode_table.columns_of(found, session.price, cells)
    hidden = len(c.points) - lines
    more = f"{hidden} batches: {reach}"
    if lines and hidden > 0:
        chosen = decode_table.chosen_of(c, lines)
        missing = [str(p.batch) for i, p in enumerate(c.points) if i not in chosen]
        more = left_out(missing, reach, min(MOST_MISSING, cells // 3))
    head = _head(c, place, more if hidden > 0 else "", cells, glyphs)
    table = decode_table.table(columns, c, lines, cells, glyphs) if lines else []
    return page([head, *drawn, *table, *said], cells, height)


def largest(found: Sequence[DecodeCurve]) -> DecodeCurve:
    """The curve whose step reads most: the largest model at the longest context."""
    return max(found, key=lambda c: (c.points[-1].bytes, c.context))


def keys(
    session: Session,
    which: int = 0,
    size: tuple[int, int] = (80, 19),
    glyphs: Glyphs = UNICODE,
    whole: bool = False,
) -> list[Offer]:
    """What the pane's own keys do now; nothing without a curve. ``size`` is its cells and rows.

    ``whole`` as for ``build``: what stands there is not offered again.
    """
    found = curves(session)
    if not found:
        return []
    c = found[which % len(found)]
    short, long = (_layout(c, all_of, *size, glyphs) for all_of in (False, True))
    turns: list[Offer] = [("{lr}", "curve")] if len(found) > 1 else []
    if short == long:
        return turns
    return [*turns, ("{ud}", "the picture" if whole else "all batches")]


def _layout(
    c: DecodeCurve, whole: bool, cells: int, height: int, glyphs: Glyphs
) -> tuple[list[Row], int, int]:
    """What is said below, the rows that leaves to picture and table, and the table's lines."""
    count = len(c.points)
    most = max(height // 4, height - 2 - count if whole else 0)
    said = told_of(c, whole or height >= ROOMY, most, cells)
    room = height - 1 - len(said) - 1  # without the head of the pane and that of the table
    if whole:
        return said, room, count
    if room - LEAST_PLOT < LEAST_LINES:
        return said, room + 1, 0  # a table of no line has no head
    return said, room, min(count, room - LEAST_PLOT)


def told(session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    """Every curve for a report: its table by batch, and what bends it; no rows without a curve."""
    rows: list[Row] = []
    found = curves(session)
    columns = decode_table.columns_of(found, session.price, cells)
    for c in found:
        rows += [
            _head(c, None, "", cells, glyphs),
            *decode_table.table(columns, c, len(c.points), cells, glyphs),
            *told_of(c, True, WHOLE, cells),
            row(""),
        ]
    return rows


def _head(
    c: DecodeCurve, place: tuple[int, int] | None, hidden: str, cells: int, glyphs: Glyphs
) -> Row:
    """The curve's model and conditions; right which of how many, or what is not in sight."""
    few = (
        f"  {glyphs.warn} {c.layers} of its {c.layers_of} layers" if c.layers < c.layers_of else ""
    )
    right: list[Piece] = [(f"{hidden} ", "dim")] if hidden else []
    if place is not None:
        right += [(f"{glyphs.left_right} ", "key"), (f"{place[0] + 1} of {place[1]} ", "dim")]
    name, dtype = shown(c.model), shown(c.dtype)
    for conditions in (f"  {c.context} tokens of context  {dtype}", f"  {c.context} tokens", ""):
        room = cells - 2 - width(right) - cell_len(conditions + few)
        if room >= min(cell_len(name), LEAST_NAME):
            break
    name = head_of(name, min(MOST_NAME, max(1, room)), glyphs.ellipsis)
    left = [(f" {name}", "title"), (conditions, ""), (few, "warn")]
    return spread(left, right or [("tokens/s over batch ", "dim")], cells)


def _lines(c: DecodeCurve) -> list[Line]:
    """Named from what matters most: where rows are short the last names go."""

    def rates(seconds: Callable[[DecodePoint], float | None]) -> list[tuple[float, float]]:
        return [(p.batch, p.batch / s) for p in c.points if (s := seconds(p))]

    alone = not any(p.graph_s for p in c.points)  # then the eager step is the measured line
    first = next(((p.batch, p.step_s) for p in c.points if p.step_s), None)
    linear = [(p.batch, p.batch / first[1]) for p in c.points] if first and first[0] == 1 else []
    return [
        Line("graph", rates(lambda p: p.graph_s), SOLID, "burst"),
        Line("eager", rates(lambda p: p.eager_s), SOLID if alone else CROSSES, "sustained"),
        Line("predicted", rates(decode_table.predicted_s), RINGS, "strong"),
        Line("paper", rates(lambda p: p.paper_s), DASHES, "nominal"),
        Line("linear", linear, DOTS, "axis"),
    ]


def told_of(c: DecodeCurve, whole: bool, most: int, cells: int) -> list[Row]:
    """Where it bends, by how much a step grows, and why; as much of it as ``most`` rows hold."""
    facts = []
    if c.first_bend is not None:
        facts.append(f"over {percent(BENT)} off linear from batch {c.first_bend}")
    elif len(c.points) > 1:
        facts.append(f"within {percent(BENT)} of linear throughout")
    if c.last_over_first is not None and len(c.points) > 1:
        first, last = c.points[0].batch, c.points[-1].batch
        facts.append(f"a step of {last} takes {figure(c.last_over_first)} times that of {first}")
    first_sentence = f"{c.reason.partition('. ')[0].removesuffix('.')}." if c.reason else ""
    ways = [(facts, first_sentence), (facts, ""), (facts[:1], "")]
    if whole:
        ways.insert(0, ([*facts, *_roof_facts(c)], c.reason))
    rows = [_sentences(c, said, reason, cells) for said, reason in ways]
    return next((r for r in rows if len(r) <= most), [])


def _roof_facts(c: DecodeCurve) -> list[str]:
    """Where its intensity goes, and what every step has beside its bytes."""
    reach = "never reached" if c.b_star is None else f"reached at batch {at_roof(c.b_star)}"
    ridge = "" if c.ridge is None else f", the ridge {figure(c.ridge)} is {reach}"
    facts = [f"intensity at most {figure(c.ai_max)} FLOP/byte{ridge}"]
    if c.overhead_s is not None:
        facts.append(f"overhead {figure(c.overhead_s * 1e3)} ms a step")
    return facts


def _sentences(c: DecodeCurve, facts: Sequence[str], reason: str, cells: int) -> list[Row]:
    """The facts in one sentence, the bend marked; then the reason."""
    if not facts:  # a single batch: no curve yet
        return wrapped(reason, cells - 2, "", " ") if reason else []
    head, *rest = wrapped("; ".join(facts) + ".", cells - 2, "", " ")
    text, bend = text_of(head), len(facts[0]) + 1
    style = "reason" if c.first_bend is not None else "ok"
    out = [row((text[:bend], style), text[bend:]), *rest]
    return [*out, *(wrapped(reason, cells - 2, "", " ") if reason else [])]


def _unmeasured(
    session: Session,
    paper: Plan | None,
    follows: bool,
    cells: int,
    height: int,
    glyphs: Glyphs,
) -> list[Row]:
    """Why there is no curve and what measures one; the plan's curve on paper in its place."""
    probes = [spec.key for spec in session.specs if spec.protocol == "decode"]
    waits = bool(probes) and not session.closed
    rows = [row((NOT_YET if waits else NEVER, "title"))]
    if not waits:
        rows += wrapped(HOW, cells - 2, "", " ")
    if follows and paper is not None:
        rows = [row((NOT_YET if waits else f" to measure it: {ON_SCREEN}", "dim"))]
    for note in session.notes:
        if note.probe in probes and note.run == session.shown_run:
            rows += wrapped(note.text, cells - 3, "note", f" {glyphs.note} ")
    if paper is None:
        return rows
    where = f"{paper.context} tokens on {shown(paper.gpu)}, on paper by {paper.figures} roofs"
    title = hung(f" {shown(paper.model)}  ", where, cells - 1, of_head="title")
    first = paper.curve[0]
    lines = [
        Line("paper", [(p.batch, p.tokens_per_s) for p in paper.curve], DASHES, "strong"),
        Line("linear", [(p.batch, p.batch / first.step_s) for p in paper.curve], DOTS, "axis"),
    ]
    if follows:  # the picture first: how to measure it is no news in a column that stays
        picture = plot(lines, cells - 1, height - len(title) - len(rows), glyphs)
        return [*title, *picture, *rows]
    *title, last = title
    rows += [row(""), *title, spread(last, row(("7 changes it ", "dim")), cells)]
    return [*rows, *plot(lines, cells - 1, min(height - len(rows), MOST_PLOT), glyphs)]
