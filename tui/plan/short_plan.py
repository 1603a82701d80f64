"""The plan where there is little room: the open field, then figures and batches by pages."""

from __future__ import annotations

import math

from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, head_of, page, row, wrapped
from roofwatch.tui.plan.plan_batches import BACK, FORTH, table
from roofwatch.tui.plan.plan_fields import PlanFields
from roofwatch.tui.plan.plan_figures import figures
from roofwatch.tui.plan.plan_pane import MAKER, field_row
from roofwatch.tui.plan.plan_rows import points

ORDER = (4, 6, 7)  # figures that come first: b*, what ends it, the floor
MARGIN = row(" ")


def build(
    fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """The open field and what is wrong with it; below it a page of what follows from all fields."""
    top, rows = _top(fields, session, cells, glyphs), _rows(fields, session, cells, glyphs)
    room = max(1, height - len(top))
    if len(rows) <= room:
        return micro(page([*top, *rows], cells, height), glyphs)
    lines = max(1, room - 1)
    at = min(fields.page, math.ceil(len(rows) / lines) - 1)
    first = min(at * lines, len(rows) - lines)
    left = len(rows) - first - lines
    told = [f"{left} more: {FORTH}"] * bool(left) + [f"{BACK}: back"] * bool(first)
    more = row((f" {', '.join(told)}", "dim"))
    return micro(page([*top, *rows[first : first + lines], more], cells, height), glyphs)


def pages(fields: PlanFields, session: Session, cells: int, height: int, glyphs: Glyphs) -> int:
    """How many pages there are below the field."""
    rows = _rows(fields, session, cells, glyphs)
    room = max(1, height - len(_top(fields, session, cells, glyphs)))
    return 1 if len(rows) <= room else math.ceil(len(rows) / max(1, room - 1))


def _top(fields: PlanFields, session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    answer = fields.answer(session)
    rows = [field_row(fields, fields.open, session, cells, glyphs)]
    if fields.said:
        rows += wrapped(fields.said, cells - 2, "warn", " ")
    if answer.plan is None:
        rows += wrapped(answer.remark, cells - 2, "warn", f" {glyphs.warn} ")
    return rows


def _rows(fields: PlanFields, session: Session, cells: int, glyphs: Glyphs) -> list[Row]:
    """Card and model, the figures, b* first, then every batch, and what has to be said beside."""
    answer = fields.answer(session)
    p = answer.plan
    if p is None:
        return []
    title = f"{shown(p.gpu).removeprefix(MAKER)}, {shown(p.model)}"
    told = figures(p, cells - 2)
    order = [ORDER.index(i) if i in ORDER else len(ORDER) + i for i in range(len(told))]
    told = [told[i] for i in sorted(range(len(told)), key=order.__getitem__)]
    rows: list[Row] = [row((f" {head_of(title, cells - 2, glyphs.ellipsis)}", "dim"))]
    rows += [(*MARGIN, *r) for r in told]
    rows += table(p, cells, len(points(p)) + 1)
    for note in (answer.remark, answer.overhead, *p.notes):
        rows += wrapped(note, cells - 2, "note", f" {glyphs.note} ") if note else []
    return rows
