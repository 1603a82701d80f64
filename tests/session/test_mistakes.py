"""Mistakes made on purpose, folded on the figures of a recorded card: judged, shown, recorded."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.notebook.finding import WRONG
from roofwatch.roofline.probe_spec import PERCENT
from roofwatch.roofline.suite import MISTAKES, suite
from roofwatch.roofline.workload import Work, add_scalar, matmul
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.events import (
    AnyEvent,
    Claimed,
    Device,
    End,
    Expect,
    Fault,
    Measurement,
    Note,
    Series,
    SessionInfo,
    Span,
    Tensor,
    decode,
    encode,
)
from roofwatch.session.exit_code import DONE, FAILED, WRONG_FINDING, exit_code
from roofwatch.session.expectation import expectations
from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.live import Live
from roofwatch.session.mistakes import UNFLAGGED, mistakes
from roofwatch.session.questions import questions
from roofwatch.session.rates import value
from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.session.table import DONE as MEASURED
from roofwatch.session.table import probe_rows
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.printed import plain
from roofwatch.tui.printed.report import report
from roofwatch.tui.probes import probes_pane

MIB = 1 << 20
CODES = ["E1", "E2", "E3", "E4", "E5"]
RIGHT = ("add_scalar-fp16", "matmul-bf16", "matmul-fp32")
SPECS = {s.mistake: s for s in suite(MISTAKES, "cuda", "9.0") if s.mistake}
TIMES_S = {"E1": 1.0e-3, "E2": 3.9e-6, "E3": 2.78e-3, "E4": 6.5e-6, "E5": 21e-6}
"""What an H200 takes for each."""


def works(code: str) -> Work:
    if code == "E3":
        return matmul(2816, 6144, 4096, "fp32")
    if code == "E4":
        return matmul(512, 512, 512, "fp16")
    return add_scalar({"E1": 1 << 30, "E2": 5 * MIB, "E5": 1 << 29}[code], "fp16")


def made(code: str, **changes: Any) -> Measurement:
    """A mistake as the worker writes it; ``changes`` are of its claim."""
    spec, work, time_s = SPECS[code], works(code), TIMES_S[code]
    multiplies = spec.peak_key is not None
    counted = work.bytes / 2 if code == "E1" else work.bytes
    claim = Claimed(
        op=spec.op,
        dtype=spec.dtype,
        time_s=time_s,
        timing={"E2": "graph", "E5": "host"}.get(code, "event"),
        math=spec.math if multiplies else None,
        claimed_gbs=None if multiplies else counted / time_s / 1e9,
        claimed_tflops=work.flop / time_s / 1e12 if multiplies else None,
        nominal_tflops=989.4 if code == "E3" else None,
        **work.shape,
    )
    return Measurement(
        t=30.0 + CODES.index(code),
        probe=spec.key,
        op=spec.op,
        shape=work.shape,
        dtype=spec.dtype,
        math=spec.math,
        accumulate=spec.accumulate,
        peak_key=spec.peak_key,
        flop=work.flop,
        tensors=[
            Tensor(name=t.name, read_bytes=t.read_bytes, write_bytes=t.write_bytes)
            for t in work.tensors
        ],
        times_s=[0.99 * time_s, time_s, 1.01 * time_s],
        stop="protocol",
        timing=claim.timing,
        protocol="mistake",
        begin_s=29.5 + CODES.index(code),
        end_s=29.9 + CODES.index(code),
        status={"clock_mhz": "not_measured", "kernel": "not_measured"},
        mistake=code,
        claim=msgspec.structs.replace(claim, **changes),
    )


def stream_of(h200_file: Path, *more: AnyEvent) -> list[AnyEvent]:
    """The recorded card's right numbers and what belongs to them, then ``more``, then the end."""
    out: list[AnyEvent] = []
    for e in events(h200_file):
        if isinstance(e, SessionInfo) and e.suite:
            e = msgspec.structs.replace(e, suite=MISTAKES)
        if isinstance(e, (Measurement, Span, Expect)) and e.probe not in RIGHT:
            continue
        if isinstance(e, (End, Note, Series)):
            continue
        out.append(e)
    seen = fold(out)
    assert seen.nominal is not None
    specs = tuple(SPECS.values()) + tuple(s for s in seen.specs if s.key in RIGHT)
    out += [
        e for e in expectations(specs, seen.device, seen.nominal, 1.0, 1) if e.probe not in RIGHT
    ]
    return [*out, *more, End(t=40.0, complete=True)]


