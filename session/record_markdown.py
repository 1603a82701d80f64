"""The record table and the five answers as Markdown; ``escaped`` keeps text from being markup."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.session.began import NO_DAY, day_utc
from roofwatch.session.checks import FAILED, OK, Check
from roofwatch.session.markdown_lists import NOTE_MARK, OK_MARK, WARN_MARK, Escape
from roofwatch.session.questions import Question
from roofwatch.session.record_table import RecordTable
from roofwatch.session.record_words import HEADS, about, cells, check_said, grouped, session_said


def table_markdown(table: RecordTable, escaped: Escape) -> str:
    """The table, and under it its checks and the sessions that it is of."""
    heads = ["record", *HEADS[1:], "mark", "remark"]
    lines = [_line(heads), _line(["---", *["---:"] * 4, "---", "---"])]
    for r in table.rows:
        told = [escaped(cell) for cell in cells(r, table.scale)]
        lines.append(_line([*told, marked(r.sound), escaped(about(r))]))
    parts = ["\n".join(lines), "\n".join(f"- {_check(c, escaped)}" for c in table.checks)]
    if table.note:
        parts.append(escaped(table.note))
    if len(table.sessions) > 1:
        each = ", ".join(
            f"{s.id} of {day_utc(s.started_at) or NO_DAY} ({s.suite}: {session_said(s)})"
            for s in table.sessions
        )
        parts.append(escaped(f"Sessions: {each}."))
    return "\n\n".join(parts)


def questions_markdown(found: Sequence[Question], escaped: Escape) -> str:
    """Each question with its answer, and its checks as a list."""
    blocks = []
    for q in found:
        head = f"**{q.number}. {escaped(q.question)}** {escaped(q.answer)}"
        checks = [_check(c, escaped) for c in grouped(q.checks)]
        blocks.append("\n".join([head, "", *(f"- {said}" for said in checks)]).rstrip())
    return "\n\n".join(blocks)


def marked(sound: bool | None) -> str:
    """The mark of a figure, as the text has it; none where nothing is said of it."""
    return "" if sound is None else OK_MARK if sound else WARN_MARK


def _check(check: Check, escaped: Escape) -> str:
    mark = {OK: OK_MARK, FAILED: WARN_MARK}.get(check.word, NOTE_MARK)
    return f"{mark} {escaped(check_said(check))}"


def _line(row: Sequence[str]) -> str:
    return f"| {' | '.join(row)} |"
