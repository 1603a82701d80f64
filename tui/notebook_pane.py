"""The findings, each with its numbers, why it matters and what to do."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.session.events import Fault
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.rows_of_text import Row, page, row, text_of, wrapped


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    found: list[Finding] | None = None,
    scroll: int = 0,
) -> list[Row]:
    """Rows of the pane from row ``scroll`` on; the last one says how much is left."""
    out = rows(session, cells, glyphs, found)[scroll:]
    if len(out) > height > 0:
        left = len(out) - height + 1
        out = [*out[: height - 1], row((f" {left} more rows: down, up", "dim"))]
    return page(out, cells, height)


def rows(
    session: Session, cells: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> list[Row]:
    """All rows: faults first, then findings, gravest first, then what was noted."""
    found = findings(session) if found is None else found
    out: list[Row] = []
    for fault in session.faults:
        out += _fault(fault, cells, glyphs)
    for f in found:
        out += _finding(f, cells, glyphs)
    if not found and not session.faults:
        done = session.complete
        text = "Nothing smells wrong." if done else "Findings appear here as the probes run."
        out.append(row((f" {text}", "dim")))
    for note in session.notes:
        about = f"{note.probe}: " if note.probe else ""
        out += wrapped(about + note.text, cells - 2, "dim", f" {glyphs.note} ")
    while out and not text_of(out[-1]).strip():
        out.pop()
    return out


def style_of(f: Finding) -> str:
    """Style of a severity."""
    return "wrong" if f.severity == WRONG else "note" if f.severity == NOTE else "warn"


def mark_of(f: Finding, glyphs: Glyphs) -> str:
    """Glyph of a severity: never colour alone."""
    if f.severity == WRONG:
        return glyphs.wrong
    return glyphs.note if f.severity == NOTE else glyphs.warn


def _finding(f: Finding, cells: int, glyphs: Glyphs) -> list[Row]:
    name = shown(f.code if f.code == f.name else f"{f.code} {f.name}")
    head = row((f" {mark_of(f, glyphs)} {name}", style_of(f)), (f"  {f.severity}  ", "dim"))
    out: list[Row] = [(*head, (shown(f.subject), "dim"))]
    out += wrapped(f.message, cells - 4, "strong")
    out += wrapped(f.why, cells - 4, "", "Why  ")
    out += wrapped(f.do, cells - 4, "", "Do   ")
    return [out[0], *(((" " * 3, ""), *r) for r in out[1:]), row("")]


def _fault(fault: Fault, cells: int, glyphs: Glyphs) -> list[Row]:
    where = f" during {fault.probe}" if fault.probe else ""
    out = wrapped(fault.what + where, cells - 2, "wrong", f" {glyphs.wrong} ")
    for line in fault.log:
        out.append(row((f"   {shown(line)}", "dim")))
    return [*out, row("")]
