"""The decode step over batch where there is no room for a picture: a line a batch, all of them."""

from __future__ import annotations

from roofwatch.session.decode import DecodePoint
from roofwatch.session.fold import Session
from roofwatch.session.plan import Plan
from roofwatch.session.printable import shown
from roofwatch.tui.decode.decode_pane import ON_SCREEN, WHOLE, curves, told_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
from roofwatch.tui.drawing.rows_of_text import Row, head_of, spread, wrapped
from roofwatch.tui.drawing.short_rows import CUT, parts, shortened_from
from roofwatch.tui.drawing.telling import arrows


def build(
    session: Session,
    cells: int,
    height: int,
    which: int,
    paper: Plan | None,
    glyphs: Glyphs,
    first: int = 0,
) -> list[Row]:
    """Rows of one curve, counted round, from row ``first`` on."""
    whole = rows(session, cells, which, paper, glyphs)
    return shortened_from(first, whole, cells, height, arrows(glyphs)[1])


def rows(session: Session, cells: int, which: int, paper: Plan | None, glyphs: Glyphs) -> list[Row]:
    """All rows: the curve's batches, then what bends it; without a curve the plan's on paper."""
    found = curves(session)
    if not found:
        return _paper(paper, cells)
    c = found[which % len(found)]
    title = f" {head_of(shown(c.model), max(8, cells - 14), CUT)}"
    head = parts(cells, (title, "title"), (f"  {c.context} tokens", ""))
    if len(found) > 1:
        place = f"{glyphs.left_right} {which % len(found) + 1} of {len(found)} "
        head = spread(_trimmed(head), [(place, "dim")], cells)
    return [head, *(_line(p, cells) for p in c.points), *told_of(c, True, WHOLE, cells)]


def _trimmed(head: Row) -> Row:
    return tuple(piece for piece in head if piece[0].strip())


def _line(p: DecodePoint, cells: int) -> Row:
    step = f"{figure(p.step_s * 1e3)} ms" if p.step_s else "not measured"
    rate = f"{figure(p.tokens_per_s):>7} tokens/s" if p.tokens_per_s else ""
    head = (f" batch {p.batch:>3} ", "dim")
    return parts(cells, head, (f"{step:>8}", "strong"), (rate, ""), (f"  {p.bound}", ""))


def _paper(paper: Plan | None, cells: int) -> list[Row]:
    out = wrapped(f"no decode step here: {ON_SCREEN}", cells - 2, "dim", " ")
    if paper is not None:
        out += wrapped(
            f"{shown(paper.model)}, {paper.context} tokens, on paper:", cells - 2, "title", " "
        )
        for p in paper.curve:
            head = (f" batch {p.batch:>3} ", "dim")
            step = (f"{figure(p.step_s * 1e3):>6} ms", "strong")
            rate = (f"{figure(p.tokens_per_s):>7} tokens/s", "")
            out.append(parts(cells, head, step, rate))
    return out
