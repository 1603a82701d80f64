"""The findings, each with its numbers, why it matters and what to do."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.session.events import Fault
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.tui.glyphs import Glyphs
from roofwatch.tui.rows_of_text import Row, page, row, shown, wrapped


def build(
    session: Session, cells: int, height: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> list[Row]:
    """Rows of the pane: faults first, then findings, gravest first, then what was noted."""
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
    return page(out, cells, height)


def style_of(f: Finding) -> str:
    """Style of a severity."""
    return "wrong" if f.severity == WRONG else "note" if f.severity == NOTE else "warn"


def mark_of(f: Finding, glyphs: Glyphs) -> str:
    """Glyph of a severity: never colour alone."""
    if f.severity == WRONG:
        return glyphs.wrong
    return glyphs.note if f.severity == NOTE else glyphs.warn


def _finding(f: Finding, cells: int, glyphs: Glyphs) -> list[Row]:
    name = f.code if f.code == f.name else f"{f.code} {f.name}"
    head = row((f" {mark_of(f, glyphs)} {name}", style_of(f)), (f"  {f.severity}  ", "dim"))
    rows: list[Row] = [(*head, (shown(f.subject), "dim"))]
    rows += wrapped(f.message, cells - 4, "strong")
    rows += wrapped(f.why, cells - 4, "", "Why  ")
    rows += wrapped(f.do, cells - 4, "", "Do   ")
    return [rows[0], *(((" " * 3, ""), *r) for r in rows[1:]), row("")]


def _fault(fault: Fault, cells: int, glyphs: Glyphs) -> list[Row]:
    where = f" during {fault.probe}" if fault.probe else ""
    rows = wrapped(fault.what + where, cells - 2, "wrong", f" {glyphs.wrong} ")
    for line in fault.log:
        rows.append(row((f"   {shown(line)}", "dim")))
    return [*rows, row("")]
