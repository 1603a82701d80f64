"""Each mistake as it is made: what it launches, how it is timed, what it claims; and its skips."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

torch = pytest.importorskip("torch")

from roofwatch.notebook.entry import claim_of  # noqa: E402
from roofwatch.probes import mistakes, streams, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget, HostTimer  # noqa: E402
from roofwatch.probes.mistakes import Made, Place, cannot, make  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.probes.timing import Cancelled, Launch, Timed  # noqa: E402
from roofwatch.roofline.probe_spec import ProbeSpec  # noqa: E402
from roofwatch.roofline.suite import MISTAKES, suite  # noqa: E402
from roofwatch.session.events import (  # noqa: E402
    Device,
    End,
    Measurement,
    Note,
)

MIB = 1 << 20
CODES = ("E1", "E2", "E3", "E4", "E5")
PEAKS = {"fp32": 66.9, "fp16": 989.4}
ON_CARD = {s.mistake: s for s in suite(MISTAKES, "cuda", "9.0") if s.mistake}


class NamedTimer(HostTimer):
    """The host's clock under the name of a device's timer."""

    def __init__(self, name: str, calls: int = 1) -> None:
        super().__init__(calls=calls)
        self.name = name


class Card:
    """A card that is none: it computes on the CPU, at once."""

    kind = "cuda"
    torch_device = torch.device("cpu")
    units = 4
    cache_bytes = 6 * MIB
    free = 32 * MIB

    def __init__(self, stopped: Callable[[], bool] = lambda: False) -> None:
        self.stopped = stopped

    def identity(self) -> Device:
        return Device(kind="cuda", compute_capability="9.0")

    def free_bytes(self) -> int:
        return self.free

    def keep_within(self, share: float) -> None:
        pass

    def timer(self) -> NamedTimer:
        return NamedTimer("event")

    def timer_for(self, launch: Launch) -> NamedTimer:
        return NamedTimer("graph", 8)

    def clean_up(self) -> None:
        pass


@pytest.fixture(autouse=True)
def _few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small squares and few repetitions; a stream settles at once."""
    monkeypatch.setattr(mistakes, "SIDE", 32)
    monkeypatch.setattr(mistakes, "WARM", 2)
    monkeypatch.setattr(mistakes, "REPEATS", 5)

    def measure(target: Any, launch: Launch, clock: Any, report: Any) -> Timed:
        report(1.0)
        timer = target.timer_for(launch)
        times = timer.times(launch, 3)
        return Timed(times_s=times, stop="iqr", timing=timer.name, begin_s=1, end_s=2)

    monkeypatch.setattr(streams, "measure", measure)


def place(target: Any = None, **changes: Any) -> Place:
    told: dict[str, Any] = {
        "clock": None,
        "shapes": {"fp32": (Shape(64, 48, 32), "nt")},
        "peaks_tflops": PEAKS,
        "rest": lambda seconds: None,
    }
    return Place(target=target or Card(), **{**told, **changes})


def made(code: str) -> Made:
    return make(ON_CARD[code], place(), lambda progress: None)


@pytest.mark.parametrize("code", CODES)
def test_a_claim_is_a_row_that_check_reads(code: str) -> None:
    claim = made(code).claim
    fields = msgspec.to_builtins(claim)
    read = claim_of(fields)
    for name, given in fields.items():
        assert getattr(read, name) == given
    assert not {"synchronized", "note", "bytes_counted", "gpu"} & set(fields)
    assert read.synchronized is None


@pytest.mark.parametrize("code", CODES)
def test_every_mistake_repeats(code: str) -> None:
    seen = made(code)
    assert len(seen.timed.times_s) >= 3
    assert seen.timed.stop
    assert min(seen.timed.times_s) <= seen.claim.time_s <= max(seen.timed.times_s) + 1e-10


def test_e1_counts_half_of_the_bytes() -> None:
    seen = made("E1")
    claim = seen.claim
    assert claim.claimed_gbs is not None
    assert claim.claimed_gbs * 1e9 * claim.time_s == pytest.approx(seen.work.bytes / 2, rel=1e-4)
    assert claim.elements == seen.work.shape["elements"]
    assert 6 * MIB < claim.elements < 7 * MIB  # four fifths of what is free


def test_e2_takes_a_third_of_the_cache_and_a_graph() -> None:
    seen = made("E2")
    assert seen.work.bytes == 2 * MIB
    assert seen.claim.timing == "graph"
    assert seen.claim.claimed_gbs == pytest.approx(
        seen.work.bytes / seen.claim.time_s / 1e9, rel=1e-4
    )


def test_e2_is_well_inside_a_cpus_cache() -> None:
    target = CpuTarget()
    if not target.cache_bytes:
        pytest.skip("this CPU does not tell its cache")
    (spec,) = (s for s in suite(MISTAKES, "cpu") if s.mistake == "E2")
    seen = make(spec, place(target), lambda progress: None)
    assert seen.work.bytes < target.cache_bytes / 2
    assert seen.claim.timing == "host"


