"""The record table as rows of text: a line a row, and below it or behind it what it is of."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.notebook.finding import Finding
from roofwatch.session.began import NO_DAY, day_utc
from roofwatch.session.checks import FAILED, MISSING, Check
from roofwatch.session.fold import Session
from roofwatch.session.printable import shown
from roofwatch.session.questions import Question, questions
from roofwatch.session.rate_scale import RateScale
from roofwatch.session.record_rows import TableRow
from roofwatch.session.record_table import OneSession, RecordTable, record_table
from roofwatch.session.record_words import HEADS, about, cells, check_said, grouped, session_said
from roofwatch.session.roofs import Roofs
from roofwatch.session.unfilled import unfilled
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped

WHAT, RIGHT = 31, (8, 14, 9, 11)  # cells of the first column, and of those that end at the right
WHOLE = WHAT + sum(RIGHT) + 3  # cells of a line with its mark
LEAST_WHAT = 8
ROOMY = 116  # cells from which what a row is of stands behind it
STYLE = {MISSING: "dim", FAILED: "warn"}


def table_rows(table: RecordTable, room: int, glyphs: Glyphs) -> list[Row]:
    """The table, its checks and the sessions that it is of, in ``room`` cells."""
    out = [row((_laid(" record", HEADS[1:], room), "dim"))]
    for r in table.rows:
        out += _row(r, table.scale, room, glyphs)
    out += check_rows(table.checks, room, glyphs)
    if table.note:
        out += wrapped(table.note, room - 2, "warn", f" {glyphs.warn} ")
    if len(table.sessions) > 1:
        for s in table.sessions:
            out += wrapped(_session(s), room - 2, "dim", " ")
    return out


def session_rows(
    session: Session, own: Roofs, found: Sequence[Finding], room: int, glyphs: Glyphs
) -> list[Row]:
    """Table and answers of one session, or in a sentence why it has none; ``found`` in it."""
    if said := unfilled(session):
        return wrapped(said, room - 2, "dim", " ")
    table = table_rows(record_table([session], found), room, glyphs)
    return [*table, row(""), *question_rows(questions(session, own, found), room, glyphs)]


def check_rows(checks: Sequence[Check], room: int, glyphs: Glyphs) -> list[Row]:
    """A line a check, with its mark and its word."""
    out: list[Row] = []
    for c in grouped(list(checks)):
        mark = {FAILED: glyphs.warn, MISSING: glyphs.note}.get(c.word, glyphs.ok)
        style = STYLE.get(c.word, "")
        out += hung(f" {mark} ", shown(check_said(c)), room - 1, style, style or "ok")
    return out


def question_rows(found: Sequence[Question], room: int, glyphs: Glyphs) -> list[Row]:
    """The five questions, each with its answer and the checks that it rests on."""
    out: list[Row] = []
    for q in found:
        out += wrapped(q.question, room - 4, "dim", f" {q.number} ")
        out += [((" " * 3, ""), *r) for r in wrapped(q.answer, room - 4)]
        out += [((" " * 2, ""), *r) for r in check_rows(q.checks, room - 3, glyphs)]
    return out


def _row(r: TableRow, scale: RateScale, room: int, glyphs: Glyphs) -> list[Row]:
    told = cells(r, scale, glyphs.dash)
    what = f" {head_of(shown(told.what), _what(room) - 2, glyphs.ellipsis)}"
    beside = shown(about(r))
    if r.said and cell_len(r.said) > RIGHT[2]:  # the card: words over the whole line
        return hung(f"{what}  ", shown(r.said), room - 1, "", "")
    mark = "" if r.sound is None else glyphs.ok if r.sound else glyphs.warn
    line = f"{_laid(what, told[1:], room)} {mark}".rstrip()
    style = "dim" if not r.filled else ""
    if beside and WHOLE + 3 + cell_len(beside) < room >= ROOMY:
        gap = " " * (WHOLE + 2 - cell_len(line))
        return [row((line, style), (gap + beside, "dim"))]
    below = wrapped(beside, room - 4, "dim", "   ") if beside else []
    return [row((line, style)), *below]


def _what(room: int) -> int:
    """Cells of the first column: where it is narrow, nominal and expected stand nowhere."""
    return WHAT if room >= WHOLE else max(LEAST_WHAT, min(WHAT, room - sum(RIGHT[2:]) - 3))


def _laid(what: str, rest: Sequence[str], room: int) -> str:
    first = 0 if room >= WHOLE else 2
    texts, sizes = list(rest)[first:], list(RIGHT)[first:]
    gap = " " * (_what(room) - cell_len(what))
    return what + gap + "".join(f"{t:>{size}}" for t, size in zip(texts, sizes, strict=True))


def _session(s: OneSession) -> str:
    cut = "" if s.complete else ", cut short"
    return shown(
        f"session {s.id} of {day_utc(s.started_at) or NO_DAY}, {s.suite}{cut}: {session_said(s)}"
    )
