"""The record: the seeds' table filled from one session or several of a card, and its two checks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.per_cent import per_cents
from roofwatch.roofline.suite import DECODE, FULL, KERNELS, QUICK
from roofwatch.session.began import began_s
from roofwatch.session.checks import Check, fill, made, missing
from roofwatch.session.differences import ANOTHER
from roofwatch.session.fold import Session
from roofwatch.session.question_checks import ridge_check
from roofwatch.session.questions import Question, main_roof, questions
from roofwatch.session.rate_scale import FROM_TERA, RateScale, scale_of
from roofwatch.session.record_rows import (
    BANDWIDTH,
    OF_ROOF,
    RIDGE,
    STEP,
    TableRow,
    flat_item,
    table_rows,
)
from roofwatch.session.roof_doubts import doubted_probes
from roofwatch.session.roofs import roofs
from roofwatch.session.same_card import count_of

MOST_TOLD = (FULL, QUICK, KERNELS, DECODE)  # suites, by how much they tell of a card
SCHEMA = "roofwatch.table/1"
STANDS = f"decode at batch 1 stands at {per_cents(*OF_ROOF)} of the measured roof"


class OneSession(msgspec.Struct, frozen=True, kw_only=True):
    """A session that the table was made of.

    ``rows`` are the items that it filled, ``answers`` the numbers of those that rest on it.
    """

    id: str
    started_at: str
    suite: str
    complete: bool
    rows: list[str]
    answers: list[int] = []


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

    @property
    def scale(self) -> RateScale:
        """The unit in which its rates have digits, as ``rate_scale`` has it of one session."""
        rates = [r for r in self.rows if r.unit in FROM_TERA]
        for of_each in ([r.low for r in rates], [r.nominal for r in rates]):
            if known := [figure for figure in of_each if figure is not None]:
                return scale_of(known)
        return scale_of([r.measured for r in rates if r.measured is not None])


class Record(NamedTuple):
    """The table and the five answers, of the same sessions' same figures."""

    table: RecordTable
    answers: list[Question]


def record_table(
    sessions: Sequence[Session], found: Sequence[Finding] | None = None
) -> RecordTable:
    """One table of sessions of one card.

    Each row is of the session that tells most of the card and has it: a complete one before one
    that was cut short, full before quick, kernels, decode and others; of two alike the later.
    ``found`` are the findings of a single session, where they are at hand.
    """
    if len(sessions) > 1:
        return merged(sessions).table
    rows = [(row, sessions[0]) for row in table_rows(sessions[0], found)]
    return _table(sessions, rows, [(n, sessions[0]) for n in range(1, 6)])


def answers(sessions: Sequence[Session]) -> list[Question]:
    """The five, each from the session that the table's figure of it is of."""
    return merged(sessions).answers


def merged(sessions: Sequence[Session]) -> Record:
    """Table and answers: a figure that stands in both is of one session, whatever their order."""
    order = sorted(sessions, key=lambda s: (began_s(s.started_at) or 0.0, s.id or ""), reverse=True)
    order.sort(key=_tells_most)
    of_each = [{r.item: r for r in table_rows(s)} for s in order]
    items = dict.fromkeys(item for rows in of_each for item in rows)
    rows = [
        _first([(rows[i], s) for rows, s in zip(of_each, order, strict=True) if i in rows])
        for i in items
    ]
    # What a session's own precision adds comes where the first one would have it.
    place = {item: i for i, item in enumerate(of_each[0])}
    rows.sort(key=lambda taken: place.get(taken[0].item, place[RIDGE]))
    asked = [(s, questions(s, roofs(s))) for s in order]
    of_row = {row.item: s for row, s in rows}
    ridge = of_row[RIDGE]
    main = roofs(ridge).main_key
    flat = of_row.get(flat_item(main), ridge) if main else ridge
    chosen = [of_row[BANDWIDTH], flat, ridge, of_row[STEP]]
    told = [(s, found[i]) for i, one in enumerate(chosen) for s, found in asked if s is one]
    # The fifth has no row: it is of the session that has most of its checks.
    told.append(
        min(((s, found[4]) for s, found in asked), key=lambda x: (not x[1].values, x[1].missing))
    )
    table = _table(order, rows, [(q.number, s) for s, q in told])
    return Record(table, [q for _, q in told])


def _tells_most(session: Session) -> tuple[bool, int]:
    known = session.suite in MOST_TOLD
    return not session.complete, MOST_TOLD.index(session.suite) if known else len(MOST_TOLD)


def _first(rows: Sequence[tuple[TableRow, Session]]) -> tuple[TableRow, Session]:
    return next((taken for taken in rows if taken[0].filled), rows[0])


def _table(
    sessions: Sequence[Session],
    rows: Sequence[tuple[TableRow, Session]],
    told: Sequence[tuple[int, Session]],
) -> RecordTable:
    """Of rows and answers with the session of each."""
    of_row = {row.item: s for row, s in rows}
    cards = count_of(sessions)
    own = roofs(of_row[RIDGE])
    each = []
    for s in sessions:
        filled = [row.item for row, of in rows if of is s and row.filled]
        rests = [number for number, of in told if of is s]
        each.append(_one(s, filled, rests))
    return RecordTable(
        card=sessions[0].device.name or "",
        rows=[row for row, _ in rows],
        checks=[
            ridge_check(of_row[RIDGE], own, main_roof(own), doubted_probes(of_row[RIDGE], own)),
            _decode(of_row[STEP], [row for row, _ in rows]),
        ],
        sessions=each,
        cards=cards,
        note=f"of {cards} cards of one kind: {ANOTHER}" if cards > 1 else "",
    )


def _one(session: Session, rows: list[str], rests: list[int]) -> OneSession:
    return OneSession(
        id=session.id or "",
        started_at=session.started_at or "",
        suite=session.suite,
        complete=session.complete,
        rows=rows,
        answers=rests,
    )


def _decode(session: Session, rows: Sequence[TableRow]) -> Check:
    """The second: the largest model that was run, as a graph where there are graphs."""
    name = STANDS
    step = next(r for r in rows if r.item == STEP)
    if step.share is None:
        return missing(name, step.missing or fill(session, "add_scalar"))
    stands = bool(step.within)  # as the row says
    if not stands:
        name += ": nearer to it than that" if step.share >= OF_ROOF[1] else ": further below"
    return made(name, step.share, stands, "of it")
