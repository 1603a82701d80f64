"""``roofwatch.measure`` on a real card: which timer, which device, and the four mistakes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

import roofwatch  # noqa: E402
from roofwatch.probes.on_cuda import OnCuda, OtherStream  # noqa: E402
from roofwatch.roofline.precision import lacks  # noqa: E402

GIB = 1 << 30
CUDA = "cuda:0"


@pytest.fixture
def large() -> tuple[Any, Any]:
    """Two tensors of 1 GiB."""
    x = torch.randn(GIB // 2, dtype=torch.float16, device=CUDA)
    return x, torch.empty_like(x)


def test_a_large_add(large: tuple[Any, Any]) -> None:
    x, y = large
    got = roofwatch.measure(
        lambda: torch.add(x, 1, out=y),
        op="add_scalar",
        shape=x.shape,
        dtype=x.dtype,
        bytes=2 * x.nbytes,
    )
    assert got.timing == "event"
    assert got.verdict in ("believable", "suspect")
    assert not {"E1", "E2", "E5"} & set(got.codes)
    assert got.conditions.samples >= 1
    assert got.card == torch.cuda.get_device_name(0)


def test_bytes_of_x_alone(large: tuple[Any, Any]) -> None:
    x, y = large
    got = roofwatch.measure(
        lambda: torch.add(x, 1, out=y),
        op="add_scalar",
        shape=x.shape,
        dtype=x.dtype,
        bytes=x.nbytes,
    )
    assert (got.verdict, got.codes[0]) == ("wrong", "E1")


def test_a_small_add_runs_in_a_graph_and_hits_the_cache() -> None:
    x = torch.randn(2 << 20, dtype=torch.float16, device=CUDA)
    y = torch.empty_like(x)
    got = roofwatch.measure(
        lambda: torch.add(x, 1, out=y), op="add_scalar", shape=x.shape, dtype=x.dtype
    )
    assert got.timing == "graph"
    assert "E2" in got.codes


def test_fp32_against_the_peak_of_fp16() -> None:
    a = torch.randn(4096, 4096, device=CUDA)
    got = roofwatch.measure(
        lambda: a @ a,
        op="matmul",
        shape=(4096, 4096, 4096),
        dtype=a.dtype,
        flop=2 * 4096.0**3,
        nominal_tflops=989.5,
    )
    assert got.tflops is not None
    if "H200" in (got.card or ""):
        assert "E3" in got.codes


def test_matrices_of_512() -> None:
    if why := lacks("bf16", "{}.{}".format(*torch.cuda.get_device_capability(0))):
        pytest.skip(why)
    a = torch.randn(512, 512, dtype=torch.bfloat16, device=CUDA)
    got = roofwatch.measure(lambda: a @ a, op="matmul", m=512, n=512, k=512, dtype=a.dtype)
    assert got.timing == "graph"
    assert "E4" in got.codes


def test_a_function_that_waits_is_not_captured() -> None:
    x = torch.ones(1024, device=CUDA)
    got = roofwatch.measure(lambda: x.sum().item(), seconds=0.3, telemetry=False)
    assert got.timing == "event-many"
    torch.randn(8, device=CUDA)


def test_a_capture_that_fails_leaves_the_callers_program_as_it_was() -> None:
    x = torch.ones(1024, device=CUDA)

    def fn() -> None:
        x.add_(1)
        torch.cuda.current_stream().query()  # which no capture allows

    got = roofwatch.measure(fn, seconds=0.3, telemetry=False)
    assert got.timing == "event-many"
    torch.randn(8, device=CUDA)
    assert roofwatch.measure(lambda: x.add_(1), seconds=0.3, telemetry=False).timing == "graph"
    dropout = torch.nn.functional.dropout
    assert roofwatch.measure(lambda: dropout(x), seconds=0.3, telemetry=False).timing == "graph"


def test_a_single_tiny_kernel_is_seen() -> None:
    x = torch.ones(1, device=CUDA)
    there = OnCuda(0, lambda: x.add_(1))
    assert there.works
    assert not there.looked.waited


@pytest.mark.parametrize("seconds", [0.0, 1e-4, 0.02])
def test_a_function_of_the_host_alone_is_timed_by_the_host(seconds: float) -> None:
    def fn() -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            pass

    got = roofwatch.measure(fn, seconds=0.3)
    assert got.timing == "host"
    assert got.card != torch.cuda.get_device_name(0)
    with pytest.raises(ValueError, match="leaves no work"):
        roofwatch.measure(fn, device="cuda")


def test_work_on_another_stream_is_refused(large: tuple[Any, Any]) -> None:
    x, y = large
    other = torch.cuda.Stream()

    def fn() -> None:
        with torch.cuda.stream(other):
            torch.add(x, 1, out=y)

    with pytest.raises(OtherStream, match="another stream"):
        roofwatch.measure(fn)
    with torch.cuda.stream(other):
        assert roofwatch.measure(fn, seconds=0.3, telemetry=False).timing == "event"


def test_an_exception_of_the_function_passes_through() -> None:
    x = torch.ones(1 << 20, device=CUDA)
    calls = iter(range(10**9))

    def fn() -> None:
        x.add_(1)
        if next(calls) > 5:
            raise ZeroDivisionError("as it was")

    with pytest.raises(ZeroDivisionError, match="as it was"):
        roofwatch.measure(fn, device=CUDA)
    assert int(torch.ones(3, device=CUDA).sum()) == 3


def test_the_callers_device_and_output_stay_as_they_were(
    capfd: pytest.CaptureFixture[str], large: tuple[Any, Any]
) -> None:
    x, y = large
    fn: Callable[[], object] = lambda: y.copy_(x)  # noqa: E731
    last = torch.cuda.device_count() - 1
    torch.cuda.set_device(last)
    roofwatch.measure(fn, device=CUDA, seconds=0.2)
    assert torch.cuda.current_device() == last
    assert capfd.readouterr() == ("", "")
