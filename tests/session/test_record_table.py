"""The seeds' record table: rows as measured, rows that name what fills them, several sessions."""

from __future__ import annotations

import csv
import io
import itertools
import re
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.checks import FAILED, MISSING, OK, Check
from roofwatch.session.events import Device, Flag, Note, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.questions import questions
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.record_markdown import table_markdown
from roofwatch.session.record_rows import CLOCK, NULLS, RIDGE, STEP, table_rows
from roofwatch.session.record_table import Record, answers, merged, record_table
from roofwatch.session.record_words import (
    CSV_HEADS,
    about,
    cells,
    check_said,
    csv_text,
    grouped,
    session_said,
)
from roofwatch.session.roofs import roofs
from roofwatch.session.same_card import OtherCard, refuse_others
from roofwatch.session.three_digits import three_digits
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.notebook.record_rows import table_rows as screen_rows

SESSIONS = Path(__file__).parent.parent / "sessions"
ITEMS = ["bandwidth", "compute_fp16", "compute_bf16", "compute_fp32", "ridge", "sm_clock"]
STREAMS = ("add_scalar", "triad", "copy", "add-", "read", "fill")
ITEMS += ["decode_step", "step_growth", "first_bend", "card"]


@pytest.fixture(scope="module")
def kept() -> dict[str, Session]:
    names = ("full", "decode", "kernels", "quick")
    return {n: fold(events(SESSIONS / f"h200-{n}-1.jsonl")) for n in names}


def test_the_rows_are_the_seeds_in_their_order_and_agree_with_the_roofs(
    kept: dict[str, Session],
) -> None:
    rows = {r.item: r for r in table_rows(kept["full"])}
    own = roofs(kept["full"])
    assert list(rows) == ITEMS
    assert rows["bandwidth"].measured == own.bandwidth_gbs
    assert rows["bandwidth"].share == pytest.approx(0.914, abs=1e-3)
    assert rows["bandwidth"].within is True
    assert rows["compute_fp32"].measured == own.compute["fp32"].burst_tflops
    bf16 = own.roof("bf16", "burst")
    assert bf16 is not None
    assert rows["ridge"].measured == bf16.ridge
    # 735 over 4512 and 893 over 3984: the ends of what was expected of the two.
    assert (rows["ridge"].low, rows["ridge"].high) == pytest.approx((162.9, 224.1), abs=0.1)
    assert rows["sm_clock"].measured == pytest.approx(1432, abs=1)
    assert rows["sm_clock"].nominal == 1830
    said = (
        "bf16 held; 1893 in the burst; the nominal peak is that of 1830, the card goes up to 1980"
    )
    assert re.sub(r"\d+ in", "1893 in", rows["sm_clock"].note) == said
    assert rows["card"].said == "NVIDIA H200, 2026-11-29, driver 580.159.04"


def test_a_row_that_is_missing_names_its_probe_and_its_command(kept: dict[str, Session]) -> None:
    rows = {r.item: r for r in table_rows(kept["full"])}
    assert rows[STEP].missing == "decode: roofwatch run --suite decode"
    assert cells(rows[STEP], RateScale()).measured == "missing"
    of_decode = {r.item: r for r in table_rows(kept["decode"])}
    assert of_decode["compute_fp16"].missing == "matmul-fp16: roofwatch run"
    assert of_decode["compute_fp16"].nominal == 989.4


def test_the_decode_rows_are_of_the_largest_model_as_a_graph(kept: dict[str, Session]) -> None:
    rows = {r.item: r for r in table_rows(kept["decode"])}
    step = rows[STEP]
    assert step.note == "Llama-3-8B at 256, graph"
    # 15.04 GB over 4800 GB/s; over the measured 4383 GB/s, and the same over 70 % and 40 % of it.
    assert step.nominal == pytest.approx(3.134, abs=1e-3)
    assert (step.low, step.high) == pytest.approx((3.4324 / 0.7, 3.4324 / 0.4), rel=1e-4)
    assert step.share == pytest.approx(3.4324 / 5.1115, rel=1e-3)
    assert cells(step, RateScale()).share == "67 % roof"
    assert rows["step_growth"].measured == pytest.approx(43.66, abs=0.01)
    assert rows["first_bend"].measured == 16


def test_every_null_of_a_row_has_its_status(kept: dict[str, Session]) -> None:
    for session in (*kept.values(), Session()):
        for r in table_rows(session):
            assert {n for n in NULLS if getattr(r, n) is None} == r.status.keys()


