"""Every answer has its checks as data: ok, failed, or missing with what would fill it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from roofwatch.session.checks import FAILED, MISSING, OK
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.question_checks import LITTLE
from roofwatch.session.questions import questions
from roofwatch.session.record_rows import table_rows
from roofwatch.session.record_table import record_table
from roofwatch.session.record_words import about
from roofwatch.session.roofs import roofs

SESSIONS = sorted((Path(__file__).parent.parent / "sessions").glob("*-1.jsonl"))


def asked(session: Session) -> dict[int, list[tuple[str, str, str]]]:
    found = questions(session, roofs(session))
    return {q.number: [(c.check, c.word, c.fill) for c in q.checks] for q in found}


@pytest.mark.parametrize("path", SESSIONS, ids=lambda p: p.stem)
def test_a_check_has_its_word_and_one_that_is_missing_what_fills_it(path: Path) -> None:
    session = fold(events(path))
    for q in questions(session, roofs(session)):
        assert q.checks, q.number
        for c in q.checks:
            assert c.word in (OK, FAILED, MISSING)
            assert c.ok is (c.word == OK)
            assert (c.ratio is None) is (c.word == MISSING)
            assert bool(c.fill) is (c.word == MISSING)


def test_question_1_always_has_the_seeds_three(full: Session, h200: Session) -> None:
    whole, quick = asked(full)[1], asked(h200)[1]
    assert [word for _, word, _ in whole] == [OK, OK, OK]
    assert [word for _, word, _ in quick] == [OK, MISSING, MISSING]
    assert quick[1][2] == "add_scalar sizes: roofwatch run --suite full"
    assert len(asked(Session())[1]) == 3


def test_question_2_knows_the_unit_the_size_and_the_clock(full: Session) -> None:
    names = [name for name, word, _ in asked(full)[2] if word == OK]
    assert names == [
        "bf16 lies in its expected range",
        "the kernel's name is one of tensor cores",
        "the matrix is right of the ridge",
        "the clock was read meanwhile",
    ]


def test_question_3_fails_where_the_ridge_is_far_off(full: Session) -> None:
    assert [word for _, word, _ in asked(full)[3]] == [OK, OK]
    for i, m in enumerate(full.measurements):
        if m.probe in ("matmul-bf16", "matmul-bf16-sustained"):
            full.measurements[i] = type(m)(
                **{
                    **{f: getattr(m, f) for f in m.__struct_fields__},
                    "times_s": [3 * t for t in m.times_s],
                }
            )
    assert [word for _, word, _ in asked(full)[3]] == [FAILED, FAILED]
    assert asked(full)[2][0][1] == FAILED


def checks_of(session: Session, number: int) -> list[tuple[str, bool]]:
    found = questions(session, roofs(session))
    return [(c.check, c.ok) for q in found if q.number == number for c in q.checks]


def test_a_check_has_the_mark_of_its_row(h200: Session) -> None:
    session = h200
    session.measurements = [
        structs.replace(m, times_s=[t * (1 + 0.5 * (i % 4) / 3) for i, t in enumerate(m.times_s)])
        if m.op == "add_scalar"
        else m
        for m in session.measurements
    ]
    ridge = next(r for r in table_rows(session) if r.item == "ridge")
    (said, ok), *_ = checks_of(session, 3)
    assert (ridge.within, ridge.sound, ok) == (True, False, False)
    assert "but is not to be believed: " in said
    assert ridge.doubt in said
    (of_table, *_) = record_table([session]).checks
    assert (of_table.check, of_table.ok) == (said, ok)


def test_a_range_that_says_little_is_called_so(h200: Session) -> None:
    session = h200
    for key, e in list(session.expects.items()):
        if e.probe == "matmul-bf16":
            session.expects[key] = structs.replace(e, low=e.high / 74)
    (said, ok), *_ = checks_of(session, 2)
    assert said == f"bf16 lies in its expected range, {LITTLE}"
    assert ok
    (row,) = (r for r in table_rows(session) if r.item == "compute_bf16")
    assert LITTLE in about(row)
    (row,) = (r for r in table_rows(session) if r.item == "bandwidth")
    assert LITTLE not in about(row)


def test_questions_4_and_5_name_their_suites(h200: Session) -> None:
    found = asked(h200)
    assert {f for _, _, f in found[4]} == {"decode: roofwatch run --suite decode"}
    assert {f for _, _, f in found[5]} == {"kernels: roofwatch run --suite kernels"}