@pytest.fixture
def build(h200_file: Path) -> Callable[..., Session]:
    """A session of the suite with the given mistakes."""

    def session(*some: Measurement) -> Session:
        folded = fold(stream_of(h200_file, *some))
        folded.closed = True
        return folded

    return session


@pytest.fixture
def whole(build: Callable[..., Session]) -> Session:
    """With all five."""
    return build(*map(made, CODES))


@pytest.mark.parametrize("code", CODES)
def test_each_mistake_comes_out_with_its_own_code(build: Callable[..., Session], code: str) -> None:
    session = build(made(code))
    about = [f for f in findings(session) if f.subject == f"mistake-{code}"]
    assert {f.code for f in about} == {code}
    (seen,) = mistakes(session)
    assert seen.flagged
    assert seen.message == about[0].message


def test_the_event_travels_with_its_claim() -> None:
    for code in CODES:
        m = made(code)
        line = encode(m)
        assert decode(line) == m
        assert "synchronized" not in json.loads(line)["claim"]


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("mistake", None),
        ("claim", None),
        ("claim", {"op": "add_scalar", "dtype": "fp16", "time_s": 1.0, "timing": "host"}),
        ("claim", {"op": "add_scalar", "dtype": "fp16", "time_s": 1.0, "claimed_gbs": 1.0}),
    ],
)
def test_a_mistake_without_a_whole_claim_is_damage(field: str, given: Any) -> None:
    fields = {**json.loads(encode(made("E1"))), field: given}
    with pytest.raises(msgspec.ValidationError):
        decode(json.dumps(fields))


def test_a_claim_in_words_of_a_newer_version_is_not_judged(
    build: Callable[..., Session],
) -> None:
    session = build(made("E1", dtype="fp3"))
    (seen,) = mistakes(session)
    assert (seen.flagged, seen.message) == (False, UNFLAGGED)


def test_nothing_else_is_touched(build: Callable[..., Session], whole: Session) -> None:
    plain_one = build()
    own, beside = roofs(plain_one), roofs(whole)
    assert beside.bandwidth_gbs == own.bandwidth_gbs
    assert list(beside.compute) == list(own.compute) == ["bf16", "fp32"]
    assert questions(whole, beside) == questions(plain_one, own)
    assert [f for f in findings(whole) if not f.subject.startswith("mistake")] == findings(
        plain_one
    )
    for key in RIGHT:
        assert whole.expect(key) == plain_one.expect(key)
    assert not [f for f in findings(whole) if f.subject in RIGHT and f.severity == WRONG]


def test_wrong_stands_beside_right(whole: Session) -> None:
    seen = {m.code: m for m in mistakes(whole)}
    assert list(seen) == CODES
    right = {m.probe: value(m) for m in whole.measured() if not m.mistake}
    assert {c: m.right_probe for c, m in seen.items()} == {
        "E1": "add_scalar-fp16",
        "E2": "add_scalar-fp16",
        "E3": "matmul-fp32",
        "E4": "matmul-bf16",
        "E5": "add_scalar-fp16",
    }
    for code in ("E1", "E2", "E4", "E5"):
        assert seen[code].right == right[seen[code].right_probe]
    assert seen["E1"].wrong == pytest.approx(2147, rel=0.01)
    assert seen["E2"].wrong > 4814
    assert seen["E5"].wrong > 100_000
    assert seen["E4"].wrong < 60
    assert seen["E3"].unit == PERCENT
    assert seen["E3"].wrong == pytest.approx(5.2, rel=0.02)
    assert seen["E3"].right == pytest.approx(100 * right["matmul-fp32"] / 66.9)
    assert seen["E3"].name == "wrong-peak"


def test_the_wrong_numbers_lie_outside_and_say_so(whole: Session) -> None:
    rows = {r.probe: r for r in probe_rows(whole)}
    for code in CODES:
        r = rows[f"mistake-{code}"]
        assert r.state == MEASURED
        assert r.on_purpose
        assert r.within is False
        assert r.codes == [code]
        assert "right number" in (r.why or "")
        assert len(r.rates) == 3
    assert rows["mistake-E1"].of_nominal == pytest.approx(2147 / 4800, rel=0.01)
    assert rows["mistake-E3"].of_nominal is None
    assert not any(rows[key].on_purpose for key in RIGHT)