def test_several_sessions_make_one_table_that_names_its_sources(kept: dict[str, Session]) -> None:
    table = record_table([kept["full"], kept["decode"], kept["kernels"]])
    assert table.missing == []
    assert [r.item for r in table.rows] == ITEMS
    assert [s.rows for s in table.sessions] == [
        [*ITEMS[:6], "card"],
        [],
        [STEP, "step_growth", "first_bend"],
    ]  # by what they tell, whatever the order
    assert [c.word for c in table.checks] == [OK, OK]
    assert [s.answers for s in table.sessions] == [[1, 2, 3], [5], [4]]
    assert [session_said(s) for s in table.sessions] == [
        "7 rows; answers 1, 2, 3",
        "answer 5",
        "3 rows; answer 4",
    ]
    assert session_said(record_table([kept["full"]]).sessions[0]) == "7 rows; answers 1, 2, 3, 4, 5"


def _told(told: Record) -> tuple[object, ...]:
    """All that a person reads of a record."""
    scale = told.table.scale
    rows = [(cells(r, scale), about(r), r.sound, r.session) for r in told.table.rows]
    return rows, [check_said(c) for c in told.table.checks], told.answers, told.table.sessions


RECORDED = [
    [SESSIONS / "record" / f"h200-{suite}.jsonl" for suite in ("full", "decode", "kernels")],
    [SESSIONS / "cpu" / f"{suite}-1.jsonl" for suite in ("full", "decode", "kernels")],
]


@pytest.mark.parametrize("files", RECORDED, ids=["h200", "cpu"])
def test_table_and_answers_are_of_one_figure_whatever_the_order(files: list[Path]) -> None:
    folded = [fold(events(file)) for file in files]
    told = [merged(order) for order in itertools.permutations(folded)]
    assert all(_told(each) == _told(told[0]) for each in told)
    rows = {r.item: r for r in told[0].table.rows}
    one, two, three, *_ = told[0].answers
    assert one.values["bandwidth_gbs"] == rows["bandwidth"].measured
    key = two.values["peak_key"]
    assert two.values["burst_tflops"] == rows[f"compute_{key}"].measured
    assert three.values["burst"] == rows[RIDGE].measured
    assert ("sustained" in three.values) == ("sustained_tflops" in two.values)
    words = {r.item: cells(r, told[0].table.scale).measured for r in told[0].table.rows}
    assert one.answer.startswith(f"{words['bandwidth']} GB/s by ")
    unit = told[0].table.scale.of(key)
    assert two.answer.startswith(f"{words[f'compute_{key}']} {unit} in {key}")
    assert f"{words[RIDGE]} burst" in three.answer


def test_of_two_sessions_alike_the_later_is_taken_and_one_cut_short_comes_last(
    kept: dict[str, Session],
) -> None:
    again = fold(events(SESSIONS / "h200-quick-2.jsonl"))
    assert (kept["quick"].started_at or "") < (again.started_at or "")
    for order in ([kept["quick"], again], [again, kept["quick"]]):
        table = record_table(order)
        assert table.rows[0].session == again.id
        assert [s.id for s in table.sessions] == [again.id, kept["quick"].id]
    cut = fold(events(SESSIONS / "h200-full-1.jsonl"))
    cut.ends.clear()
    table = record_table([cut, kept["quick"]])
    assert table.rows[0].session == kept["quick"].id
    assert [s.suite for s in table.sessions] == ["quick", "full"]


def test_a_row_of_a_suspect_measurement_is_marked_in_every_form() -> None:
    session = fold(events(SESSIONS / "h200-quick-1.jsonl"))
    whole = table_rows(session)
    assert {r.item: r.sound for r in whole}["bandwidth"] is True
    flag = Flag(
        t=90.0,
        code="unstable",
        name="unstable",
        root="conditions",
        severity="suspect",
        subject=next(m.probe for m in session.measured() if m is roofs(session).bandwidth),
        message="x",
        why="",
        do="",
    )
    session.add(flag)
    table = record_table([session])
    row = table.rows[0]
    assert (row.within, row.sound, row.doubt) == (True, False, "flagged unstable")
    assert about(row).endswith("; not to be believed: flagged unstable")
    ridge = next(r for r in table.rows if r.item == RIDGE)
    assert ridge.sound is False
    assert next(r for r in table.rows if r.item == "compute_bf16").sound is True
    told = msgspec.to_builtins(table)["rows"][0]
    assert (told["within"], told["doubt"]) == (True, "flagged unstable")
    line = next(csv.DictReader(io.StringIO(csv_text(table))))
    assert (line["within_expected"], line["doubt"]) == ("True", "flagged unstable")
    (bandwidth,) = (s for s in table_markdown(table, str).splitlines() if "| bandwidth" in s)
    assert "| ▲ |" in bandwidth
    lines = [text_of(r) for r in screen_rows(table, 80, UNICODE)]
    assert lines[1].endswith("▲")
    assert lines[2].endswith("; not to be believed: flagged unstable")


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (4389.2, "4389"),
        (830.53, "831"),
        (24.43, "24.4"),
        (5.0, "5"),
        (0.05416, "0.0542"),
        (0.5, "0.500"),
        (0.000123, "0.000123"),
        (0.0, "0"),
        (-0.0542, "-0.0542"),
        (0.99999, "1.000"),
    ],
)
def test_a_figure_has_three_digits(value: float, said: str) -> None:
    assert three_digits(value) == said


