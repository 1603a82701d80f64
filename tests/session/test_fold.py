"""The fold of a recorded H200 session, and of streams that are unusual."""

from __future__ import annotations

import random
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from roofwatch.session.events import Device, End, Expect, Sample, SessionInfo, Span
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import MOST_CARDS, Session, fold
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.session.table import probe_rows
from roofwatch.session.throttle import fall, onset_of
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.report import report

SESSIONS = Path(__file__).parent.parent / "sessions"


def test_a_recorded_session_has_its_roofs(h200: Session) -> None:
    own = roofs(h200)
    assert own.bandwidth_gbs == pytest.approx(4270, rel=0.02)
    assert own.nominal_gbs == 4800
    bf16 = own.compute["bf16"]
    assert bf16.burst_tflops is not None
    assert bf16.sustained_tflops is not None
    assert 989.4 == bf16.nominal_tflops > bf16.burst_tflops > bf16.sustained_tflops > 600
    nominal, burst = own.roof("bf16", "nominal"), own.roof("bf16", "burst")
    assert nominal is not None
    assert burst is not None
    assert nominal.ridge == pytest.approx(206, abs=1)
    assert burst.ridge == pytest.approx(bf16.burst_tflops * 1e3 / own.bandwidth_gbs)


def test_the_fall_has_its_reason_and_its_price(h200: Session) -> None:
    own = roofs(h200)
    seen = fall(h200)
    assert seen is not None
    bf16 = own.compute["bf16"]
    assert bf16.burst_tflops is not None
    assert bf16.sustained_tflops is not None
    assert seen.price_tflops == pytest.approx(bf16.burst_tflops - bf16.sustained_tflops)
    assert seen.reasons == ["power limit"]
    assert seen.sm_mhz is not None
    assert seen.sm_mhz < 1700
    assert "power limit 700 W reached, costs" in seen.sentence
    onset = onset_of(h200, seen.probe, 1)
    assert onset is not None
    assert onset < 0.5


def test_good_numbers_raise_nothing_but_the_explanation(h200: Session) -> None:
    assert [(f.code, f.severity) for f in findings(h200)] == [("throttled", "note")]


def test_expectations_stand_before_their_measurements(h200: Session) -> None:
    for m in h200.measurements:
        expect = h200.expect(m.probe)
        assert expect is not None
        assert expect.t < m.begin_s


def test_every_probe_of_the_suite_has_a_row(h200: Session) -> None:
    rows = probe_rows(h200)
    assert [r.probe for r in rows] == [s.key for s in h200.specs]
    assert all(r.state == "done" and r.measured for r in rows)
    by_probe = {r.probe: r for r in rows}
    assert by_probe["matmul-int8"].unit == "TOPS"
    assert by_probe["matmul-int8"].library_limited
    assert by_probe["add_scalar-fp16"].of_nominal == pytest.approx(0.89, abs=0.01)


def test_the_same_events_in_any_pieces_give_the_same_session(h200_file: Path) -> None:
    whole = fold(events(h200_file))
    piecewise = Session()
    for event in events(h200_file):
        piecewise.add(event)
        findings(piecewise)
        probe_rows(piecewise)
    assert piecewise.measurements == whole.measurements
    assert findings(piecewise) == findings(whole)


def info(instrument: str, **fields: object) -> SessionInfo:
    return SessionInfo(t=0.0, instrument=instrument, device=Device(**fields))  # type: ignore[arg-type]


def test_devices_are_filled_up_and_kinds_are_not_mixed() -> None:
    session = fold([info("telemetry", kind="cuda", name="X", status={"l2_bytes": "error"})])
    session.add(info("probes", kind="cuda", name="Y", l2_bytes=7))
    assert (session.device.name, session.device.l2_bytes) == ("X", 7)
    assert session.device.status == {}
    session.add(info("telemetry", kind="cpu", name="CPU"))
    assert session.device.name == "Y"  # NVML is missing, torch's CUDA is what is measured


def test_roofs_come_from_the_last_complete_run(h200_file: Path) -> None:
    recorded = list(events(h200_file))
    session = fold(recorded)
    before = roofs(session)
    session.add(Expect(t=99.0, probe="add_scalar-fp16", low=1, high=2, unit="GB/s", why="", run=2))
    session.add(Span(t=99.0, probe="add_scalar-fp16", edge="begin", run=2))
    assert session.running() == "add_scalar-fp16"
    assert not session.complete
    assert roofs(session).bandwidth_gbs == before.bandwidth_gbs
    session.add(End(t=99.5, complete=False, why="quit", run=2))
    assert session.reported_run == 1
    assert session.running() is None


def test_between_is_inclusive_at_both_ends(h200: Session) -> None:
    samples = h200.samples
    assert h200.between(samples[3].t, samples[6].t) == samples[3:7]
    assert h200.between(-2, -1) == []
    assert h200.between(1e9, 2e9) == []


