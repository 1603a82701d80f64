"""A control that disagrees: both streams are measured again, and it is said."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import streams, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.timing import Cancelled, ClockReading, Timed  # noqa: E402
from roofwatch.roofline import workload  # noqa: E402
from roofwatch.roofline.probe_spec import (  # noqa: E402
    ProbeSpec,
    matmul_spec,
    stream_spec,
    sweep_of,
)
from roofwatch.session.events import End, Measurement, Note, Span  # noqa: E402
from roofwatch.session.which_stands import standing  # noqa: E402

FIRST = stream_spec("add_scalar", "fp32")
CONTROL = stream_spec("add_scalar", "fp64", control=True)
COPY = stream_spec("copy", "fp32")
ELEMENTS = 1000


@pytest.fixture
def heard(monkeypatch: pytest.MonkeyPatch, instrument: Any) -> Any:
    """What a worker writes when its streams are small."""
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    monkeypatch.setattr(streams, "tensor_bytes", lambda target, op: (4 * ELEMENTS, True))
    monkeypatch.setattr(
        streams,
        "prepare",
        lambda target, op, dtype, size: (workload.add_scalar(ELEMENTS, dtype), lambda: None),
    )
    return instrument


def run(
    monkeypatch: pytest.MonkeyPatch,
    heard: Any,
    times: list[float],
    specs: tuple[ProbeSpec, ...] = (FIRST, CONTROL),
) -> int:
    """Run the specs; the streams' medians are ``times``, one after the other."""
    left: Iterator[float] = iter(times)

    def measure(target: Any, launch: Any, clock: Any, report: Any) -> Timed:
        report(1.0)
        seconds = next(left)
        return Timed(
            times_s=[seconds, seconds, 2 * seconds], stop="iqr", timing="host", begin_s=2, end_s=3
        )

    monkeypatch.setattr(streams, "measure", measure)
    instrument: Any = heard
    code = worker.Worker(instrument, CpuTarget(), 1, threading.Event()).run(specs)
    assert next(left, None) is None
    return code


@pytest.mark.parametrize("off", [0.0, 0.019, -0.019])
def test_a_control_within_two_per_cent_is_measured_once(
    monkeypatch: pytest.MonkeyPatch, heard: Any, off: float
) -> None:
    # fp64 moves twice the bytes in twice the time.
    assert run(monkeypatch, heard, [1e-3, 2e-3 / (1 + off)]) == 0
    assert heard.measured == [FIRST.key, CONTROL.key]
    assert heard.of(Note) == []


@pytest.mark.parametrize(
    ("off", "said"),
    [(0.05, "5.0 % more than"), (-0.05, "5.0 % less than"), (0.021, "2.1 % more than")],
)
def test_a_control_that_disagrees_repeats_both_blocks_and_says_so(
    monkeypatch: pytest.MonkeyPatch, heard: Any, off: float, said: str
) -> None:
    assert run(monkeypatch, heard, [1e-3, 2e-3 / (1 + off), 1.1e-3, 2.2e-3]) == 0
    assert heard.measured == [FIRST.key, CONTROL.key, FIRST.key, CONTROL.key]
    (note,) = heard.of(Note)
    assert note.probe == CONTROL.key
    assert said in note.text
    assert FIRST.key in note.text
    assert "repeated" in note.text