def test_a_slow_devices_rates_stand_in_one_unit() -> None:
    session = fold(events(SESSIONS / "cpu" / "full-1.jsonl"))
    table = record_table([session])
    assert table.scale == rate_scale(session)
    row = next(r for r in table.rows if r.item == "compute_fp32")
    assert (row.unit, row.measured) == ("TFLOP/s", roofs(session).compute["fp32"].burst_tflops)
    told = cells(row, table.scale)
    assert told.what == "fp32 compute, GFLOP/s"
    assert row.measured is not None
    assert told.measured == three_digits(row.measured * 1e3)
    assert "GFLOP/s in fp32" in questions(session, roofs(session))[1].answer
    assert "TFLOP/s" not in table_markdown(table, str)


def test_the_answers_come_from_the_session_that_has_their_checks(kept: dict[str, Session]) -> None:
    found = answers([kept["quick"], kept["full"], kept["decode"], kept["kernels"]])
    assert [q.number for q in found] == [1, 2, 3, 4, 5]
    assert [q.missing for q in found] == [0] * 5
    assert "Llama-3-8B" in found[3].answer
    assert "prefill linear" in found[4].answer


def test_the_closing_checks_say_what_is_missing_or_on_which_side(kept: dict[str, Session]) -> None:
    ridge, decode = record_table([kept["quick"]]).checks
    assert ridge.word == OK
    assert (decode.word, decode.fill) == (MISSING, "decode: roofwatch run --suite decode")
    small = [
        msgspec.structs.replace(m, times_s=[t / 2 for t in m.times_s])
        if m.op == "decode" and m.variant == "graph"
        else m
        for m in kept["decode"].measurements
    ]
    fast = fold(events(SESSIONS / "h200-decode-1.jsonl"))
    fast.measurements = small
    check = record_table([fast]).checks[1]
    assert check.word == FAILED
    assert check.check.endswith("nearer to it than that")


@pytest.mark.parametrize("share", [0.30, 0.39, 0.41, 0.43, 0.67, 0.69, 0.71, 0.76, 0.99])
def test_the_row_of_a_decode_step_and_the_check_that_closes_judge_by_one_roof(
    share: float, kept: dict[str, Session]
) -> None:
    """Between 40 and 44, and 70 and 77 % of the measured roof the nominal one would say another."""
    (step,) = (r for r in table_rows(kept["decode"]) if r.item == STEP)
    assert step.share is not None
    times = step.share / share
    session = fold(events(SESSIONS / "h200-decode-1.jsonl"))
    session.measurements = [
        msgspec.structs.replace(m, times_s=[t * times for t in m.times_s])
        if m.op == "decode" and m.variant == "graph"
        else m
        for m in session.measurements
    ]
    table = record_table([session])
    row, check = next(r for r in table.rows if r.item == STEP), table.checks[1]
    assert row.share == pytest.approx(share)
    assert check.ratio == row.share
    assert row.within is check.ok is (0.40 <= share <= 0.70)
    side = ": further below" if share < 0.40 else ": nearer to it than that"
    assert check.check.endswith(side) is not check.ok
    (text,) = (
        line for line in csv.DictReader(io.StringIO(csv_text(table))) if line["item"] == STEP
    )
    assert (float(text["share"]), text["within_expected"]) == (row.share, str(check.ok))
    (line,) = (s for s in table_markdown(table, str).splitlines() if "| decode step" in s)
    assert ("| ✓ |" in line) is check.ok
    shown = next(text_of(r) for r in screen_rows(table, 80, UNICODE) if "decode step" in text_of(r))
    assert shown.endswith("✓" if check.ok else "▲")


def test_a_decode_step_by_a_doubtful_roof_is_doubted() -> None:
    session = fold(events(SESSIONS / "h200-decode-1.jsonl"))
    bandwidth = roofs(session).bandwidth
    assert bandwidth is not None
    said = {"root": "conditions", "severity": "suspect", "message": "x", "why": "", "do": ""}
    session.add(Flag(t=90.0, code="unstable", name="unstable", subject=bandwidth.probe, **said))
    row = next(r for r in table_rows(session) if r.item == STEP)
    assert (row.within, row.sound) == (True, False)
    assert row.doubt == f"{bandwidth.probe} is flagged unstable"
    assert next(r for r in table_rows(session) if r.item == "step_growth").doubt == ""


