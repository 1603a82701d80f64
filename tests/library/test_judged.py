"""A measured function judged on a pretended H200: the mistakes that a caller can still make."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from roofwatch.library.during import seen_during
from roofwatch.library.judged import judged
from roofwatch.library.measured import Measured
from roofwatch.library.said import said_of
from roofwatch.probes.function import Taken
from roofwatch.probes.timing import ClockReading, Timed
from roofwatch.session.events import Device, Sample, SessionInfo
from roofwatch.session.fold import Session

H200 = Device(
    kind="cuda",
    name="NVIDIA H200",
    compute_capability="9.0",
    sm_count=132,
    memory_bytes=150_754_820_096,
    l2_bytes=60 << 20,
    bus_bits=6016,
    sm_max_mhz=1980.0,
    mem_max_mhz=3201.0,
)
ARGUMENTS: dict[str, Any] = {
    "flop": None,
    "bytes": None,
    "dtype": None,
    "math": None,
    "op": "other",
    "shape": None,
    "name": None,
    "nominal_gbs": None,
    "nominal_tflops": None,
}
GIB = 1 << 30
PLENTY = 1 << 30  # elements of two bytes: 2 GiB


def fn() -> None:
    """Nothing is called."""


def sample(t: float, **values: Any) -> Sample:
    fields: dict[str, Any] = {
        "gpu": 0,
        "sm_mhz": 1980.0,
        "mem_mhz": 3201.0,
        "power_w": 300.0,
        "power_instant_w": 500.0,
        "temp_c": 50.0,
        "mem_used_bytes": 1,
        "util": 1.0,
        "reasons": 0,
    }
    return Sample(t=t, **{**fields, **values})


def answer(
    time_s: float,
    device: Device = H200,
    samples: tuple[Sample, ...] = (),
    timing: str = "event",
    **arguments: Any,
) -> Measured:
    """The answer for a function that took ``time_s`` on ``device``; the span is 10.4 to 10.7 s."""
    sides = {s: arguments.pop(s, None) for s in ("m", "n", "k", "batch", "elements")}
    said = said_of(fn, sides=sides, **{**ARGUMENTS, **arguments})
    timed = Timed(
        times_s=[time_s * (1 + 1e-4 * (i % 3)) for i in range(30)],
        stop="iqr",
        timing=timing,
        begin_s=110.4,
        end_s=110.7,
        clock=[ClockReading(110.5, 1965.0)] if timing == "event" else [],
    )
    session = Session()
    session.add(SessionInfo(t=0.0, instrument="probes", device=device))
    for each in samples:
        session.add(each)
    taken = Taken(timed=timed, warm_begin_s=110.0)
    return judged(said, taken, session, seen_during(taken, session, 100.0, "error"))


def at_gbs(gbs: float, moved: float) -> float:
    return moved / gbs / 1e9


def test_a_sound_stream_is_believable() -> None:
    moved = 4.0 * PLENTY
    got = answer(at_gbs(4296, moved), op="add_scalar", elements=PLENTY, dtype="fp16", bytes=moved)
    assert got.verdict == "believable"
    assert got.findings == []
    assert got.gbs == pytest.approx(4296, rel=1e-3)
    assert got.of_nominal == pytest.approx(0.895, abs=0.01)
    assert got.within_expected is True
    assert got.expected is not None
    assert got.expected.unit == "GB/s"
    assert (got.judged, got.card) == ("gbs", "NVIDIA H200")


def test_the_formula_counts_where_the_caller_does_not() -> None:
    got = answer(at_gbs(4296, 4.0 * PLENTY), op="add_scalar", shape=(1024, 1 << 20), dtype="fp16")
    assert got.gbs == pytest.approx(4296, rel=1e-3)
    assert got.intensity == 0.25


def test_only_x_is_counted() -> None:
    got = answer(
        at_gbs(4296, 4.0 * PLENTY),
        op="add_scalar",
        elements=PLENTY,
        dtype="fp16",
        bytes=2.0 * PLENTY,
    )
    assert got.verdict == "wrong"
    assert got.codes[0] == "E1"


def test_a_tensor_that_fits_in_the_cache() -> None:
    elements = 4 << 20
    got = answer(
        at_gbs(5300, 4.0 * elements),
        timing="graph",
        op="add_scalar",
        elements=elements,
        dtype="fp16",
    )
    assert got.verdict == "wrong"
    assert "E2" in got.codes
    assert "E5" not in got.codes


def test_bytes_alone_tell_the_cache_too() -> None:
    got = answer(at_gbs(5300, 16 << 20), bytes=16 << 20)
    assert "E2" in got.codes


def test_fp32_against_the_peak_of_fp16() -> None:
    got = answer(
        2 * 8192.0**3 / 51e12,
        op="matmul",
        shape=(8192, 8192, 8192),
        dtype="fp32",
        math="ieee",
        flop=2 * 8192.0**3,
        nominal_tflops=989.5,
    )
    assert got.verdict == "wrong"
    assert "E3" in got.codes
    assert got.peak_key == "fp32"
    assert got.tflops == pytest.approx(51, rel=1e-3)


def test_matrices_too_small() -> None:
    got = answer(
        6e-6, timing="graph", op="matmul", m=512, n=512, k=512, dtype="bf16", flop=2 * 512.0**3
    )
    assert "E4" in got.codes
    assert got.verdict == "suspect"


def test_what_we_did_right_is_not_suspected() -> None:
    slow = answer(3e-3, op="add_scalar", elements=1 << 24, dtype="fp16")
    assert slow.verdict == "suspect"
    assert not {"cold-start", "E5", "mig-slice"} & set(slow.codes)
    fast = answer(1e-6, op="add_scalar", elements=PLENTY, dtype="fp16")
    assert fast.verdict == "wrong"
    assert "E5" not in fast.codes


def test_the_cards_own_readings_speak_for_and_against_a_low_clock() -> None:
    work: dict[str, Any] = {"op": "matmul", "shape": (8192, 8192, 8192), "dtype": "bf16"}
    time_s = 2 * 8192.0**3 / 480e12
    blind = answer(time_s, timing="graph", **work)
    assert {"throttled", "low-clock"} <= set(blind.codes)
    full = answer(time_s, samples=tuple(sample(10 + i / 10) for i in range(10)), **work)
    assert not {"throttled", "low-clock"} & set(full.codes)
    assert full.verdict == "suspect"
    capped = tuple(sample(10 + i / 10, reasons=4) for i in range(10))
    assert "throttled" in answer(time_s, samples=capped, **work).codes


def test_both_counts_are_judged_on_their_side_of_the_ridge() -> None:
    left = answer(1e-3, dtype="bf16", flop=1e9, bytes=4e9)
    assert (left.judged, left.gbs, left.tflops) == (
        "gbs",
        pytest.approx(4000, rel=1e-3),
        pytest.approx(1, rel=1e-3),
    )
    right = answer(1e-3, dtype="bf16", flop=6e11, bytes=1e8)
    assert right.judged == "tflops"
    assert right.gbs == pytest.approx(100, rel=1e-3)
    assert right.intensity == pytest.approx(6000, rel=1e-3)
    assert right.of_nominal == pytest.approx(0.607, abs=0.01)


def test_a_time_alone_is_neither_right_nor_wrong() -> None:
    got = answer(1e-3)
    assert got.verdict == "cannot-say"
    assert (got.gbs, got.tflops, got.of_nominal, got.expected) == (None,) * 4


def test_more_than_the_memory_can_carry() -> None:
    assert answer(1e-4, bytes=40e9).verdict == "wrong"


def test_an_unstable_time_is_said() -> None:
    said = said_of(fn, sides={}, **ARGUMENTS)
    times = [1e-3 * (1 + 0.5 * (i % 5) / 5) for i in range(10)]
    timed = Timed(times_s=times, stop="time-cap", timing="host", begin_s=1.0, end_s=2.0)
    session = Session()
    session.add(SessionInfo(t=0.0, instrument="probes", device=Device(kind="cpu", name="CPU")))
    taken = Taken(timed=timed, warm_begin_s=0.5)
    got = judged(said, taken, session, seen_during(taken, session, 0.0, "not_measured"))
    assert got.codes == ["unstable"]
    assert got.verdict == "cannot-say"
    assert set(got.conditions.status.values()) == {"not_measured"}


def test_conditions_are_of_the_span_and_its_warm_up() -> None:
    outside = [sample(t, sm_mhz=345.0, power_instant_w=75.0, reasons=1) for t in (9.8, 9.9, 11.0)]
    inside = [sample(10.2), sample(10.5, reasons=4, sm_mhz=1900.0)]
    got = answer(1e-3, samples=(*outside[:2], *inside, outside[2]), bytes=4e9)
    seen = got.conditions
    assert (seen.sm_mhz, seen.power_w, seen.samples) == (1940.0, 500.0, 2)
    assert seen.sm_mhz_spin == 1965.0
    assert seen.reasons == ["power limit"]
    assert "reasons" not in seen.status


def test_what_could_not_be_read_is_null_with_its_reason() -> None:
    blank = sample(10.5, mem_mhz=None, reasons=None, status={"reasons": "no_permission"})
    seen = answer(1e-3, samples=(blank,), bytes=4e9).conditions
    assert seen.mem_mhz is None
    assert seen.status["reasons"] == "no_permission"
    none = answer(1e-3, bytes=4e9).conditions
    assert none.status["sm_mhz"] == none.status["reasons"] == "error"


def test_the_flat_form() -> None:
    got = answer(1e-3, samples=(sample(10.5, temp_c=None),), bytes=4e9, dtype="fp16", name="mine")
    flat = got.flat()
    assert list(flat) == list(
        answer(2e-3, samples=(sample(10.5, temp_c=None),), bytes=4e9, dtype="fp16").flat()
    )
    assert all(name.startswith("roofwatch/") for name in flat)
    assert all(isinstance(value, (float, int, str, bool)) for value in flat.values())
    assert flat["roofwatch/name"] == "mine"
    assert flat["roofwatch/gbs"] == pytest.approx(4000, rel=1e-3)
    assert flat["roofwatch/sm_mhz"] == 1980.0
    assert flat["roofwatch/reasons"] == ""
    assert "roofwatch/temp_c" not in flat
    assert flat["roofwatch/status/temp_c"] == "stale"
    assert "roofwatch/status/sm_mhz" not in flat
    assert "tflops" not in got.flat("")
    assert msgspec.json.encode(got.flat("x."))


def test_codes_are_joined() -> None:
    got = answer(
        2 * 8192.0**3 / 300e12, timing="graph", op="matmul", shape=(8192,) * 3, dtype="bf16"
    )
    assert got.flat("")["findings"] == ",".join(got.codes)
    assert len(got.codes) > 1


def test_two_lines_for_people() -> None:
    got = answer(1e-3, bytes=4e9, name="copy")
    first, second = str(got).splitlines()
    assert first == "copy: 1 ms (best 1 ms, IQR 0.02 %; 30 repetitions, event, iqr)"
    assert second == "4000 GB/s, 83 % of nominal on NVIDIA H200: believable"


def test_a_cpu_has_no_nominal_but_a_cache() -> None:
    cpu = Device(kind="cpu", name="Some CPU", l2_bytes=32 << 20)
    large = answer(0.1, device=cpu, timing="host", op="copy", elements=1 << 30, dtype="fp32")
    assert (large.verdict, large.findings, large.card) == ("cannot-say", [], "Some CPU")
    small = answer(1e-4, device=cpu, timing="host", op="copy", elements=1 << 20, dtype="fp32")
    assert small.codes == ["E2"]