def nulls(seen: Any, path: str = "") -> list[str]:
    if isinstance(seen, dict):
        status = seen.get("status", {})
        return [
            p
            for k, v in seen.items()
            if k not in ("status", "evidence") and not (v is None and k in status)
            for p in nulls(v, f"{path}.{k}")
        ]
    if isinstance(seen, list):
        return [p for i, v in enumerate(seen) for p in nulls(v, f"{path}[{i}]")]
    return [path] if seen is None else []


def decoded(session: Session) -> dict[str, Any]:
    out = msgspec.json.decode(msgspec.json.encode(record(session, None)))
    assert isinstance(out, dict)
    return out


def test_the_record_has_them_and_a_status_for_every_null(whole: Session) -> None:
    seen = decoded(whole)
    assert [m["code"] for m in seen["mistakes"]] == CODES
    names = {"code", "probe", "right_probe", "wrong", "right", "unit", "flagged", "message"}
    for m in seen["mistakes"]:
        assert names <= set(m)
    by_id = {m["id"]: m for m in seen["measurements"]}
    assert [by_id[f"mistake-{c}"]["mistake"] for c in CODES] == CODES
    assert {by_id[key]["mistake"] for key in RIGHT} == {""}
    for code in CODES:
        m = by_id[f"mistake-{code}"]
        assert m["within_expected"] is False
        assert m["mfu"] is None
        assert m["status"]["distances"] == "on_purpose"
        assert m["time_s"]["n"] >= 3
    status = seen["roofs"]["status"]
    assert [p for p in nulls(seen) if p.removeprefix(".roofs.") not in status] == []


def test_a_right_number_that_is_missing_has_a_status(build: Callable[..., Session]) -> None:
    session = build(made("E4"))
    session.measurements = [m for m in session.measurements if m.mistake]
    (seen,) = decoded(session)["mistakes"]
    assert (seen["right"], seen["status"]) == (None, {"right": "not_measured"})
    assert "n/a" in "\n".join(text_of(r) for r in report(session, None, 80, UNICODE))


def test_other_suites_have_an_empty_block(h200: Session) -> None:
    assert decoded(h200)["mistakes"] == []
    assert "on purpose" not in "\n".join(text_of(r) for r in report(h200, None, 80, UNICODE))


@pytest.mark.parametrize("cells", [60, 80, 120])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_the_report_has_a_section_in_columns(whole: Session, cells: int, glyphs: Any) -> None:
    rows = report(whole, None, cells, glyphs)
    lines = [text_of(r).rstrip() for r in rows]
    at = next(i for i, line in enumerate(lines) if "Mistakes, made on purpose" in line)
    section = lines[at : at + lines[at:].index("")]
    named = [line for line in section if line.startswith(" E")]
    assert [line.split()[0] for line in named] == CODES
    assert len({line.index("flagged") for line in named}) == 1
    assert not any("not flagged" in line for line in named)
    assert "missing-sync" in named[4]
    sentences = " ".join(" ".join(section).split())
    assert "0.50 of them." in sentences
    assert "All streams give" not in sentences  # the first sentence alone
    assert max(width(r) for r in rows[at : at + len(section)]) <= cells


def test_the_table_and_the_plain_lines_say_on_purpose(whole: Session) -> None:
    text = [text_of(r) for r in probes_pane.build(whole, 80, 60, UNICODE)]
    assert sum("on purpose" in line for line in text) == 5
    assert any(
        "E1 add_scalar fp16" in line and line.rstrip().endswith("on purpose") for line in text
    )
    lines = [plain.line_of(r, UNICODE) for r in probe_rows(whole)]
    assert sum(line.endswith("on purpose") for line in lines) == 5