def test_without_a_measured_roof_a_decode_step_is_not_judged(kept: dict[str, Session]) -> None:
    session = fold(events(SESSIONS / "h200-decode-1.jsonl"))
    session.measurements = [m for m in session.measurements if not m.probe.startswith(STREAMS)]
    table = record_table([session])
    row, check = next(r for r in table.rows if r.item == STEP), table.checks[1]
    assert row.filled
    assert row.nominal == pytest.approx(3.134, abs=1e-3)
    assert (row.low, row.high, row.share, row.within) == (None,) * 4
    assert check.word == MISSING


def test_csv_is_figures_alone(kept: dict[str, Session]) -> None:
    rows = list(csv.DictReader(io.StringIO(csv_text(record_table([kept["full"]])))))
    assert tuple(rows[0]) == CSV_HEADS
    assert float(rows[0]["measured"]) == roofs(kept["full"]).bandwidth_gbs
    missing = next(r for r in rows if r["item"] == STEP)
    assert missing["measured"] == ""
    assert missing["missing"] == "decode: roofwatch run --suite decode"


def test_a_card_whose_name_is_a_formula_is_text_in_csv() -> None:
    named = Device(kind="cuda", name="=cmd()\x1b")
    session = fold([SessionInfo(t=0.0, schema="x", id="a", device=named, instrument="telemetry")])
    text = csv_text(record_table([session]))
    assert "'=cmd()" in text
    assert "\x1b" not in text


def test_many_checks_of_one_kind_are_one_line() -> None:
    checks = [
        Check(check=f"the parts explain a step of M, batch {i}", word=OK, ok=True, ratio=0.95)
        for i in range(7)
    ]
    checks.append(Check(check="the parts explain a step of M", word=FAILED, ok=False, ratio=2.0))
    (one,) = grouped(checks)
    assert check_said(one) == (
        "failed: the parts explain 7 of 8 steps within 10 %, all by 0.95 to 2.00"
    )
    assert grouped(checks[:3]) == checks[:3]


def test_what_a_probe_noted_stands_for_its_command(kept: dict[str, Session]) -> None:
    session = fold(events(SESSIONS / "h200-quick-1.jsonl"))
    session.measurements = [m for m in session.measurements if m.probe != "matmul-fp16"]
    session.notes.append(Note(t=1.0, text="out of memory", probe="matmul-fp16"))
    row = next(r for r in table_rows(session) if r.item == "compute_fp16")
    assert row.missing == "matmul-fp16: out of memory"


def test_other_cards_are_refused_in_one_line(kept: dict[str, Session]) -> None:
    a, b = (Path("a.jsonl"), kept["full"]), (Path("b.jsonl"), kept["decode"])
    refuse_others([a, a])
    refuse_others([a, b], one_kind=True)
    with pytest.raises(OtherCard, match=r"b\.jsonl: of another NVIDIA H200 \(GPU-44390328\)"):
        refuse_others([a, b])
    with pytest.raises(OtherCard) as quiet:
        refuse_others([a, b], told=False)
    assert "GPU-" not in str(quiet.value)
    other = fold(
        [SessionInfo(t=0.0, instrument="probes", device=Device(kind="cuda", name="Tesla T4"))]
    )
    with pytest.raises(OtherCard, match=r"of Tesla T4, but a\.jsonl is of NVIDIA H200"):
        refuse_others([a, (Path("c.jsonl"), other)], one_kind=True)


def test_a_cpu_is_one_by_its_host_and_cores() -> None:
    def cpu(host: str) -> Session:
        device = Device(kind="cpu", name="AMD EPYC", core_count=2)
        return fold([SessionInfo(t=0.0, instrument="telemetry", host=host, device=device)])

    refuse_others([(Path("a"), cpu("one")), (Path("b"), cpu("one"))])
    with pytest.raises(OtherCard, match="2 cores of two"):
        refuse_others([(Path("a"), cpu("one")), (Path("b"), cpu("two"))])


@pytest.mark.parametrize("name", ["two/links", "watch/h200-1", "h200-full-1", "h200-mistakes-1"])
def test_the_clock_is_held_against_one_nominal_whatever_was_measured(name: str) -> None:
    """Of what stands for the card: its tensor cores' clock, not the highest that others reach."""
    rows = table_rows(fold(events(SESSIONS / f"{name}.jsonl")))
    assert next(r for r in rows if r.item == CLOCK).nominal == 1830.0
