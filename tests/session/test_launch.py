"""Launch costs folded from events: figures, the host's CPU beside them, the finding, the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from roofwatch.roofline.workload import add_scalar
from roofwatch.session.events import (
    AnyEvent,
    Device,
    HostCpu,
    Measurement,
    SessionInfo,
    decode,
    encode,
)
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.session.launch import launch_costs
from roofwatch.session.summary import record

Point, Folded = Callable[..., Measurement], Callable[..., Session]
CARD = Device(kind="cuda", name="NVIDIA H200", compute_capability="9.0", sm_count=132)
STRONG = HostCpu(name="A CPU", cores=16, status={"limit_cores": "unlimited"})
H200 = {"enqueue": 7.2e-6, "rate": 7.4e-6, "floor": 15e-6, "queued": 4e-6, "graph": 0.84e-6}


@pytest.fixture
def point(point: Point) -> Point:
    """One variant's times."""

    def made(variant: str, *times_s: float, run: int = 1) -> Measurement:
        timing = {"floor": "event", "queued": "event", "graph": "graph"}.get(variant, "host")
        told = {"op": "launch", "dtype": "fp32", "variant": variant, "timing": timing, "run": run}
        return point(add_scalar(1, "fp32"), times_s, "launch", clock_mhz=[], **told)

    return made


@pytest.fixture
def session(point: Point, of_suite: Folded) -> Folded:
    def made(
        costs: dict[str, float], device: Device = CARD, cpu: HostCpu = STRONG, *more: AnyEvent
    ) -> Session:
        points = (point(variant, 0.9 * s, s, 1.1 * s) for variant, s in costs.items())
        return of_suite(device, *points, *more, cpu=cpu)

    return made


def test_each_variant_has_its_figure(session: Folded) -> None:
    costs = launch_costs(session(H200))
    assert costs is not None
    assert costs.enqueue_s == 7.2e-6
    assert costs.floor_s == 15e-6
    assert costs.queued_s == 4e-6
    assert costs.graph_node_s == 0.84e-6
    assert costs.launches_per_s == pytest.approx(1 / 7.4e-6)
    assert (costs.cpu_model, costs.cpu_cores, costs.cpu_limit) == ("A CPU", 16, None)
    assert costs.status == {"cpu_limit": "unlimited", "throttled_share": "not_measured"}


def test_without_a_launch_probe_there_is_nothing(session: Folded) -> None:
    assert launch_costs(session({})) is None
    assert launch_costs(Session()) is None


def test_a_pause_of_the_host_is_in_the_rate_and_not_in_the_enqueue_cost(
    point: Point, session: Folded
) -> None:
    stalled = session({}, CARD, STRONG, point("enqueue", 7e-6, 7e-6, 7e-6, 7e-6, 60e-6))
    stalled.add(point("rate", 7e-6, 7e-6, 21e-6))
    costs = launch_costs(stalled)
    assert costs is not None
    assert costs.enqueue_s == 7e-6
    assert costs.launches_per_s == pytest.approx(3 / 35e-6)


def test_a_cpu_has_no_queue(session: Folded) -> None:
    costs = launch_costs(session({"enqueue": 5e-6, "rate": 5e-6}, Device(kind="cpu", name="A CPU")))
    assert costs is not None
    assert costs.enqueue_s == 5e-6
    for field in ("floor_s", "queued_s", "graph_node_s"):
        assert getattr(costs, field) is None
        assert costs.status[field] == "not_supported"


def test_what_a_later_event_learns_of_the_cpu_is_filled_in(session: Folded) -> None:
    first = HostCpu(name="A CPU", cores=16, limit_cores=2.0)
    later = SessionInfo(
        t=3.0, instrument="probes", cpu=HostCpu(limit_cores=2.0, periods=40, throttled=10)
    )
    costs = launch_costs(session(H200, CARD, first, later))
    assert costs is not None
    assert (costs.cpu_cores, costs.cpu_limit, costs.throttled_share) == (16, 2.0, 0.25)
    assert "throttled_share" not in costs.status


