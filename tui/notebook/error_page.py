"""The page of one error: what it is, this card's numbers, when it speaks, how to avoid it."""

from __future__ import annotations

from rich.cells import cell_len, set_cell_size

from roofwatch.notebook.catalog import chosen, label
from roofwatch.notebook.finding import Finding
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, hung, row, spread, text_of, wrapped
from roofwatch.tui.drawing.scrolled import scrolled
from roofwatch.tui.notebook.evidence_rows import evidence_rows
from roofwatch.tui.notebook.finding_rows import mark_of, name_of, severity_of, steps, style_of
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (104, 44)
HEAD = 2  # rows that stay
BESIDE = 60  # cells from which names stand beside their text, not above


def head(f: Finding, subject: str, cells: int, glyphs: Glyphs) -> Row:
    """Code and severity left, what was measured right."""
    style = style_of(f)
    left = row((f"{mark_of(f, glyphs)} {name_of(f)}", style))
    left = (*left, (f" {glyphs.dot} ", "dim"), (severity_of(f), style))
    return spread(left, row((shown(subject), "dim")), cells)


def body(f: Finding, cells: int, glyphs: Glyphs) -> list[Row]:
    """All rows under the head."""
    words = chosen().pages.get(f.code)
    names = ["numbers", "why", "do", *(["what", "fires", "avoid"] if words else [])]
    size = max(cell_len(label(name)) for name in names) + 3
    out: list[Row] = []

    def tell(name: str, text: str, style: str = "") -> None:
        if cells < BESIDE:
            out.append(row((label(name), "dim")))
            out.extend((("  ", ""), *r) for r in wrapped(text, cells - 2, style))
        else:
            out.extend(hung(set_cell_size(label(name), size), text, cells, style))

    if words:
        out += [*wrapped(words.title, cells, "title"), row("")]
        tell("what", words.what)
        out.append(row(""))
    tell("numbers", f.message, "strong")
    indent = 2 if cells < BESIDE else size
    figures = evidence_rows(f.evidence, f.message, cells - indent, glyphs)
    if figures:
        out += [row(""), *(row(" " * indent, *r) for r in figures), row("")]
    tell("why", f.why)
    if cells < BESIDE:
        out += [row((label("do"), "dim")), *steps(f.do, "  ", cells)]
    else:
        out += steps(f.do, set_cell_size(label("do"), size), cells)
    if words:
        out.append(row(""))
        tell("fires", words.fires)
        tell("avoid", words.avoid)
    return out


def build(
    f: Finding, subject: str, cells: int, height: int, glyphs: Glyphs, scroll: int = 0
) -> list[Row]:
    """The head, and what of the body fits from row ``scroll`` on."""
    return scrolled(_whole(f, subject, cells, glyphs), HEAD, cells, height, scroll)


def _whole(f: Finding, subject: str, cells: int, glyphs: Glyphs) -> list[Row]:
    top = head(f, subject, cells, glyphs)
    cut = [] if shown(subject) in text_of(top) else wrapped(subject, cells, "dim")
    return micro([top, row(""), *cut, *body(f, cells, glyphs)], glyphs)


class ErrorPage(ScrolledSheet):
    """A finding, opened."""

    def __init__(self, found: Finding, subject: str, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD)
        self._found = found
        self._subject = subject

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return _whole(self._found, self._subject, cells, self.glyphs)
