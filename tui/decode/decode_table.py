"""The decode curve's table by batch: times, what explains them, and a step drawn as a bar."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.roofline.price import cost_per_mtok
from roofwatch.session.decode import TERMS, DecodeCurve, DecodePoint
from roofwatch.session.events import Price
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure, percent, priced
from roofwatch.tui.drawing.rows_of_text import Piece, Row, row, spread
from roofwatch.tui.drawing.significant import cost
from roofwatch.tui.drawing.telling import telling

LEAST_BAR, MOST_BAR = 46, 64  # cells of a step drawn as a bar
OFF, PREDICTED, EXPLAINED, GBS = "off linear", "predicted ms", "explained", "GB/s"
TERMS_RANK, LAST_RANK = 6, 9  # of the columns of terms; of what goes before all others
STYLES = {
    "weights": "burst",
    "kv": "power",
    "compute": "wrong",
    "kernels": "sustained",
    "small": "ok",
    "launch": "note",
}
"""Of each term of a step."""


def predicted_s(p: DecodePoint) -> float | None:
    """Of the way that ``step_s`` is of."""
    return p.predicted_s if p.graph_s is not None else p.eager_predicted_s


class Column(NamedTuple):
    """Where cells are short the columns of a higher rank go, those of one rank together."""

    name: str
    cells: int
    rank: int
    text: Callable[[DecodePoint, float], str]
    style: str = ""


def columns_of(curves: Sequence[DecodeCurve], price: Price | None, cells: int) -> list[Column]:
    """The columns that fit, in their order, the same for all ``curves``: each stays in its place.

    None without a figure in any of them. Where the terms stand only without their sum, that gives
    way to how much of the step it is.
    """
    columns = _columns([p for c in curves for p in c.points], price)
    found = _kept(columns, cells)
    if any(one.rank == TERMS_RANK for one in found):
        return found
    ranks = {PREDICTED: LAST_RANK, EXPLAINED: TERMS_RANK + 1, GBS: TERMS_RANK + 2}
    other = _kept([one._replace(rank=ranks.get(one.name, one.rank)) for one in columns], cells)
    return other if any(one.rank == TERMS_RANK for one in other) else found


def _columns(points: Sequence[DecodePoint], price: Price | None) -> list[Column]:
    def term(name: str) -> Callable[[DecodePoint, float], str]:
        return lambda p, _: _ms(p.terms.get(name))

    columns = [
        Column("batch", 6, 0, lambda p, _: str(p.batch)),
        Column("tokens/s", 9, 3, lambda p, _: _known(p.tokens_per_s), "strong"),
        Column("graph ms", 9, 0, lambda p, _: _ms(p.graph_s), "burst"),
        Column("eager ms", 9, 2, lambda p, _: _ms(p.eager_s), "sustained"),
        Column(PREDICTED, 13, 5, lambda p, _: _ms(predicted_s(p))),
        Column(EXPLAINED, 10, 8, lambda p, _: percent(p.explained) if p.explained else ""),
        Column(OFF, 11, 1, lambda _, gap: f"{gap * 100:.1f} %"),
        Column(GBS, 6, 7, lambda p, _: _known(p.gbs)),
        Column("bound", 9, 3, lambda p, _: p.bound),
    ]
    if price is not None:
        per_hour, currency = price.per_hour, price.currency

        def per_mtok(p: DecodePoint, _: float) -> str:
            rate = p.tokens_per_s
            return cost(cost_per_mtok(per_hour, rate)) if rate else ""

        title = priced("/Mtok", currency)
        longest = max(len(one) for one in (title, *(per_mtok(p, 0.0) for p in points)))
        columns.append(Column(title, longest + 1, 4, per_mtok))
    for name in TERMS:
        if any(p.terms.get(name) for p in points):
            columns.append(Column(f"{name} ms", len(name) + 4, TERMS_RANK, term(name)))
    return [one for one in columns if any(one.text(p, 0.0) for p in points)]


def _kept(columns: Sequence[Column], cells: int) -> list[Column]:
    """Those that fit, rank by rank."""
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


def chosen_of(c: DecodeCurve, lines: int) -> list[int]:
    """Which batches stand there where so many lines do: those that tell most."""
    bend = next((i for i, p in enumerate(c.points) if p.batch == c.first_bend), None)
    return telling(len(c.points), lines, bend)


def table(
    columns: Sequence[Column], c: DecodeCurve, lines: int, cells: int, glyphs: Glyphs
) -> list[Row]:
    """The head, then the batches that tell most in as many lines as there are."""
    head = "".join(f"{one.name:>{one.cells}}" for one in columns)
    chosen = chosen_of(c, lines)
    said: list[Piece] = []
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