def test_the_event_travels_and_refuses_what_cannot_be() -> None:
    event = SessionInfo(t=0.0, cpu=HostCpu(cores=2, limit_cores=0.5, periods=9, throttled=3))
    assert decode(encode(event)) == event
    for wrong in (
        b'{"kind":"session","t":0,"cpu":{"periods":3,"throttled":4}}',
        b'{"kind":"session","t":0,"cpu":{"cores":0}}',
        b'{"kind":"session","t":0,"cpu":{"limit_cores":-1}}',
    ):
        with pytest.raises(msgspec.ValidationError):
            decode(wrong)


def host_bound(seen: Session) -> list[Any]:
    return [f for f in findings(seen) if f.code == "host-bound"]


def test_a_healthy_host_is_not_blamed(session: Folded) -> None:
    assert host_bound(session(H200)) == []
    assert host_bound(session({**H200, "enqueue": 15e-6})) == []
    roomy = HostCpu(name="A CPU", cores=16, limit_cores=8.0, periods=50, throttled=1)
    assert host_bound(session(H200, CARD, roomy)) == []


def test_slow_launches_are_a_finding_about_the_probe(session: Folded) -> None:
    (found,) = host_bound(session({**H200, "enqueue": 41e-6, "rate": 42e-6}))
    assert (found.subject, found.severity) == ("launch", "suspect")
    assert "41 us of the host (A CPU)" in found.message
    assert "needs 3 to 10: one core launches 23810 kernels a second" in found.message
    assert "CUDA graphs" in found.do
    assert found.evidence["enqueue_us"] == pytest.approx(41)


def test_a_small_quota_is_a_finding_however_fast_a_launch_is(session: Folded) -> None:
    small = HostCpu(name="A CPU", cores=64, limit_cores=0.5)
    (found,) = host_bound(session(H200, CARD, small))
    assert "may use 0.5 CPU cores of the 64 that it sees" in found.message
    assert found.evidence["cpu_limit"] == 0.5


def test_a_quota_that_is_used_up_is_a_finding_however_large_it_is(session: Folded) -> None:
    stopped = HostCpu(cores=64, limit_cores=2.0, periods=20, throttled=6)
    (found,) = host_bound(session(H200, CARD, stopped))
    assert "used up in 30 % of the periods" in found.message


def test_a_cpu_run_is_never_host_bound(session: Folded) -> None:
    small = HostCpu(name="A CPU", cores=2, limit_cores=0.5, periods=20, throttled=20)
    assert host_bound(session({"enqueue": 90e-6}, Device(kind="cpu"), small)) == []


def test_a_session_without_launches_does_not_judge_the_host(session: Folded) -> None:
    assert host_bound(session({}, CARD, HostCpu(cores=64, limit_cores=0.5))) == []


def test_the_record_has_the_contracts_names(session: Folded) -> None:
    seen = msgspec.json.decode(msgspec.json.encode(record(session(H200), None)))
    assert seen["launch"].keys() >= {"enqueue_s", "floor_s", "graph_node_s"}
    assert seen["launch"]["graph_node_s"] == 0.84e-6
    nulls = {name for name, value in seen["launch"].items() if value is None}
    assert nulls <= set(seen["launch"]["status"])
    empty = msgspec.json.decode(msgspec.json.encode(record(session({}), None)))
    assert (empty["launch"], empty["shapes"]) == ({}, {})


def test_costs_are_those_of_the_reported_run(point: Point, session: Folded) -> None:
    seen = session(H200)
    for variant, seconds in H200.items():
        seen.add(point(variant, *[2 * seconds] * 3, run=2))
    first, second = launch_costs(seen), launch_costs(seen, 2)
    assert first is not None
    assert second is not None
    assert (first.enqueue_s, second.enqueue_s) == (7.2e-6, 14.4e-6)
