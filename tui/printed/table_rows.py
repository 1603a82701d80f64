"""The record table as rows of text: a line a row, and below it or behind it what it is of."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.session.checks import FAILED, MISSING, Check
from roofwatch.session.printable import shown
from roofwatch.session.questions import Question
from roofwatch.session.record_rows import TableRow
from roofwatch.session.record_table import OneSession, RecordTable
from roofwatch.session.record_words import HEADS, about, cells, check_said, grouped
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, head_of, hung, row, wrapped

WHAT, RIGHT = 35, (8, 14, 9, 11)  # cells of the first column, and of those that end at the right
ROOMY = 116  # cells from which what a row is of stands behind it
STYLE = {MISSING: "dim", FAILED: "warn"}


def table_rows(table: RecordTable, room: int, glyphs: Glyphs) -> list[Row]:
    """The table, its checks and the sessions that it is of, in ``room`` cells."""
    out = [row((_laid(f" {'record':<{WHAT - 1}}", HEADS[1:]), "dim"))]
    for r in table.rows:
        out += _row(r, room, glyphs)
    out += check_rows(table.checks, room, glyphs)
    if table.note:
        out += wrapped(table.note, room - 2, "warn", f" {glyphs.warn} ")
    if len(table.sessions) > 1:
        out += [row((f" {_session(s)}", "dim")) for s in table.sessions]
    return out


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


def _row(r: TableRow, room: int, glyphs: Glyphs) -> list[Row]:
    told = cells(r, glyphs.dash)
    what = f" {head_of(shown(told.what), WHAT - 2, glyphs.ellipsis)}"
    beside = shown(about(r))
    if r.said and cell_len(r.said) > RIGHT[2]:  # the card: words over the whole line
        return hung(f"{what:<{WHAT}} ", shown(r.said), room - 1, "", "")
    mark = "" if r.within is None else glyphs.ok if r.within else glyphs.warn
    line = f"{_laid(f'{what:<{WHAT}}', told[1:])} {mark}".rstrip()
    style = "dim" if not r.filled else ""
    if beside and cell_len(line) + 3 + cell_len(beside) < room >= ROOMY:
        gap = " " * max(2, WHAT + sum(RIGHT) + 4 - cell_len(line))
        return [row((line, style), (gap + beside, "dim"))]
    below = wrapped(beside, room - 4, "dim", "   ") if beside else []
    return [row((line, style)), *below]


def _laid(what: str, rest: Sequence[str]) -> str:
    return what + "".join(f"{text:>{size}}" for text, size in zip(rest, RIGHT, strict=True))


def _session(s: OneSession) -> str:
    rows = f"{len(s.rows)} rows" if len(s.rows) != 1 else "1 row"
    cut = "" if s.complete else ", cut short"
    return shown(f"session {s.id} of {s.started_at[:10]}, {s.suite}{cut}: {rows}")
