"""The mistakes made on purpose, and the findings with their numbers, why and what to do."""

from __future__ import annotations

from roofwatch.notebook.catalog import label
from roofwatch.notebook.finding import Finding
from roofwatch.session.events import Fault
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.measured_again import said_again
from roofwatch.session.note_said import note_said
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import (
    Row,
    fit,
    head_of,
    page,
    row,
    text_of,
    width,
    wrapped,
)
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.notebook.finding_rows import mark_of, name_of, severity_of, style_of, told
from roofwatch.tui.notebook.mistake_rows import mistake_rows


def build(
    session: Session,
    cells: int,
    height: int,
    glyphs: Glyphs,
    found: list[Finding] | None = None,
    scroll: int = 0,
    at: int | None = None,
    reach: str = "",
) -> list[Row]:
    """Rows of the pane from row ``scroll`` on; the last one says how much is left.

    The cursor stands on finding ``at``; ``reach`` is the key that shows the rest, down without it.
    """
    out = rows(session, cells, glyphs, found, at)[scroll:]
    if len(out) > height > 0:
        left = len(out) - height + 1
        out = [*out[: height - 1], row((f" {more_rows(left, reach or arrows(glyphs)[1])}", "dim"))]
    return page(out, cells, height)


def rows(
    session: Session,
    cells: int,
    glyphs: Glyphs,
    found: list[Finding] | None = None,
    at: int | None = None,
) -> list[Row]:
    """All rows: faults, mistakes made on purpose, findings, gravest first, what was noted."""
    return _laid_out(session, cells, glyphs, found, at)[0]


def spans(
    session: Session, cells: int, glyphs: Glyphs, found: list[Finding] | None = None
) -> tuple[list[tuple[int, int]], int]:
    """The first row and one past the last of each finding, and how many rows there are."""
    out, places = _laid_out(session, cells, glyphs, found, None)
    return places, len(out)


def _laid_out(
    session: Session, cells: int, glyphs: Glyphs, found: list[Finding] | None, at: int | None
) -> tuple[list[Row], list[tuple[int, int]]]:
    found = findings(session) if found is None else found
    out: list[Row] = []
    places: list[tuple[int, int]] = []
    for fault in session.faults:
        out += _fault(fault, cells, glyphs)
    out += mistake_rows(session, cells, glyphs)
    for i, f in enumerate(found):
        one = _finding(f, cells, glyphs, i == at)
        places.append((len(out), len(out) + len(one) - 1))
        out += one
    if not found and not session.faults:
        done = session.complete
        text = label("no_finding") if done else "Findings appear here as the probes run."
        out.append(row((f" {text}", "dim")))
    for note in session.notes:
        out += wrapped(note_said(note), cells - 2, "dim", f" {glyphs.note} ")
    for said in said_again(session):
        out += wrapped(said, cells - 2, "dim", f" {glyphs.note} ")
    while out and not text_of(out[-1]).strip():
        out.pop()
    return micro(out, glyphs), places


def _finding(f: Finding, cells: int, glyphs: Glyphs, here: bool) -> list[Row]:
    suffix = "-here" if here else ""
    head = row(
        (f"{glyphs.here if here else ' '}", f"strong{suffix}"),
        (f"{mark_of(f, glyphs)} {name_of(f)}", style_of(f) + suffix),
    )
    about = f"  {severity_of(f)}  {shown(f.subject)}"
    head = (*head, (head_of(about, cells - width(head), glyphs.ellipsis), f"dim{suffix}"))
    out = told(f, cells - 4)
    return [
        fit(head, cells, "-here") if here else head,
        *(((" " * 3, ""), *r) for r in out),
        row(""),
    ]


def _fault(fault: Fault, cells: int, glyphs: Glyphs) -> list[Row]:
    where = f" during {fault.probe}" if fault.probe else ""
    out = wrapped(fault.what + where, cells - 2, "wrong", f" {glyphs.wrong} ")
    for line in fault.log:
        out.append(row((f"   {shown(line)}", "dim")))
    return [*out, row("")]
