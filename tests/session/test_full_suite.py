"""A recorded session of the full suite: streams, sweeps, clocks, attribution, and their checks."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.peaks import TENSOR_KEYS
from roofwatch.session.attribution import attributed, bandwidth_attributed
from roofwatch.session.controlled import controlled
from roofwatch.session.events import Measurement, Series
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.points import points
from roofwatch.session.questions import questions
from roofwatch.session.rates import gbs, tflops
from roofwatch.session.ridges import changing_side, ridges
from roofwatch.session.roofs import roofs
from roofwatch.session.sm_clock import sm_clock
from roofwatch.session.summary import record
from roofwatch.session.sustained import clock_readings, sustained
from roofwatch.session.sweeps import cache_seen, sweeps
from roofwatch.session.table import DONE, probe_rows
from roofwatch.session.throttle import fall

MIB = 1 << 20


def measured(session: Session, probe: str) -> Measurement:
    return next(m for m in session.measured() if m.probe == probe)


def replaced(session_file: Path, probe: str, **changes: Any) -> Session:
    """The recorded session with one measurement changed."""
    return fold(
        msgspec.structs.replace(e, **changes)
        if isinstance(e, Measurement) and e.probe == probe
        else e
        for e in events(session_file)
    )


def test_the_roof_is_the_best_kernel_of_two_or_three_streams(full: Session) -> None:
    own = roofs(full)
    assert own.bandwidth is not None
    assert own.bandwidth.probe == "triad-fp16"
    assert own.bandwidth_gbs == pytest.approx(4410, rel=0.01)
    # One stream alone reaches more: it is no roof for work that reads and writes.
    assert gbs(measured(full, "read-fp32")) > own.bandwidth_gbs
    assert gbs(measured(full, "fill-fp32")) > own.bandwidth_gbs


def test_every_burst_is_in_its_range_and_named(full: Session) -> None:
    for m in full.measured():
        if m.protocol != "burst":
            continue
        expect = full.expect(m.probe)
        assert expect is not None
        assert expect.holds(tflops(m)), m.probe
        assert m.kernel is not None
        assert uses_tensor_cores(m.kernel) is (m.peak_key in TENSOR_KEYS), m.kernel
        assert len(m.clock_mhz) >= 3
        assert m.settings["fp32_precision"] == m.math


def test_fp64_is_judged_by_the_tensor_peak(full: Session) -> None:
    assert measured(full, "matmul-fp64").peak_key == "fp64_tensor"
    flat = roofs(full).compute["fp64_tensor"]
    assert flat.nominal_tflops == 66.9


def test_the_profilers_time_agrees_with_the_events(full: Session) -> None:
    for m in full.measured():
        if m.protocol == "stream" and m.kernel_time_s is not None:
            assert m.kernel_time_s == pytest.approx(
                sorted(m.times_s)[len(m.times_s) // 2], rel=0.05
            )


def test_a_profiler_that_disagrees_is_a_finding(full_file: Path) -> None:
    wrong = replaced(full_file, "triad-fp16", kernel_time_s=2e-3)
    found = [f for f in findings(wrong) if f.subject == "triad-fp16"]
    assert [f.code for f in found] == ["unstable"]
    assert "profiler" in found[0].message


def test_the_control_moves_bytes_as_fast(full: Session, full_file: Path) -> None:
    control = measured(full, "add_scalar-fp32")
    seen = controlled(full, control)
    assert seen is not None
    assert seen.ratio == pytest.approx(1, abs=0.02)
    assert seen.noise < 0.02
    assert not seen.restless
    assert controlled(full, measured(full, "triad-fp16")) is None
    slow = replaced(full_file, "add_scalar-fp32", times_s=[t * 1.1 for t in control.times_s])
    found = [f for f in findings(slow) if f.subject == "add_scalar-fp32" and f.root == "bytes"]
    assert [f.code for f in found] == ["inefficient-kernel"]
    assert found[0].evidence["ratio"] == pytest.approx(0.9, abs=0.02)


def test_good_numbers_raise_notes_alone(full: Session) -> None:
    assert {(f.code, f.severity) for f in findings(full)} == {
        ("strided", "note"),
        ("E2", "note"),
        ("throttled", "note"),
    }


def test_strided_bytes_are_half_again(full: Session) -> None:
    found = next(f for f in findings(full) if f.code == "strided")
    assert found.evidence["moved_over_useful"] == 1.5


def test_the_cache_is_seen_near_its_size(full: Session) -> None:
    found = {s.probe: s for s in sweeps(full, roofs(full))}
    seen = cache_seen(list(found.values()))
    assert seen is not None
    assert seen.bytes_seen == pytest.approx(60 * MIB, rel=0.25)
    turns = found["add_scalar-fp16-sweep"].cliff
    assert turns is not None
    assert turns.bytes_seen < seen.bytes_seen


def test_a_sweeps_points_are_flagged_where_the_cache_answers(full: Session) -> None:
    swept = next(s for s in sweeps(full, roofs(full)) if s.probe == "add_scalar-fp16-sweep")
    by_bytes = {p.bytes: p for p in swept.points}
    twelve, large = by_bytes[24 * MIB], by_bytes[4 << 30]  # x and y of 12 MiB; of 2 GiB
    assert (twelve.of_nominal or 0) > 1
    assert twelve.code == "E2"
    assert (large.of_nominal or 0) < 1
    assert large.code is None
    assert all(m.timing == "graph" for m in full.sweep(swept.probe)[:20])
    sizes = [p.bytes or 0 for p in swept.points]
    assert sizes == sorted(sizes)
    assert sizes[0] <= 256 << 10


def test_squares_leave_the_slope_and_fill_waves(full: Session) -> None:
    swept = next(s for s in sweeps(full, roofs(full)) if s.probe == "matmul-bf16-sweep")
    assert next(p.n for p in swept.points) == 256
    assert swept.points[-1].n == 16384
    assert swept.ridge_n == pytest.approx(3 * ridges(roofs(full), "bf16")["burst"], rel=0.01)
    assert swept.wave_n == 3072  # 2048 x 2048 is 128 tiles for 132 SMs, whatever their shape
    by_n = {p.n: p for p in swept.points}
    assert by_n[512].code == "E4"
    assert by_n[8192].code is None
    for p in swept.points:
        # Each size has its own kernel's tile; no rate exceeds what its waves allow at 1980 MHz.
        assert p.tile is not None
        assert p.wave_share is not None
        assert (p.tflops or 0) <= 1.02 * p.wave_share * 989.4 * 1980 / 1830
    assert len({p.tile for p in swept.points}) > 3
    assert by_n[2048].waves == pytest.approx(128 / 132)


def test_attribution_adds_up_for_burst_and_sustained(full: Session) -> None:
    flat = roofs(full).compute["bf16"]
    for which, m in (("burst", flat.burst), ("sustained", flat.sustained)):
        found = attributed(full, flat, which)
        assert found is not None
        assert m is not None
        t = found.terms
        assert t.nominal + t.clock + t.waves + t.remainder == pytest.approx(tflops(m))
        assert found.clock.source == "spin"
        assert found.tile_known
    burst, held = attributed(full, flat, "burst"), attributed(full, flat, "sustained")
    assert burst is not None
    assert held is not None
    assert burst.terms.clock > 0  # above the datasheet's clock: a gain
    assert held.terms.clock < -100
    assert held.terms.remainder > burst.terms.remainder


def test_the_remainder_is_the_same_at_two_settled_clocks(full: Session) -> None:
    held = sustained(full, measured(full, "matmul-bf16-sustained"), "x")
    low, high = held.settled
    assert low.sm_mhz < high.sm_mhz
    assert low.tflops < high.tflops
    assert low.efficiency is not None
    assert high.efficiency is not None
    assert low.efficiency == pytest.approx(high.efficiency, rel=0.03)


def test_the_fall_is_seen_in_the_rate_and_in_the_clock(full: Session) -> None:
    held = sustained(full, measured(full, "matmul-bf16-sustained"), "x")
    assert held.onset_s is not None
    assert held.clock_onset_s == pytest.approx(held.onset_s, abs=0.020)
    readings = clock_readings(full, "matmul-bf16-sustained", 1)
    gaps = [b[0] - a[0] for a, b in itertools.pairwise(readings)]
    assert sorted(gaps)[len(gaps) // 2] < 0.008


def test_two_held_precisions_have_each_their_own_fall(full_file: Path) -> None:
    bf16, fp16 = "matmul-bf16-sustained", "matmul-fp16-sustained"
    stream = list(events(full_file))
    more: list[Any] = []
    for e in stream:
        if isinstance(e, Series) and e.probe == bf16:
            slower = [t * 1.25 for t in e.times_s]
            more.append(msgspec.structs.replace(e, probe=fp16, times_s=slower))
        if isinstance(e, Measurement) and e.probe == bf16:
            clock = [mhz - 200 for mhz in e.clock_mhz]
            slower = [t * 1.25 for t in e.times_s]
            changes = {"probe": fp16, "peak_key": "fp16", "dtype": "fp16", "clock_mhz": clock}
            more.append(msgspec.structs.replace(e, times_s=slower, **changes))
    session = fold([*stream, *more])
    said = {f.subject: f.message for f in findings(session) if f.code == "throttled"}
    assert set(said) == {bf16, fp16}
    own = roofs(session)
    for probe, key in ((bf16, "bf16"), (fp16, "fp16")):
        seen = fall(session, probe=probe)
        assert seen is not None
        assert seen.tflops == own.compute[key].sustained_tflops
        assert f"SM clock {seen.sm_mhz:.0f} " in said[probe]
    _, two, *_ = questions(session, own)
    assert f"{fall(session, probe=bf16).sentence}" in two.answer  # type: ignore[union-attr]


def test_held_bandwidth_does_not_fall(full: Session) -> None:
    held = sustained(full, measured(full, "triad-fp16-sustained"), "x")
    assert held.tflops is None
    assert held.gbs == pytest.approx(roofs(full).bandwidth_gbs, rel=0.01)
    assert held.onset_s is None
    assert held.status["onset_s"] == "never_fell"
    assert held.settled == []


def test_nvml_stands_beside_the_spin_clock(full: Session) -> None:
    m = measured(full, "matmul-bf16-sustained")
    clock = sm_clock(full, m)
    assert clock is not None
    assert clock.source == "spin"
    held = sustained(full, m, "x")
    assert held.sm_mhz_nvml == pytest.approx(clock.mhz, rel=0.06)


def test_bandwidth_is_attributed_with_ecc_and_memory_clock(full: Session) -> None:
    own = roofs(full)
    parts = bandwidth_attributed(full, own)
    assert parts is not None
    whole = parts.nominal + parts.clock + parts.turnaround + parts.remainder
    assert whole == pytest.approx(own.bandwidth_gbs)
    assert parts.turnaround < 0
    split = record(full, None).roofs.bandwidth_attribution
    assert split["ecc"] is True
    assert split["mem_mhz"] == 3201


def test_points_tell_what_to_work_on(full: Session) -> None:
    found = {p.name: p for p in points(full, roofs(full), "bf16")}
    stream = found["triad fp16"]
    assert stream.work_on == "stop here; only intensity helps"
    assert stream.mfu is not None
    assert stream.mfu_ceiling is not None
    assert stream.mfu < stream.mfu_ceiling < 0.01
    small = found["bf16 square 512"]
    assert small.work_on == "overhead and kernel"
    assert small.distances is not None
    assert small.distances.of_roof < 0.2
    assert found["bf16 burst"].mfu_ceiling == 1.0
    assert found["bf16 square 8192"].work_on == "stop here"


def test_work_between_the_ridges_is_named(full: Session) -> None:
    own = roofs(full)
    assert set(ridges(own, "bf16")) == {"nominal", "burst", "sustained"}
    assert changing_side(own) == {
        "nominal/burst": [],
        "nominal/sustained": ["matmul 512"],
    }


def test_the_questions_are_answered_with_their_checks(full: Session) -> None:
    one, two, three, *_ = questions(full, roofs(full))
    assert [c.ok for c in one.checks] == [True, True, True]
    assert "ECC on" in one.answer
    assert "the rest" in two.answer
    assert "matmul 512" in three.answer


def test_the_table_says_where_a_sweep_turns(full: Session) -> None:
    rows = {r.probe: r for r in probe_rows(full)}
    assert rows["read-fp16-sweep"].state == DONE
    assert rows["read-fp16-sweep"].said.startswith("turns at 4")
    assert rows["matmul-bf16-sweep"].said == "flat from n=3072"
    assert rows["triad-fp16-sustained"].unit == "GB/s"


def test_the_record_has_sweeps_clocks_and_attribution(full: Session) -> None:
    seen = msgspec.json.decode(msgspec.json.encode(record(full, None)))
    bf16 = seen["roofs"]["compute"]["bf16"]
    assert set(bf16["attribution"]) == {"burst", "sustained"}
    assert set(bf16["attribution"]["burst"]) >= {"nominal", "clock", "waves", "remainder"}
    assert bf16["clock_source"] == "spin"
    assert bf16["tensor_core"] is True
    assert "nvjet" in bf16["kernel"]
    assert seen["roofs"]["compute"]["fp32"]["tensor_core"] is False
    assert seen["roofs"]["compute"]["fp8_fast"]["out_dtype"] == "bf16"
    assert seen["roofs"]["l2_bytes_seen"] == pytest.approx(60 * MIB, rel=0.25)
    for swept in seen["sweeps"]:
        for p in swept["points"]:
            assert {"time_s"} < set(p)
            assert ("bytes" in p and "gbs" in p) or ("n" in p and "tflops" in p)
    assert not any(m["probe"].endswith("-sweep") for m in seen["measurements"])
    for m in seen["measurements"]:
        assert m["time_s"]["n"] >= 3
        assert m["time_s"]["stop"]
