"""Every answer has its checks as data: ok, failed, or missing with what would fill it."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from roofwatch.session.checks import FAILED, MISSING, OK
from roofwatch.session.events import AnyEvent, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.question_checks import LITTLE
from roofwatch.session.questions import questions
from roofwatch.session.record_rows import table_rows
from roofwatch.session.record_table import record_table
from roofwatch.session.record_words import about, check_said
from roofwatch.session.roofs import roofs

CPU = Path(__file__).parent.parent / "sessions" / "cpu" / "full-1.jsonl"
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
            said = check_said(c)  # no figure without what it is of
            assert ("(" in said) == bool(c.of or c.fill or "(" in c.check)


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
    assert "and is to be believed: not so, " in said
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


def test_every_figure_of_a_check_is_said_of_what(full: Session) -> None:
    said = {q.number: [check_said(c) for c in q.checks] for q in questions(full, roofs(full))}
    assert said[1] == [
        "ok: fp32 moves bytes as fast (0.991 times the other type's rate)",
        "ok: a tensor that fits in the cache reads above nominal (1.14 times it)",
        "ok: the profiler's kernel time agrees (0.998 of the time measured)",
    ]
    assert said[2] == [
        "ok: bf16 lies in its expected range (0.930 of the highest expected)",
        "ok: the kernel's name is one of tensor cores",
        "ok: the matrix is right of the ridge (11.4 times the ridge)",
        "ok: the clock was read meanwhile (0.962 of the highest clock)",
    ]
    assert said[3][1] == "ok: it lies within 20 % of the nominal one (0.918 of it)"


def test_without_a_nominal_figure_each_answer_says_so() -> None:
    """And answers with what is known: of a CPU what it was expected to do."""
    folder = Path(__file__).parent.parent / "sessions"
    cpu = fold(events(folder / "cpu" / "full-1.jsonl"))
    one, two, three, *_ = (q.answer for q in questions(cpu, roofs(cpu)))
    assert " No nominal bandwidth is known for this CPU, so no share of it. " in one
    assert " No nominal peak is known for this CPU, so no share of it. " in two
    assert two.endswith(
        "Expected were 31.9 to 147 GFLOP/s: estimated from 2 cores x 1996 MHz x 256 bit."
    )
    assert three.endswith(" No nominal ridge is known for this CPU, so the measured one decides.")

    def unlisted(event: AnyEvent) -> AnyEvent:
        known = isinstance(event, SessionInfo) and event.nominal is not None
        return msgspec.structs.replace(event, nominal=None) if known else event

    card = fold(map(unlisted, events(folder / "h200-full-1.jsonl")))
    for q in questions(card, roofs(card))[:3]:
        assert " is known for this card, so " in q.answer
        assert "of nominal" not in q.answer
    listed = fold(events(folder / "h200-full-1.jsonl"))
    assert not any("No nominal" in q.answer for q in questions(listed, roofs(listed)))


@pytest.mark.parametrize(
    ("ratio", "word", "said"),
    [
        (1.01, OK, "fp64 moves bytes as fast"),
        (1.07, OK, "fp64 moves bytes as fast as two runs on a CPU: over 2 % apart, within 10 %"),
        (0.5, FAILED, "fp64 moves bytes as fast"),
    ],
)
def test_where_two_types_agree_by_a_cpus_noise_alone_that_is_said(
    ratio: float, word: str, said: str
) -> None:
    session = fold(events(CPU))
    session.measurements = [
        structs.replace(m, times_s=[b / ratio for b in first.times_s])
        if m.probe == "add_scalar-fp64"
        and (first := next(x for x in session.measured() if x.probe == "add_scalar-fp32"))
        else m
        for m in session.measurements
    ]
    (check, *_) = next(q.checks for q in questions(session, roofs(session)) if q.number == 1)
    assert (check.check, check.word) == (said, word)