def test_e3_launches_the_right_shape_and_compares_with_fp16() -> None:
    seen = made("E3")
    assert (seen.claim.m, seen.claim.n, seen.claim.k, seen.layout) == (64, 48, 32, "nt")
    assert (seen.claim.dtype, seen.claim.math) == ("fp32", "ieee")
    assert seen.claim.nominal_tflops == PEAKS["fp16"]
    assert seen.claim.claimed_tflops == pytest.approx(
        seen.work.flop / seen.claim.time_s / 1e12, rel=1e-2
    )
    assert seen.timed.timing == "event"


def test_e4_is_a_small_square_between_events() -> None:
    seen = made("E4")
    assert (seen.claim.m, seen.claim.n, seen.claim.k) == (32, 32, 32)
    assert (seen.claim.dtype, seen.claim.timing) == ("fp16", "event")
    assert seen.claim.nominal_tflops is None
    assert len(seen.timed.times_s) == 5


def test_e5_waits_for_the_card_outside_of_the_time(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(mistakes, "_wait", lambda target: done.append("waited"))

    def prepare(*arguments: Any) -> Any:
        work, launch = real(*arguments)
        return work, lambda: (done.append("called"), launch())

    real = streams.prepare
    monkeypatch.setattr(streams, "prepare", prepare)
    clock = iter(range(1000))
    monkeypatch.setattr(
        mistakes.time, "perf_counter", lambda: (done.append("read"), next(clock))[1]
    )
    seen = made("E5")
    assert done == ["waited", "read", "called", "read"] * 8 + ["waited"]
    assert seen.claim.timing == "host"
    assert seen.claim.claimed_gbs == pytest.approx(seen.work.bytes / 1e9)
    assert seen.work.bytes == 32 * MIB  # a gibibyte each where it is free


@pytest.mark.parametrize("code", ["E4", "E5"])
def test_a_stop_ends_a_mistake_between_two_launches(code: str) -> None:
    def report(progress: float) -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        make(ON_CARD[code], place(), report)


@pytest.mark.parametrize(
    ("code", "changes", "said"),
    [
        ("E3", {"peaks_tflops": {"fp32": 66.9}}, "no dense fp16 peak"),
        ("E3", {"shapes": {}}, "matmul-fp32 has no shape"),
        ("E4", {"shapes": {}, "peaks_tflops": {}}, None),
        ("E5", {"peaks_tflops": {}}, None),
        ("E1", {}, None),
    ],
)
def test_what_a_card_lacks_is_said(code: str, changes: dict[str, Any], said: str | None) -> None:
    why = cannot(ON_CARD[code], place(**changes))
    assert why is None if said is None else said in (why or "")


def test_a_card_that_does_not_tell_its_cache_has_no_e2() -> None:
    card = Card()
    card.cache_bytes = 0
    assert "cache is not known" in (cannot(ON_CARD["E2"], place(card)) or "")


def test_a_cpu_cannot_be_early() -> None:
    specs = {s.mistake: s for s in suite(MISTAKES, "cpu") if s.mistake}
    said = {code: cannot(spec, place(CpuTarget())) for code, spec in specs.items()}
    assert said["E1"] is None
    assert "returns when its work is done" in (said["E5"] or "")
    assert "datasheet" in (said["E3"] or "")
    assert "E4 is not made" in (said["E4"] or "")


def worked(
    heard: Any,
    monkeypatch: pytest.MonkeyPatch,
    specs: list[ProbeSpec],
    target: Any,
    **told: Any,
) -> Any:
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    monkeypatch.setattr(worker, "spin_clock", lambda target: (None, "not_supported"))
    run = worker.Worker(heard, target, 1, threading.Event(), **told)
    run._shapes["fp32"] = (Shape(64, 48, 32), "nn")
    monkeypatch.setattr(run, "_rest", lambda seconds: None)
    assert run.run(specs) == 0
    return heard


def test_the_worker_writes_each_with_its_claim(
    monkeypatch: pytest.MonkeyPatch, instrument: Any
) -> None:
    heard = worked(instrument, monkeypatch, list(ON_CARD.values()), Card(), peaks_tflops=PEAKS)
    found = heard.of(Measurement)
    assert [m.mistake for m in found] == list(CODES)
    for m in found:
        assert m.protocol == "mistake"
        assert m.claim is not None
        assert len(m.times_s) >= 3
    assert [m.layout for m in found] == [None, None, "nn", "nn", None]
    assert [n.probe for n in heard.of(Note)] == []
    assert heard.of(End)[0].complete


def test_the_worker_skips_what_a_cpu_cannot_get_wrong(
    monkeypatch: pytest.MonkeyPatch, instrument: Any
) -> None:
    specs = [s for s in suite(MISTAKES, "cpu") if s.mistake in ("E3", "E4", "E5")]
    heard = worked(instrument, monkeypatch, specs, CpuTarget())
    assert [n.probe for n in heard.of(Note)] == ["mistake-E3", "mistake-E4", "mistake-E5"]
    assert heard.of(Measurement) == []
    assert heard.of(End)[0].complete