def test_strict_wants_every_mistake_flagged_and_no_right_number(
    build: Callable[..., Session], whole: Session, h200_file: Path
) -> None:
    assert exit_code(whole, findings(whole), strict=True) == DONE
    missed = build(made("E1", claimed_gbs=4294.0))
    assert not mistakes(missed)[0].flagged
    assert exit_code(missed, findings(missed), strict=False) == DONE
    assert exit_code(missed, findings(missed), strict=True) == WRONG_FINDING
    stream = [
        msgspec.structs.replace(e, times_s=[t / 3 for t in e.times_s])
        if isinstance(e, Measurement) and e.probe == "add_scalar-fp16"
        else e
        for e in stream_of(h200_file, *map(made, CODES))
    ]
    flagged_right = fold(stream)
    assert all(m.flagged for m in mistakes(flagged_right))
    assert exit_code(flagged_right, findings(flagged_right), strict=True) == WRONG_FINDING
    assert exit_code(flagged_right, findings(flagged_right), strict=False) == DONE


def test_a_failed_probe_is_still_a_failure(build: Callable[..., Session]) -> None:
    session = build(made("E1"))
    session.add(Fault(t=35.0, instrument="probes", what="out of memory", probe="mistake-E5"))
    assert exit_code(session, findings(session), strict=True) == FAILED


def test_an_unflagged_mistake_shows_what_was_said_instead(build: Callable[..., Session]) -> None:
    session = build(made("E2", elements=400 * MIB, time_s=1.0e-3, claimed_gbs=20000.0))
    (seen,) = mistakes(session)
    assert not seen.flagged
    assert "; instead: " in seen.message
    text = "\n".join(text_of(r) for r in report(session, None, 100, UNICODE))
    assert "not flagged" in text


def test_an_unflagged_mistake_is_noted_when_the_run_ends(tmp_path: Path, h200_file: Path) -> None:
    live = Live(Options(device="cpu", probes=False, save=tmp_path / "s.jsonl"), load_cards)
    for e in stream_of(h200_file, made("E1", claimed_gbs=4294.0), made("E2")):
        live.instruments.inbox.put(e)
    live.poll()
    said = [n.text for n in live.session.notes if "no rule flagged" in n.text]
    live.close()
    assert len(said) == 1
    assert said[0].startswith("mistake-E1: ")
    assert live.session.faults == []


def test_the_parent_tells_the_peaks_before_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    class Ear:
        def tell(self, line: str) -> None:
            told.append(line)

        def end(self) -> None:
            pass

    for name in (MISTAKES, "quick"):
        live = Live(Options(suite=name, save=tmp_path / f"{name}.jsonl"), load_cards)
        live.session.add(SessionInfo(t=0.0, suite=name))
        device = Device(kind="cuda", name="NVIDIA H200", compute_capability="9.0")
        live.instruments.inbox.put(SessionInfo(t=0.1, instrument="telemetry", device=device))
        live.poll()
        live.instruments._children["probes"] = Ear()  # type: ignore[assignment]
        live.go()
        live.instruments._children.clear()
        live.close()
    assert told[1:] == ["go", "go"]
    word, _, peaks = told[0].partition(" ")
    assert word == "peaks"
    assert json.loads(peaks)["fp16"] == pytest.approx(989, abs=1)


VALUES = [None, 0, -1, 1e308, 1 << 70, "", "x\x1b[2J", [], {}, True, 1e-320, "NaN", 1e11]


def test_a_damaged_mistake_is_shown_or_refused(tmp_path: Path, h200_file: Path) -> None:
    """Whatever becomes of a field, there is no traceback and nothing that moves a cursor."""
    chance = random.Random(5)
    stream = stream_of(h200_file, *map(made, CODES))
    rows = [json.loads(encode(e)) for e in stream if type(e).__name__ not in ("Sample", "Series")]
    path = tmp_path / "damaged.jsonl"
    for _ in range(250):
        damaged = json.loads(json.dumps(rows))
        m = chance.choice([r for r in damaged if r.get("mistake")])
        place = m["claim"] if chance.random() < 0.7 else m
        place[chance.choice(list(place))] = chance.choice(VALUES)
        path.write_text("".join(json.dumps(r) + "\n" for r in damaged))
        try:
            replay = Replay(path)
        except UnreadableSession:
            continue
        msgspec.json.encode(record(replay.session, path))
        shown = report(replay.session, path, 80, UNICODE)
        shown += clocks_pane.build(replay.session, 80, 18, UNICODE)
        assert "\x1b" not in "".join(text_of(r) for r in shown)
        exit_code(replay.session, findings(replay.session), strict=True)