def test_each_repetition_lies_in_a_span_of_its_own_probe(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    run(monkeypatch, heard, [1e-3, 3e-3, 1e-3, 3e-3])
    kinds = [
        (type(e).__name__, getattr(e, "probe", None))
        for e in heard.events
        if isinstance(e, Span | Measurement)
    ]
    assert kinds == [
        ("Span", FIRST.key),
        ("Measurement", FIRST.key),
        ("Span", FIRST.key),
        ("Span", CONTROL.key),
        ("Measurement", CONTROL.key),
        ("Span", CONTROL.key),
        ("Span", FIRST.key),
        ("Measurement", FIRST.key),
        ("Span", FIRST.key),
        ("Span", CONTROL.key),
        ("Measurement", CONTROL.key),
        ("Span", CONTROL.key),
    ]


def test_both_blocks_are_kept_and_the_better_of_each_stands(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    run(monkeypatch, heard, [1e-3, 3e-3, 1.1e-3, 2.2e-3])
    assert [m.times_s[0] for m in heard.of(Measurement)] == [1e-3, 3e-3, 1.1e-3, 2.2e-3]
    stand = {probe: m.times_s[0] for probe, m in standing(heard.of(Measurement)).items()}
    assert stand == {FIRST.key: 1e-3, CONTROL.key: 2.2e-3}


def test_the_next_control_is_held_against_the_better_first(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    third = stream_spec("add_scalar", "bf16", control=True)
    run(monkeypatch, heard, [1.1e-3, 2e-3, 1e-3, 2e-3, 0.5e-3], (FIRST, CONTROL, third))
    assert heard.measured[-1] == third.key
    assert len(heard.of(Note)) == 1


def test_a_disagreement_that_stays_is_repeated_once_and_no_more(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    run(monkeypatch, heard, [1e-3, 3e-3, 1e-3, 3e-3])
    assert len(heard.measured) == 4
    assert len(heard.of(Note)) == 1


def test_other_streams_may_differ_from_the_first(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    specs = (FIRST, COPY, CONTROL)
    run(monkeypatch, heard, [1e-3, 5e-3, 2e-3], specs)
    assert heard.measured == [s.key for s in specs]  # and the control is held against the first
    assert heard.of(Note) == []


def test_a_stop_while_it_repeats_ends_the_run_unfinished(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    times = iter([1e-3, 3e-3])

    def measure(target: Any, launch: Any, clock: Any, report: Any) -> Timed:
        seconds = next(times, None)
        if seconds is None:
            raise Cancelled
        return Timed(times_s=[seconds] * 3, stop="iqr", timing="host", begin_s=2, end_s=3)

    monkeypatch.setattr(streams, "measure", measure)
    instrument: Any = heard
    assert worker.Worker(instrument, CpuTarget(), 1, threading.Event()).run((FIRST, CONTROL)) == 0
    (end,) = heard.of(End)
    assert (end.complete, end.why) == (False, "stopped")
    assert heard.measured == [FIRST.key, CONTROL.key]


def test_readings_of_the_clock_go_into_the_record(
    monkeypatch: pytest.MonkeyPatch, heard: Any
) -> None:
    timed = Timed(
        times_s=[1e-3] * 3,
        stop="iqr",
        timing="event",
        begin_s=2,
        end_s=3,
        clock=[ClockReading(2.5, 1980.04), ClockReading(2.6, 1455.0)],
    )
    monkeypatch.setattr(streams, "measure", lambda *_: timed)
    instrument: Any = heard
    worker.Worker(instrument, CpuTarget(), 1, threading.Event()).run((FIRST,))
    (m,) = heard.of(Measurement)
    assert (m.clock_t_s, m.clock_mhz) == ([2.5, 2.6], [1980.0, 1455.0])
    assert m.status == {"kernel": "not_measured"}


def test_without_readings_it_is_said_why(monkeypatch: pytest.MonkeyPatch, heard: Any) -> None:
    run(monkeypatch, heard, [1e-3], (FIRST,))
    (m,) = heard.of(Measurement)
    assert m.clock_mhz == []
    assert m.status == {"clock_mhz": "not_supported", "kernel": "not_measured"}


@pytest.mark.parametrize("spec", [sweep_of(matmul_spec("fp32")), matmul_spec("fp32", 1.0)])
def test_what_needs_a_shape_is_skipped_without_one(
    monkeypatch: pytest.MonkeyPatch, heard: Any, spec: ProbeSpec
) -> None:
    assert run(monkeypatch, heard, [], (spec,)) == 0
    assert heard.measured == []
    (note,) = heard.of(Note)
    assert (note.probe, "no burst shape" in note.text) == (spec.key, True)
    assert heard.of(Span) == []
    assert heard.of(End)[0].complete
