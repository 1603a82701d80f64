"""Roofs that are not to be believed, and points that are their own roof."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec import structs

from roofwatch.notebook.finding import SUSPECT, Finding
from roofwatch.session.compare import compare
from roofwatch.session.events import AnyEvent, Measurement
from roofwatch.session.figures import figures
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.points import points
from roofwatch.session.questions import questions
from roofwatch.session.rates import tflops
from roofwatch.session.record_rows import table_rows
from roofwatch.session.roof_doubts import (
    RESTLESS,
    burst_roof,
    doubted,
    doubted_probes,
    remark,
    unjudged,
    unsound,
)
from roofwatch.session.roofs import roofs
from roofwatch.session.three_digits import three_digits

SESSIONS = Path(__file__).parent.parent / "sessions"
RECORDED = [p for p in sorted(SESSIONS.rglob("*.jsonl")) if not p.name.startswith("fleet-")]


def slower(file: Path, probe: str, by: float) -> Session:
    told: list[AnyEvent] = []
    for e in events(file):
        if isinstance(e, Measurement) and e.probe == probe:
            e = structs.replace(e, times_s=[t * by for t in e.times_s])
        told.append(e)
    return fold(told)


def test_the_roofs_of_a_card_are_believed(full: Session, h200: Session) -> None:
    assert doubted(full, roofs(full)) == {}
    assert doubted(h200, roofs(h200)) == {}


def test_a_burst_outside_its_range_is_not(h200_file: Path) -> None:
    session = slower(h200_file, "matmul-bf16", 2.0)
    own = roofs(session)
    assert doubted(session, own, [])["matmul-bf16"] == "below its expected range"
    session.expects.clear()
    assert doubted(session, own, [])["matmul-bf16"] == "slower than what is held"


def test_a_slow_card_is_judged_and_a_wrong_measurement_is_not(
    h200_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = slower(h200_file, "matmul-fp16", 2.0)
    own = roofs(session)
    assert doubted_probes(session, own) == {"matmul-fp16": "below its expected range"}
    assert unjudged(session, own) == {}

    def found(*codes: str) -> dict[str, str]:
        (like, *_) = findings(fold(events(h200_file)))
        told = [
            structs.replace(like, code=c, severity=SUSPECT, subject="matmul-fp16") for c in codes
        ]
        monkeypatch.setattr("roofwatch.session.findings.findings", lambda _: told)
        return unjudged(session, own)

    assert found("throttled", "power-capped", "low-clock", "low-without-cause") == {}
    assert found("throttled", "unstable") == {"matmul-fp16": "flagged unstable"}


def again(file: Path, probe: str, by: float) -> Session:
    """With the block of a probe twice, the second so many times as long."""
    told: list[AnyEvent] = []
    for e in events(file):
        told.append(e)
        if isinstance(e, Measurement) and e.probe == probe:
            told.append(structs.replace(e, times_s=[t * by for t in e.times_s]))
    session = fold(told)
    session.closed = True
    return session


@pytest.mark.parametrize(("by", "doubted_so"), [(3.0, True), (1.001, False)])
def test_what_one_run_measured_twice_far_apart_is_not_compared(
    h200_file: Path, by: float, doubted_so: bool
) -> None:
    session, probe = again(h200_file, "add_scalar-fp16", by), "add_scalar-fp16"
    own = roofs(session)
    why = {probe: RESTLESS} if doubted_so else {}
    assert unjudged(session, own) == why
    assert doubted(session, own) == {}  # as a roof the better one stands
    assert (probe in unsound(session, [])) is doubted_so
    (one,) = (p for p in compare(fold(events(h200_file)), session).pairs if p.probe == probe)
    assert one.doubts == ({"b": RESTLESS} if doubted_so else {})


def held_faster(session: Session) -> list[Finding]:
    return [f for f in findings(session) if f.code == "unstable" and "noise" in f.evidence]


def test_a_burst_slower_than_what_is_held_is_a_finding(h200_file: Path) -> None:
    session = slower(h200_file, "matmul-bf16", 2.0)
    (one,) = held_faster(session)
    assert (one.subject, one.severity) == ("matmul-bf16", SUSPECT)
    assert one.evidence["ratio"] == pytest.approx(2 * 0.83, abs=0.02)
    session.expects.clear()
    assert doubted(session, roofs(session))["matmul-bf16"] == "slower than what is held"


def test_a_stream_slower_than_what_is_held_is_one_as_well(full_file: Path) -> None:
    (one,) = held_faster(slower(full_file, "triad-fp16", 1.2))
    assert one.subject == "triad-fp16"


def test_a_burst_that_was_disturbed_is_at_least_what_was_held(h200_file: Path) -> None:
    session = slower(h200_file, "matmul-bf16", 2.0)
    flat = roofs(session).compute["bf16"]
    assert flat.lifted
    assert flat.burst_tflops == flat.sustained_tflops
    assert flat.reached is flat.sustained
    assert flat.burst is not None
    short = three_digits(tflops(flat.burst))
    (answer,) = (q.answer for q in questions(session, roofs(session)) if q.number == 2)
    assert f"The short run came to {short} only" in answer
    (told,) = (r for r in table_rows(session) if r.item == "compute_bf16")
    assert told.measured == flat.sustained_tflops
    assert told.note.endswith(f", as held; its burst came to {short}")
    assert not told.doubt  # the burst itself is, wherever it stands
    assert "matmul-bf16" in doubted(session, roofs(session))
    compared = {f.what: f.estimate.value for f in figures(session)}
    assert compared["bf16 burst"] == compared["bf16 sustained"]
    own = roofs(session)
    (held,) = (p for p in points(session, own, "bf16") if p.style == "sustained")
    assert remark(held, own, "bf16", {}).defines == "both"
    (burst,) = (
        p for p in compare(session, fold(events(h200_file))).pairs if p.what == "bf16 burst"
    )
    share = f"{100 * tflops(flat.burst) / (flat.burst_tflops or 0.0):.0f} %"
    assert f"as held, the burst came to {share} of it in A" in burst.notes
    assert not any("as held" in note and "in B" in note for note in burst.notes)


def test_within_three_per_cent_burst_and_held_stay_as_they_are(h200_file: Path) -> None:
    session = slower(h200_file, "matmul-bf16", 1.22)
    flat = roofs(session).compute["bf16"]
    assert flat.burst is not None
    assert flat.sustained_tflops is not None
    assert flat.burst_tflops == tflops(flat.burst) < flat.sustained_tflops
    (answer,) = (q.answer for q in questions(session, roofs(session)) if q.number == 2)
    assert "short run" not in answer


def test_a_slope_that_was_disturbed_is_at_least_what_was_held(full_file: Path) -> None:
    session = fold(events(full_file))
    session.measurements = [
        structs.replace(m, times_s=[t * 1.2 for t in m.times_s]) if m.protocol == "stream" else m
        for m in session.measurements
    ]
    own = roofs(session)
    assert own.bandwidth_gbs == own.held_gbs
    (answer,) = (q.answer for q in questions(session, own) if q.number == 1)
    assert "The short run came to" in answer


@pytest.mark.parametrize("path", RECORDED, ids=lambda p: p.stem)
def test_no_recorded_card_held_more_than_its_burst(path: Path) -> None:
    assert held_faster(fold(events(path))) == []


def test_each_point_knows_what_it_defines(full: Session) -> None:
    own = roofs(full)
    told = [remark(p, own, "bf16", {}).defines for p in points(full, own, "bf16")]
    assert sorted(told) == ["", "", "", "burst", "slope", "sustained"]


def test_a_doubt_reaches_the_points_under_that_line_only(full: Session) -> None:
    own = roofs(full)
    flat = burst_roof(own, "bf16")
    assert flat is not None
    seen = {p.name: remark(p, own, "bf16", {flat.probe: "slow"}) for p in points(full, own, "bf16")}
    assert seen["bf16 burst"].doubt == "slow"
    assert seen["bf16 square 8192"].doubt == "slow"
    assert not seen["triad fp16"].doubt
    assert not seen["bf16 sustained"].doubt
