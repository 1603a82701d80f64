"""The decode step over batch: measured both ways, from its parts, on paper, and what bends it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.roofline.price import cost_per_mtok
from roofwatch.session.decode import BENT, TERMS, DecodeCurve, DecodePoint, decode_curves
from roofwatch.session.events import Price
from roofwatch.session.fold import Session
from roofwatch.session.plan import Plan
from roofwatch.session.printable import shown
from roofwatch.session.roofs import roofs
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.numbers import figure, money, percent, priced
from roofwatch.tui.rows_of_text import (
    Piece,
    Row,
    head_of,
    hung,
    page,
    row,
    spread,
    text_of,
    wrapped,
)
from roofwatch.tui.telling import telling
from roofwatch.tui.throughput_plot import CROSSES, DASHES, DOTS, RINGS, SOLID, Line, plot

LEAST_PLOT = 9  # rows that the picture keeps before the table gives way
MOST_PLOT = 40
ROOMY = 26  # rows from which all that is to be said stands below
LEAST_BAR, MOST_BAR = 46, 64  # cells of a step drawn as a bar
MOST_NAME = 40  # cells of a model's
OFF = "off linear"
STYLES = {
    "weights": "burst",
    "kv": "power",
    "compute": "wrong",
    "kernels": "sustained",
    "small": "ok",
    "launch": "note",
}
"""Of each term of a step."""
ON_SCREEN = "roofwatch --suite decode"
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
    which: int = 0,
    whole: bool = False,
    paper: Plan | None = None,
) -> list[Row]:
    """Rows of the pane for one curve, counted round.

    ``whole`` gives the table all rows, else the picture keeps some and the table shows the batches
    that tell most. Without any curve ``paper`` is drawn, if there is one.
    """
    found = curves(session)
    if not found:
        return page(_unmeasured(session, paper, cells, height, glyphs), cells, height)
    c = found[which % len(found)]
    head = _head(c, which % len(found), len(found), cells, glyphs)
    said = _said(c, whole or height >= ROOMY, cells, glyphs)
    said = said[: max(0, height - LEAST_PLOT - 1)]
    columns = _columns(c, session.price, cells)
    room = height - 1 - len(said) - 1  # for the picture and the table's lines, without its head
    lines = len(c.points)
    if not whole:
        lines = max(0, min(lines, room - LEAST_PLOT)) if room >= LEAST_PLOT else 0
    drawn = plot(_lines(c), cells - 1, room - lines, glyphs)
    if not drawn:
        lines = min(len(c.points), max(0, room))
    table = _table(columns, c, lines, cells, glyphs) if lines else []
    return page([head, *drawn, *table, *said], cells, height)


def small(session: Session, cells: int, height: int, which: int = 0) -> list[Row]:
    """What a terminal too small for a picture gets: a line a batch."""
    found = curves(session)
    if not found:
        return page([row((f" no decode step here: {ON_SCREEN}", "dim"))], cells, height)
    c = found[which % len(found)]
    rows = [row((f" {shown(c.model)}, {c.context} tokens", "title"))]
    for p in c.points:
        step = f"{figure(p.step_s * 1e3)} ms" if p.step_s else "not measured"
        rate = f"{figure(p.tokens_per_s)} tokens/s" if p.tokens_per_s else ""
        rows.append(row((f" batch {p.batch:>3} ", "dim"), f"{step:>8}  {rate}"))
    return page([*rows, *wrapped(c.reason, cells - 2, "dim", " ")], cells, height)


def told(session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    """Every curve for a report: its table by batch, and what bends it; no rows without a curve."""
    rows: list[Row] = []
    for c in curves(session):
        columns = _columns(c, session.price, cells)
        rows += [
            _head(c, 0, 1, cells, glyphs),
            *_table(columns, c, len(c.points), cells, glyphs),
            *_said(c, True, cells, glyphs),
            row(""),
        ]
    return rows


def _head(c: DecodeCurve, which: int, of: int, cells: int, glyphs: Glyphs) -> Row:
    left: list[Piece] = [
        (f" {head_of(shown(c.model), MOST_NAME, glyphs.ellipsis)}", "title"),
        (f"  {c.context} tokens of context  {shown(c.dtype)}", ""),
    ]
    if c.layers < c.layers_of:
        left.append((f"  {glyphs.warn} {c.layers} of its {c.layers_of} layers", "warn"))
    right: list[Piece] = [("tokens/s over batch ", "dim")]
    if of > 1:
        right = [(f"{glyphs.left_right} ", "key"), (f"{which + 1} of {of} ", "dim")]
    return spread(left, right, cells)


def _lines(c: DecodeCurve) -> list[Line]:
    """Named from what matters most: where rows are short the last names go."""

    def rates(seconds: Callable[[DecodePoint], float | None]) -> list[tuple[float, float]]:
        return [(p.batch, p.batch / s) for p in c.points if (s := seconds(p))]

    first = next(((p.batch, p.step_s) for p in c.points if p.step_s), None)
    linear = [(p.batch, p.batch / first[1]) for p in c.points] if first and first[0] == 1 else []
    return [
        Line("graph", rates(lambda p: p.graph_s), SOLID, "burst"),
        Line("eager", rates(lambda p: p.eager_s), CROSSES, "sustained"),
        Line("predicted", rates(_predicted), RINGS, "strong"),
        Line("paper", rates(lambda p: p.paper_s), DASHES, "nominal"),
        Line("linear", linear, DOTS, "axis"),
    ]


def _predicted(p: DecodePoint) -> float | None:
    """Of the way that ``step_s`` is of."""
    return p.predicted_s if p.graph_s is not None else p.eager_predicted_s


class _Column(NamedTuple):
    """Where cells are short the columns of a higher rank go, those of one rank together."""

    name: str
    cells: int
    rank: int
    text: Callable[[DecodePoint, float], str]
    style: str = ""


def _columns(c: DecodeCurve, price: Price | None, cells: int) -> list[_Column]:
    """The columns that fit, in their order; none without a figure in it."""

    def term(name: str) -> Callable[[DecodePoint, float], str]:
        return lambda p, _: _ms(p.terms.get(name))

    columns = [
        _Column("batch", 6, 0, lambda p, _: str(p.batch)),
        _Column("tokens/s", 9, 3, lambda p, _: _known(p.tokens_per_s), "strong"),
        _Column("graph ms", 9, 0, lambda p, _: _ms(p.graph_s), "burst"),
        _Column("eager ms", 9, 2, lambda p, _: _ms(p.eager_s), "sustained"),
        _Column("predicted", 10, 5, lambda p, _: _ms(_predicted(p))),
        _Column("explained", 10, 8, lambda p, _: percent(p.explained) if p.explained else ""),
        _Column(OFF, 11, 1, lambda _, gap: f"{gap * 100:.1f} %"),
        _Column("GB/s", 6, 7, lambda p, _: _known(p.gbs)),
        _Column("bound", 9, 3, lambda p, _: p.bound),
    ]
    if price is not None:
        per_hour, currency = price.per_hour, price.currency

        def cost(p: DecodePoint, _: float) -> str:
            rate = p.tokens_per_s
            return money(cost_per_mtok(per_hour, rate), currency) if rate else ""

        title = priced("/Mtok", currency)
        longest = max(len(one) for one in (title, *(cost(p, 0.0) for p in c.points)))
        columns.append(_Column(title, max(10, longest + 1), 4, cost))
    of_step = [name for name in TERMS if any(p.terms.get(name) for p in c.points)]
    for name in of_step:
        title = f"{name} ms" if name == of_step[0] else name
        columns.append(_Column(title, max(len(title) + 1, 6), 6, term(name)))
    columns = [one for one in columns if any(one.text(p, 0.0) for p in c.points)]
    left = cells
    kept: set[int] = set()
    for rank in sorted({one.rank for one in columns}):
        needed = sum(one.cells for one in columns if one.rank == rank)
        if needed <= left or not kept:
            left -= needed
            kept.add(rank)
    return [one for one in columns if one.rank in kept]


def _known(value: float | None) -> str:
    return "" if value is None else figure(value)


def _ms(seconds: float | None) -> str:
    """Milliseconds with as many digits above and below each other."""
    if seconds is None:
        return ""
    return f"{seconds * 1e3:.{2 if seconds < 0.00995 else 1}f}"


def _table(
    columns: Sequence[_Column], c: DecodeCurve, lines: int, cells: int, glyphs: Glyphs
) -> list[Row]:
    """The head, then the batches that tell most in as many lines as there are."""
    head = "".join(f"{one.name:>{one.cells}}" for one in columns)
    bend = next((i for i, p in enumerate(c.points) if p.batch == c.first_bend), None)
    chosen = telling(len(c.points), lines, bend)
    more = len(c.points) - len(chosen)
    said: list[Piece] = [(f"down: {more} more ", "dim")] if more else []
    bar_cells = min(MOST_BAR, cells - len(head) - 4)
    shown_terms = [t for t in TERMS if any(p.terms.get(t) for p in c.points)]
    if bar_cells >= LEAST_BAR and shown_terms:
        legend = "  ".join(f"{_textures(glyphs)[t]} {t}" for t in shown_terms)
        said = [(legend, "dim"), (" " * (cells - len(head) - len(legend) - 4), "")]
    else:
        bar_cells = 0
    longest_s = max((sum(p.terms.values()) for p in c.points), default=0.0)
    rows = [spread([(head, "dim")], said, cells - 1) if said else row((head, "dim"))]
    for i in chosen:
        p = c.points[i]
        gap = c.gaps[i] if i < len(c.gaps) else 0.0
        bent = p.batch == c.first_bend
        rows.append(
            row(
                *(
                    (
                        f"{one.text(p, gap):>{one.cells}}",
                        "reason" if bent and one.name == OFF else one.style,
                    )
                    for one in columns
                ),
                "   ",
                *_bar(p, longest_s, bar_cells, glyphs),
            )
        )
    return rows


def _textures(g: Glyphs) -> dict[str, str]:
    """What each term is drawn with in a bar: told apart without colour."""
    signs = (g.full, g.band, g.cross, g.empty, g.spark[1], g.dash)
    return dict(zip(TERMS, signs, strict=True))


def _bar(p: DecodePoint, longest_s: float, cells: int, glyphs: Glyphs) -> list[Piece]:
    """A step by its terms, as long as it takes beside the longest."""
    if not cells or not longest_s:
        return []
    pieces: list[Piece] = []
    done_s, drawn = 0.0, 0
    for term in TERMS:
        done_s += max(0.0, p.terms.get(term, 0.0))
        end = min(cells, round(done_s / longest_s * cells))
        pieces.append((_textures(glyphs)[term] * (end - drawn), STYLES[term]))
        drawn = max(drawn, end)
    return pieces


def _said(c: DecodeCurve, whole: bool, cells: int, glyphs: Glyphs) -> list[Row]:
    """Where it bends, by how much a step grows, and why; short of room the heads of it."""
    facts = []
    if c.first_bend is not None:
        facts.append(f"over {percent(BENT)} off linear from batch {c.first_bend}")
    elif len(c.points) > 1:
        facts.append(f"within {percent(BENT)} of linear throughout")
    if c.last_over_first is not None and len(c.points) > 1:
        first, last = c.points[0].batch, c.points[-1].batch
        facts.append(f"a step of {last} takes {figure(c.last_over_first)} times that of {first}")
    reason = c.reason
    if whole:
        reach = "never reached" if c.b_star is None else f"reached at batch {c.b_star:.0f}"
        ridge = "" if c.ridge is None else f", the ridge {figure(c.ridge)} is {reach}"
        facts.append(f"intensity at most {figure(c.ai_max)} FLOP/byte{ridge}")
        if c.overhead_s is not None:
            facts.append(f"overhead {figure(c.overhead_s * 1e3)} ms a step")
    else:
        reason = reason.partition(". ")[0].removesuffix(".") + "." if reason else ""
    if not facts:  # a single batch: no curve yet
        return wrapped(reason, cells - 2, "", " ")
    head, *rest = wrapped("; ".join(facts) + ".", cells - 2, "", " ")
    text, bend = text_of(head), len(facts[0]) + 1
    style = "reason" if c.first_bend is not None else "ok"
    out = [row((text[:bend], style), text[bend:]), *rest]
    return [*out, *wrapped(reason, cells - 2, "", " ")]


def _unmeasured(
    session: Session, paper: Plan | None, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    probes = [spec.key for spec in session.specs if spec.protocol == "decode"]
    if probes and not session.closed:
        rows = [row((" No decode step is measured yet; the card's roofs come first.", "title"))]
    else:
        rows = [row((" No decode step was measured in this session.", "title"))]
        rows += wrapped(HOW, cells - 2, "", " ")
    for note in session.notes:
        if note.probe in probes and note.run == session.shown_run:
            rows += wrapped(note.text, cells - 3, "note", f" {glyphs.note} ")
    if paper is None:
        return rows
    where = f"{paper.context} tokens on {shown(paper.gpu)}, on paper by {paper.figures} roofs"
    *title, last = hung(f" {shown(paper.model)}  ", where, cells - 1, of_head="title")
    rows += [row(""), *title, spread(last, row(("7 changes it ", "dim")), cells)]
    first = paper.curve[0]
    lines = [
        Line("paper", [(p.batch, p.tokens_per_s) for p in paper.curve], DASHES, "strong"),
        Line("linear", [(p.batch, p.batch / first.step_s) for p in paper.curve], DOTS, "axis"),
    ]
    return [*rows, *plot(lines, cells - 1, min(height - len(rows), MOST_PLOT), glyphs)]
