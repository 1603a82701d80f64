"""Launch costs on the real CPU, and what is told of its quota."""

from __future__ import annotations

import threading
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import launch, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.session.events import Fault, Measurement, Note, SessionInfo  # noqa: E402
from roofwatch.session.host_cpu import Quota  # noqa: E402


def run(instrument: Any, monkeypatch: pytest.MonkeyPatch) -> dict[str, Measurement]:
    """The probe through a worker; its points by variant."""
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    monkeypatch.setattr(launch, "STRETCH_S", 0.002)
    work = worker.Worker(instrument, CpuTarget(), 1, threading.Event())
    assert work.run((group_spec("launch", "fp32"),)) == 0, instrument.of(Fault)
    return {m.variant: m for m in instrument.of(Measurement)}


def test_a_cpu_call_has_a_cost_and_a_rate_and_no_graph(
    instrument: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = run(instrument, monkeypatch)
    assert set(points) == {"enqueue", "rate"}
    for m in points.values():
        assert (m.probe, m.op, m.protocol) == ("launch", "launch", "launch")
        assert m.timing == "host"
        assert m.shape == {"elements": 1}
        assert sum(t.read_bytes + t.write_bytes for t in m.tensors) == 8
        assert m.flop == 1
        assert all(1e-8 < t < 1e-2 for t in m.times_s)
    assert len(points["enqueue"].times_s) == launch.REPEATS
    assert len(points["rate"].times_s) == launch.STRETCHES
    assert [n.text for n in instrument.of(Note)] == [launch.NO_QUEUE]


def test_throttled_periods_are_those_of_the_probe(
    instrument: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = iter([(100, 40), (110, 46)])
    monkeypatch.setattr(launch, "quota", lambda: Quota(cores=0.5, group="/ours"))
    monkeypatch.setattr(launch, "throttling", lambda group: next(counted))
    run(instrument, monkeypatch)
    (told,) = instrument.of(SessionInfo)
    assert told.instrument == "probes"
    assert told.device is None
    assert (told.cpu.periods, told.cpu.throttled) == (10, 6)


def test_a_period_that_ends_between_two_counters_is_no_more_than_one(
    instrument: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = iter([(100, 40), (103, 44)])
    monkeypatch.setattr(launch, "throttling", lambda group: next(counted))
    run(instrument, monkeypatch)
    (told,) = instrument.of(SessionInfo)
    assert (told.cpu.periods, told.cpu.throttled) == (3, 3)


def test_without_a_quota_nothing_is_told(instrument: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "quota", lambda: Quota(status="unlimited"))
    run(instrument, monkeypatch)
    assert instrument.of(SessionInfo) == []


def test_a_repetition_fits_the_drivers_queue_and_never_vanishes() -> None:
    assert launch._calls(1e-9) == 400
    assert launch._calls(25e-6) == 200
    assert launch._calls(1.0) == 50
