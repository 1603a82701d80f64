"""The GPU waited for the host: dispatch and launches between short kernels."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT
from roofwatch.notebook.host_bound import host_bound, launch_bound, weak_host
from roofwatch.notebook.reading import Reading

DECODE: dict[str, object] = {
    "subject": "x",
    "op": "decode",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 700.0,
    "time_s": 20e-3,
    "bytes": 14e9,
    "nominal_gbs": 2000.0,
    "low": 1200.0,
    "high": 1400.0,
}
SHORT: dict[str, object] = {**DECODE, "op": "copy", "bytes": 1.4e6, "time_s": 2e-4, "gbs": 7.0}


def reading(**fields: object) -> Reading:
    return Reading(**{**DECODE, **fields})  # type: ignore[arg-type]


def test_a_decode_step_slower_than_its_bytes() -> None:
    found = host_bound(reading())
    assert found is not None
    assert found.code == found.name == "host-bound"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "conditions", 0.85)
    assert found.evidence == {
        "rate": 700.0,
        "unit": "GB/s",
        "low": 1200.0,
        "of_nominal": 0.35,
        "time_ms": pytest.approx(20),
        "expected_ms": pytest.approx(10),
        "unexplained_ms": pytest.approx(10),
    }


@pytest.mark.parametrize(
    ("fields", "fires"),
    [
        ({"op": "copy"}, False),  # a long stream waits for nobody
        ({"op": "other"}, True),
        ({"op": "attention"}, True),
        ({"op": "copy", "bytes": 1.3e8}, True),  # 93 us
        ({"op": "copy", "bytes": 1.5e8}, False),  # 107 us
        ({"op": "other", "timing": "graph"}, False),
        ({"op": "other", "timing": "profiler"}, False),
        ({"timing": "graph"}, False),  # a graph is what its advice would be
        ({"timing": "profiler"}, True),
        ({"gbs": 1300.0}, False),
        ({"low": None}, False),
        ({"protocol": "stream"}, False),
    ],
)
def test_trains_of_short_kernels_under_their_range(fields: dict[str, object], fires: bool) -> None:
    found = host_bound(reading(**fields))
    assert (found is not None) is fires
    if found and fields.get("op"):
        assert found.fit == 0.45


def test_a_stream_shorter_than_its_launch() -> None:
    found = launch_bound(Reading(**SHORT))  # type: ignore[arg-type]
    assert found is not None
    assert found.code == found.name == "launch-bound"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "conditions", 0.7)
    assert found.evidence == {
        "time_us": pytest.approx(200),
        "shortest_us": pytest.approx(1),
        "rate": 7.0,
        "unit": "GB/s",
    }


@pytest.mark.parametrize(
    ("fields", "fires"),
    [
        ({"bytes": 27e6}, True),  # 19 us
        ({"bytes": 29e6}, False),  # 21 us
        ({"time_s": 3.9e-4}, True),
        ({"time_s": 4.1e-4}, False),
        ({"time_s": None}, False),
        ({"bytes": None}, False),
        ({"gbs": 1300.0}, False),
        ({"op": "h2d"}, False),
        ({"op": "d2h"}, False),
        ({"op": "decode"}, False),
        ({"protocol": "stream"}, False),
    ],
)
def test_twenty_microseconds_are_a_launch(fields: dict[str, object], fires: bool) -> None:
    found = launch_bound(Reading(**{**SHORT, **fields}))  # type: ignore[arg-type]
    assert (found is not None) is fires


HOST: dict[str, object] = {
    "subject": "launch",
    "enqueue_s": 7.2e-6,
    "launches_per_s": 139e3,
    "cpu_model": "A CPU",
    "cpu_cores": 16,
    "cpu_limit": None,
    "throttled_share": None,
}


@pytest.mark.parametrize(
    ("fields", "begins"),
    [
        ({}, None),
        ({"enqueue_s": None}, None),
        ({"enqueue_s": 19.9e-6}, None),
        ({"enqueue_s": 20.1e-6}, "One launch takes 20.1 us of the host (A CPU), where"),
        ({"enqueue_s": 33e-6, "cpu_model": None}, "One launch takes 33 us of the host, where"),
        ({"cpu_limit": 1.0}, None),
        ({"cpu_limit": 0.9}, "This container may use 0.9 CPU cores of the 16 that it sees;"),
        ({"cpu_limit": 0.9, "cpu_cores": None}, "This container may use 0.9 CPU cores; one core"),
        ({"cpu_limit": 4.0, "throttled_share": 0.04}, None),
        ({"cpu_limit": 4.0, "throttled_share": 0.06}, "This container may use 4 CPU cores of"),
        ({"cpu_limit": 0.5, "enqueue_s": 50e-6}, "This container may use 0.5 CPU cores of"),
        ({"throttled_share": 0.5}, None),  # without a quota nothing can be used up
    ],
)
def test_a_host_that_cannot_feed_a_card(fields: dict[str, object], begins: str | None) -> None:
    found = weak_host(**{**HOST, **fields})  # type: ignore[arg-type]
    if begins is None:
        assert found is None
        return
    assert found is not None
    assert (found.code, found.severity, found.root) == ("host-bound", SUSPECT, "conditions")
    assert found.message.startswith(begins), found.message
    assert None not in found.evidence.values()
