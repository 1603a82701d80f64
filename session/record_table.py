"""The record: the seeds' table filled from one session or several of a card, and its two checks."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.per_cent import per_cents
from roofwatch.session.checks import Check, fill, made, missing
from roofwatch.session.differences import ANOTHER
from roofwatch.session.fold import Session
from roofwatch.session.question_checks import ridge_check
from roofwatch.session.questions import Question, main_roof, questions
from roofwatch.session.record_rows import OF_ROOF, RIDGE, STEP, TableRow, table_rows
from roofwatch.session.roofs import roofs
from roofwatch.session.same_card import count_of

SCHEMA = "roofwatch.table/1"
STANDS = f"decode at batch 1 stands at {per_cents(*OF_ROOF)} of the measured roof"


class OneSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that the table was made of; ``rows`` are the items that it filled."""

    id: str
    started_at: str
    suite: str
    complete: bool
    rows: list[str]


class RecordTable(msgspec.Struct, frozen=True, kw_only=True):
    """The table. ``cards`` counts the cards that the sessions are of; ``note`` says if several."""

    card: str
    rows: list[TableRow]
    checks: list[Check]
    sessions: list[OneSession]
    cards: int
    note: str

    @property
    def missing(self) -> list[TableRow]:
        """Rows that nothing was measured for."""
        return [r for r in self.rows if not r.filled]


def record_table(sessions: Sequence[Session]) -> RecordTable:
    """One table of sessions of one card: each row of the first session that has it."""
    of_each = [{r.item: r for r in table_rows(s)} for s in sessions]
    items = dict.fromkeys(item for rows in of_each for item in rows)
    rows = [_first([rows[item] for rows in of_each if item in rows]) for item in items]
    # What a session's own precision adds comes where the first one would have it.
    order = {item: i for i, item in enumerate(of_each[0])}
    rows.sort(key=lambda r: order.get(r.item, order[RIDGE]))
    by_id = {s.id: s for s in reversed(sessions)}
    taken = {r.item: by_id.get(r.session, sessions[0]) for r in rows}
    cards = count_of(sessions)
    return RecordTable(
        card=sessions[0].device.name or "",
        rows=rows,
        checks=[_ridge(taken[RIDGE]), _decode(taken[STEP], rows)],
        sessions=[_one(s, rows) for s in sessions],
        cards=cards,
        note=f"of {cards} cards of one kind: {ANOTHER}" if cards > 1 else "",
    )


def _first(rows: Sequence[TableRow]) -> TableRow:
    return next((r for r in rows if r.filled), rows[0])


def _one(session: Session, rows: Sequence[TableRow]) -> OneSession:
    return OneSession(
        id=session.id or "",
        started_at=session.started_at or "",
        suite=session.suite,
        complete=session.complete,
        rows=[r.item for r in rows if r.session is not None and r.session == session.id],
    )


def _ridge(session: Session) -> Check:
    own = roofs(session)
    return ridge_check(session, own, main_roof(own))


def _decode(session: Session, rows: Sequence[TableRow]) -> Check:
    """The second: the largest model that was run, as a graph where there are graphs."""
    name = STANDS
    step = next(r for r in rows if r.item == STEP)
    if step.share is None:
        return missing(name, step.missing or fill(session, "add_scalar"))
    low, high = OF_ROOF
    if step.share > high:
        name += ": nearer to it than that"
    elif step.share < low:
        name += ": further below"
    return made(name, step.share, low <= step.share <= high)


def answers(sessions: Sequence[Session]) -> list[Question]:
    """The five, each from the first session that has most of its checks."""
    of_each = [questions(s, roofs(s)) for s in sessions]
    return [
        min(same, key=lambda q: (not q.values, q.missing)) for same in zip(*of_each, strict=True)
    ]
