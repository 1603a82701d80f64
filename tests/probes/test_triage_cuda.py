"""Triage on a real card: the planted callables, and code that is awkward to look at."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import planted  # noqa: E402  (of benchmarks)

import roofwatch  # noqa: E402

pytestmark = pytest.mark.torch

CUDA = "cuda:0"
NOMINAL: dict[str, Any] = {"roof": "nominal", "seconds": 0.2}


@pytest.mark.parametrize("name", planted.PLANTED)
def test_what_was_planted_is_found(name: str) -> None:
    got = roofwatch.triage(getattr(planted, name), seconds=0.3)
    assert got.bound == planted.EXPECTED[name], str(got)
    assert got.certainty in ("certain", "likely"), str(got)
    assert got.card == torch.cuda.get_device_name(0)
    assert got.roof.origin == "measured"
    if got.bound == "overhead":
        assert got.evidence.kernels == pytest.approx(planted.TINY, rel=0.1)
        assert "CUDA graph" in got.treatment
        assert got.evidence.graph_s is not None
        assert got.evidence.graph_s < got.time_s


def test_asking_for_each_value_is_counted_as_waiting() -> None:
    got = roofwatch.triage(planted.asks_for_each_value, **NOMINAL)
    assert got.bound == "overhead", str(got)
    assert got.evidence.waits == 64
    assert "waits" in got.status["graph"]


def test_a_sleeping_host_is_overhead() -> None:
    got = roofwatch.triage(planted.matmul_and_pause, **NOMINAL)
    assert got.bound == "overhead", str(got)


def test_a_copy_from_the_host_is_bound_by_the_link() -> None:
    got = roofwatch.triage(planted.from_the_host, **NOMINAL)
    assert got.bound == "memory", str(got)
    assert "host link" in got.treatment


def test_without_cuda_in_it_it_is_the_cpus() -> None:
    x = torch.ones(1 << 20)
    got = roofwatch.triage(lambda: x.add_(1), **NOMINAL)
    assert got.evidence.kind == "cpu"
    with pytest.raises(ValueError, match="leaves no work there"):
        roofwatch.triage(lambda: x.add_(1), device="cuda", **NOMINAL)


def on_a_side_stream() -> Callable[[], None]:
    stream, x = torch.cuda.Stream(), torch.randn(1 << 26, device=CUDA)

    def fn() -> None:
        with torch.cuda.stream(stream):
            x.add_(1)

    return fn


def backward() -> Callable[[], None]:
    w = torch.randn(4096, 4096, device=CUDA, requires_grad=True)
    x = torch.randn(4096, 4096, device=CUDA)

    def fn() -> None:
        w.grad = None
        (x @ w).sum().backward()

    return fn


def allocates() -> Callable[[], object]:
    return lambda: torch.ones(1 << 26, device=CUDA) + 1


def replays() -> Callable[[], None]:
    x = torch.zeros(64, device=CUDA)
    x.add_(1)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(500):
            x.add_(1)
    return graph.replay


def waits() -> Callable[[], None]:
    x = torch.randn(1 << 26, device=CUDA)

    def fn() -> None:
        x.add_(1)
        torch.cuda.synchronize()

    return fn


@pytest.mark.parametrize(
    ("make", "bounds"),
    [
        (on_a_side_stream, {"memory"}),
        (backward, {"compute"}),
        (allocates, {"memory"}),
        (replays, {"overhead", "cannot-say"}),  # its kernels are seen, its operators are not
        (waits, {"memory"}),
    ],
)
def test_awkward_code_is_answered(
    make: Callable[[], Callable[[], object]], bounds: set[str]
) -> None:
    got = roofwatch.triage(make(), **NOMINAL)
    assert got.evidence.kind == "cuda"
    assert got.bound in bounds, str(got)
    assert torch.ones(1, device=CUDA).item() == 1.0  # nothing is left capturing


def test_the_callers_switches_and_device_stay() -> None:
    switches = torch.backends.cuda.matmul
    before = torch.get_float32_matmul_precision(), switches.allow_fp16_reduced_precision_reduction
    a = torch.randn(1024, 1024, device=CUDA)
    roofwatch.triage(lambda: a @ a, seconds=0.1)
    after = torch.get_float32_matmul_precision(), switches.allow_fp16_reduced_precision_reduction
    assert after == before
    assert torch.cuda.current_device() == 0


def test_their_error_passes_from_the_profiler_too() -> None:
    calls = 0

    def fn() -> None:
        nonlocal calls
        calls += 1
        torch.ones(1, device=CUDA)
        if calls > 3:
            raise KeyError("theirs")

    with pytest.raises(KeyError, match="theirs"):
        roofwatch.triage(fn, **NOMINAL)


def test_a_slow_host_function_is_no_work_of_the_device() -> None:
    got = roofwatch.triage(lambda: time.sleep(0.05), **NOMINAL)
    assert (got.bound, got.evidence.kind) == ("cannot-say", "cpu")