def test_an_empty_stream_folds(h200: Session) -> None:
    empty = Session()
    assert roofs(empty).compute == {}
    assert findings(empty) == []
    assert fall(empty) is None
    assert not empty.complete


def test_samples_of_another_device_do_not_stay(h200: Session) -> None:
    """Telemetry changed over, to the host or to another card: the old samples are not its."""
    assert h200.samples
    h200.add(info("telemetry", kind="cpu", name="CPU"))
    assert h200.samples == []


def test_telemetry_started_again_on_the_same_card_goes_on(h200: Session) -> None:
    count = len(h200.samples)
    told = h200.told_by("telemetry")
    h200.add(SessionInfo(t=99.0, instrument="telemetry", device=told))
    assert len(h200.samples) == count


def sample(t: float, gpu: int | None, mhz: float = 1980.0) -> Sample:
    null = dict.fromkeys(
        ("mem_mhz", "power_w", "power_instant_w", "temp_c", "mem_used_bytes", "util", "reasons")
    )
    return Sample(t=t, gpu=gpu, sm_mhz=mhz, **null)  # type: ignore[arg-type]


def test_samples_of_another_card_stay_apart() -> None:
    told = Device(kind="cuda", name="X", uuid="GPU-a", index=2)
    others = [Device(kind="cuda", name="X", uuid=f"GPU-{i}", index=i) for i in (0, 1)]
    before, own, neighbour = sample(0.0, 0), sample(1.0, 2), sample(1.1, 0)
    session = fold(
        [
            before,
            SessionInfo(t=0.5, instrument="telemetry", device=told, neighbours=others),
            own,
            neighbour,
            sample(0.7, None),
            SessionInfo(t=2.0, instrument="probes", device=Device(kind="cuda", index=0)),
            sample(2.1, 0),
        ]
    )
    assert session.samples == [before, sample(0.7, None), own]
    assert session.samples_of(0) == [neighbour, sample(2.1, 0)]
    assert session.samples_of(2) is session.samples
    assert session.samples_of(1) == []
    assert session.neighbours == tuple(others)
    assert session.between(1.0, 1.1) == [own]
    assert session.duration_s == 2.1
    session.add(SessionInfo(t=3.0, instrument="telemetry", device=Device(kind="cpu")))
    assert session.samples == session.samples_of(0) == []
    assert session.neighbours == ()


def test_without_an_index_every_sample_is_the_measured_devices() -> None:
    session = fold([info("telemetry", kind="cuda", name="X"), sample(1.0, 3), sample(2.0, None)])
    assert [s.gpu for s in session.samples] == [3, None]


def test_a_file_that_names_more_cards_than_any_host_has_does_not_fill_the_memory() -> None:
    session = fold([info("telemetry", kind="cuda", index=0)])
    for gpu in range(1, MOST_CARDS + 10):
        session.add(sample(float(gpu), gpu))
    assert len(session.samples_of(MOST_CARDS)) == 1
    assert session.samples_of(MOST_CARDS + 1) == session.samples == []


@pytest.mark.parametrize("name", ["h200-quick-1", "h200-full-1"])
@given(chance=st.randoms(use_true_random=False))
@settings(max_examples=5)
def test_samples_may_come_in_any_order(name: str, chance: random.Random) -> None:
    """Among themselves and among the other events: the record is the same."""
    recorded = list(events(SESSIONS / f"{name}.jsonl"))
    samples = [e for e in recorded if isinstance(e, Sample)]
    rest = [e for e in recorded if not isinstance(e, Sample)]
    chance.shuffle(samples)
    cut = chance.randrange(len(samples) + 1)
    told = next(i for i, e in enumerate(rest) if getattr(e, "instrument", None) == "telemetry") + 1
    mixed = fold([*samples[:cut], *rest[:told], *samples[cut:], *rest[told:]])
    whole = fold(recorded)
    assert mixed.samples == whole.samples
    assert record(mixed, None) == record(whole, None)


def test_a_clock_or_a_power_of_zero_is_none_that_was_read(h200_file: Path) -> None:
    zeros = {"sm_mhz": 0.0, "power_w": 0.0}
    said = [
        msgspec.structs.replace(e, **zeros) if isinstance(e, Sample) else e
        for e in events(h200_file)
    ]
    session = fold(said)
    assert {(s.sm_mhz, s.power_w) for s in session.samples} == {(None, None)}
    assert all(s.status["sm_mhz"] == s.status["power_w"] == "error" for s in session.samples)
    assert any(s.temp_c for s in session.samples)
    text = "\n".join(text_of(r) for r in report(session, None, 120, UNICODE))
    assert " 0/1980 MHz" not in text
    assert "SM clock 0" not in text
    assert "SM clock " in text  # read on the device, by the spin
