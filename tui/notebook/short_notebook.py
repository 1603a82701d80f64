"""The notebook where there is no room for a chart: every sentence whole, what matters first."""

from __future__ import annotations

from roofwatch.notebook.catalog import label
from roofwatch.notebook.finding import NOTE, WRONG, Finding
from roofwatch.session.fold import Session
from roofwatch.session.measured_again import said_again
from roofwatch.session.note_said import note_said
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, hung, row, wrapped
from roofwatch.tui.notebook.finding_rows import mark_of, name_of, steps, style_of
from roofwatch.tui.notebook.mistake_rows import BESIDE, mistake_rows

NAMED = 44  # cells from which findings have their names, and mistakes their two numbers


def short_notebook(session: Session, found: list[Finding], cells: int, glyphs: Glyphs) -> list[Row]:
    """Faults and findings, gravest first; then the mistakes, why each code matters, the notes."""
    room = cells - 1
    rows: list[Row] = []
    for fault in session.faults:
        rows += hung(f" {glyphs.wrong} ", shown(fault.what), room, of_head="wrong")
    order = {WRONG: 0, NOTE: 2}
    told = sorted(found, key=lambda f: order.get(f.severity, 1))
    for f in told:
        name = name_of(f) if cells >= NAMED else shown(f.code)
        about = session.label(f.subject).removeprefix(f"{f.code} ")  # of one made on purpose
        rows += hung(
            f" {mark_of(f, glyphs)} ", f"{name} {about}: {f.message}", room, "", style_of(f)
        )
    if not rows:
        said = "no finding" if session.complete else "findings appear as the probes run"
        rows += wrapped(said, room, "dim", " ")
    made = mistake_rows(session, min(cells, BESIDE - 1), glyphs) if cells >= NAMED else []
    rows += [row(""), *made[:-1]] if made else []
    first_of = {f.code: i for i, f in reversed(list(enumerate(told)))}
    for f in (told[i] for i in sorted(first_of.values())):
        rows += [row(""), row((f" {name_of(f)}", "title"))]
        rows += hung(f" {label('why')}  ", f.why, room)
        rows += steps(f.do, f" {label('do')}  ", room)
    for note in session.notes:
        rows += wrapped(note_said(note), room, "dim", f" {glyphs.note} ")
    for said in said_again(session):
        rows += wrapped(said, room, "dim", f" {glyphs.note} ")
    return micro(rows, glyphs)
