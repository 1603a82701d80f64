"""The CUDA paths, where there is a card: timers, streams, the clock, kernels, every precision."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import device, kernels, operands, streams, sustained, sweep  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.probes.spin import MOST_OVERHEAD_S, NoSpin, SpinClock  # noqa: E402
from roofwatch.probes.timing import CLOCK_EVERY_S, Launch, with_clock  # noqa: E402
from roofwatch.roofline.kernel_name import tile, uses_tensor_cores  # noqa: E402
from roofwatch.roofline.precision import lacks  # noqa: E402
from roofwatch.roofline.probe_spec import matmul_spec, stream_spec, sweep_of  # noqa: E402
from roofwatch.roofline.statistics import median, spread  # noqa: E402

MIB = 1 << 20


@pytest.fixture(scope="module")
def target() -> device.CudaTarget:
    picked = device.pick("cuda:0")
    assert isinstance(picked, device.CudaTarget)
    return picked


@pytest.fixture
def matmul_bf16(target: device.CudaTarget) -> Launch:
    """A large bf16 matmul."""
    spec = matmul_spec("bf16")
    why = lacks("bf16", target.capability)
    if why:
        pytest.skip(why)
    operands.set_math(spec)
    return operands.prepare(spec, Shape(4096, 4096, 4096), "nt", target.torch_device)


def warm(target: device.CudaTarget, launch: Launch) -> None:
    """A quarter of a second of load: clocks rise, kernels are there."""
    (seconds,) = target.timer().times(launch, 1)
    target.timer().times(launch, max(3, min(2000, int(0.25 / seconds))))


def test_short_launches_are_timed_in_a_graph_and_long_ones_by_events(
    target: device.CudaTarget,
) -> None:
    _, short = streams.prepare(target, "add_scalar", "fp16", 8 << 20)
    _, long = streams.prepare(target, "add_scalar", "fp16", 2 << 30)
    assert target.timer_for(short).name == "graph"
    assert target.timer_for(long).name == "event"


def test_the_graph_sees_what_an_event_pair_drowns(target: device.CudaTarget) -> None:
    work, launch = streams.prepare(target, "add_scalar", "fp16", 8 << 20)
    by_graph = median(target.timer_for(launch).times(launch, 30))
    by_event = median(target.timer().times(launch, 30))
    assert by_graph < by_event
    assert work.bytes / by_graph / 1e9 > 0.3 * work.bytes / by_event / 1e9


def test_no_launch_of_a_block_waits_for_the_host(target: device.CudaTarget) -> None:
    _, launch = streams.prepare(target, "add_scalar", "fp16", 1 << 30)
    target.timer().times(launch, 5)
    times = target.timer().times(launch, 20)
    assert spread(times) < 0.05
    assert times[0] < 1.3 * median(times)


def test_launches_that_differ_are_each_timed_in_their_turn(target: device.CudaTarget) -> None:
    _, small = streams.prepare(target, "copy", "fp16", 64 << 20)
    _, large = streams.prepare(target, "copy", "fp16", 512 << 20)
    target.timer().each([small, large])
    times = target.timer().each([small, large] * 5)
    assert max(times[::2]) < min(times[1::2])


def test_an_absent_card_is_said(target: device.CudaTarget) -> None:
    with pytest.raises(device.NoDevice, match="cuda:99"):
        device.pick("cuda:99")


def test_identity_has_what_pairs_it_with_nvml(target: device.CudaTarget) -> None:
    seen = target.identity()
    assert seen.uuid is None or seen.uuid.startswith("GPU-")
    assert seen.sm_count
    assert seen.l2_bytes


RIGHT = {
    "add_scalar": lambda x: x + 1,
    "copy": lambda x: x,
    "fill": lambda x: torch.full_like(x, 1.5),
    "triad": lambda x: 4 * x,
    "strided": lambda x: x[::2] + 1,
    "read": lambda x: x.double().view(1, -1, streams.COLUMNS).sum(2),
}


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
@pytest.mark.parametrize("op", RIGHT)
def test_every_stream_computes_the_right_thing_and_counts_its_bytes(
    target: device.CudaTarget, monkeypatch: pytest.MonkeyPatch, op: str, dtype: str
) -> None:
    size = 96 * MIB  # three chunks of fp16, one and a half of fp32
    drawn: list[Any] = []
    real = streams.random_normal

    def kept(*arguments: Any) -> Any:
        drawn.append(real(*arguments))
        return drawn[-1]

    monkeypatch.setattr(streams, "random_normal", kept)
    work, launch = streams.prepare(target, op, dtype, size)
    (x,) = drawn
    out: Any = launch()
    right = RIGHT[op](x)
    torch.testing.assert_close(out.double(), right.double(), rtol=4e-3, atol=0.1)
    reads = {"fill": 0, "triad": 2 * size, "strided": size // 2}.get(op, size)
    assert x.numel() * x.element_size() == size
    assert sum(t.read_bytes for t in work.tensors) == reads
    assert sum(t.write_bytes for t in work.tensors) == out.numel() * out.element_size()


@pytest.mark.parametrize("op", RIGHT)
def test_no_stream_is_faster_than_memory_by_its_own_count(
    target: device.CudaTarget, op: str
) -> None:
    """Bytes counted twice, or a launch that does nothing, would show here."""
    size, _ = streams.tensor_bytes(target, op)
    work, launch = streams.prepare(target, op, "fp32", size)
    warm(target, launch)
    rate = work.bytes / median(target.timer().times(launch, 10))
    _, copying = streams.prepare(target, "copy", "fp32", size)
    warm(target, copying)
    copied = 2 * size / median(target.timer().times(copying, 10))
    assert 0.3 * copied < rate < 1.25 * copied


@pytest.mark.parametrize("dtype", ["fp16", "fp32"])
def test_a_read_sweep_stays_in_bounds(
    target: device.CudaTarget, monkeypatch: pytest.MonkeyPatch, dtype: str
) -> None:
    most = 4 * max(target.cache_bytes, 32 * MIB)
    monkeypatch.setattr(sweep, "LARGEST_BYTES", most)
    monkeypatch.setattr(sweep, "PASSES_BELOW_BYTES", {"cuda": most // 2})
    drawn: list[Any] = []
    launches: list[Launch] = []
    real, timer_for = streams.random_normal, target.timer_for

    def draw(*arguments: Any) -> Any:
        drawn.append(real(*arguments))
        return drawn[-1]

    def kept(launch: Launch) -> Any:
        launches.append(launch)
        return timer_for(launch)

    monkeypatch.setattr(streams, "random_normal", draw)
    monkeypatch.setattr(target, "timer_for", kept)
    points = list(sweep.over_bytes(target, sweep_of(stream_spec("read", dtype))))
    (x,) = drawn
    assert x.numel() * x.element_size() <= most
    assert 4 <= len(points) <= sweep.MOST_SIZES
    sizes = []
    for (work, timed), launch in zip(points, launches, strict=True):
        rows, passes = work.shape["rows"], work.shape["passes"]
        assert rows * streams.COLUMNS <= x.numel()
        sums: Any = launch()
        assert sums.shape == (passes, rows)
        right = x[: rows * streams.COLUMNS].view(rows, streams.COLUMNS).double().sum(1)
        for row in (sums[0], sums[-1]):
            torch.testing.assert_close(row.double(), right, rtol=4e-3, atol=0.1)
        assert len(timed.times_s) == sweep.REPEATS["cuda"]
        sizes.append(work.bytes // passes)
    assert sizes == sorted(sizes)
    torch.cuda.synchronize()


@pytest.mark.skipif(torch.version.hip is None, reason="only ROCm has no spin")
def test_rocm_has_no_spin(target: device.CudaTarget) -> None:
    with pytest.raises(NoSpin, match="not_supported"):
        SpinClock(target.timer())


@pytest.mark.skipif(torch.version.hip is not None, reason="ROCm has no spin")
def test_the_clock_read_on_the_device_is_near_nvmls_highest(target: device.CudaTarget) -> None:
    pynvml = pytest.importorskip("pynvml")
    uuid = target.identity().uuid
    if uuid is None:
        pytest.skip("this torch does not tell which card of NVML's it is")
    pynvml.nvmlInit()
    try:
        card = pynvml.nvmlDeviceGetHandleByUUID(uuid)
        highest = pynvml.nvmlDeviceGetMaxClockInfo(card, pynvml.NVML_CLOCK_SM)
    finally:
        pynvml.nvmlShutdown()
    _, launch = streams.prepare(target, "copy", "fp16", 1 << 30)
    warm(target, launch)
    clock = SpinClock(target.timer())
    assert 0 <= clock.overhead_s <= MOST_OVERHEAD_S
    expect_s = median(target.timer().times(launch, 5))
    times, readings = with_clock(target.timer(), [launch] * 60, expect_s, clock)
    assert len(readings) >= 3
    assert all(0.60 * highest < r.mhz < 1.05 * highest for r in readings)
    assert [r.t_s for r in readings] == sorted(r.t_s for r in readings)
    assert median(times) == pytest.approx(expect_s, rel=0.1)  # a reading stands in none


@pytest.mark.skipif(torch.version.hip is not None, reason="ROCm has no spin")
def test_a_held_launch_is_read_every_5_ms_and_its_chunks_follow(
    target: device.CudaTarget,
) -> None:
    _, launch = streams.prepare(target, "copy", "fp16", 1 << 30)
    warm(target, launch)
    clock = SpinClock(target.timer())
    expect_s = min(target.timer().times(launch, 3))
    chunks = list(sustained.launches(target, launch, 1.0, expect_s, clock, lambda: False))
    times = [t for c in chunks for t in c.times_s]
    readings = [r for c in chunks for r in c.clock]
    assert len(chunks) >= 3
    assert 0.8 < sum(times) < 1.3
    most = sum(times) / max(CLOCK_EVERY_S, expect_s)
    assert 0.7 * most < len(readings) <= 1.1 * most + 2
    for a, b in itertools.pairwise(chunks):
        assert a.t0_s + sum(a.times_s) <= b.t0_s + 1e-6
        assert b.t0_s - a.t0_s - sum(a.times_s) < 0.05 * sum(a.times_s)


def test_the_profiler_names_a_kernel_of_tensor_cores_and_agrees_with_events(
    target: device.CudaTarget, matmul_bf16: Launch
) -> None:
    kernels.wake(target)
    warm(target, matmul_bf16)
    found = kernels.profiled(target, matmul_bf16)
    by_events = median(target.timer().times(matmul_bf16, 20))
    if found.status == "no_permission":
        pytest.skip("the driver keeps its counters for an administrator")
    assert found.status is None
    assert found.kernel is not None
    assert uses_tensor_cores(found.kernel) is True, found.kernel
    assert tile(found.kernel) is not None, found.kernel
    assert found.time_s == pytest.approx(by_events, rel=0.10)


@pytest.mark.parametrize("op", RIGHT)
def test_the_profiler_agrees_with_events_on_every_stream(
    target: device.CudaTarget, op: str
) -> None:
    _, launch = streams.prepare(target, op, "fp32", 1 << 30)
    warm(target, launch)
    found = kernels.profiled(target, launch)
    by_events = median(target.timer().times(launch, 20))
    if found.status == "no_permission":
        pytest.skip("the driver keeps its counters for an administrator")
    assert found.kernel
    assert uses_tensor_cores(found.kernel) is None
    assert found.time_s == pytest.approx(by_events, rel=0.10)


@pytest.mark.parametrize("key", ["bf16", "fp16", "tf32", "fp32", "fp64", "fp8", "fp8_fast", "int8"])
def test_every_precision_multiplies_right(target: device.CudaTarget, key: str) -> None:
    spec = matmul_spec(key)
    why = lacks(key, target.capability) or operands.missing(spec)
    if why:
        pytest.skip(why)
    operands.set_math(spec)
    reach = {"fp64": 1e-10, "fp32": 1e-4, "tf32": 5e-3, "bf16": 2e-2, "fp16": 5e-3}.get(key, 5e-2)
    for layout in operands.layouts(spec.dtype):
        a, b = operands.pair(spec, Shape(512, 256, 384), layout, target.torch_device)
        product = operands.multiply(spec, a, b)()
        right = a.double() @ b.double()
        error = (product.double() - right).norm() / right.norm()
        assert float(error) <= (0 if key == "int8" else reach)


E2M1 = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)  # and the same again with a sign


def _of_fp4(packed: Any) -> Any:
    """Values of fp4 rows, two a byte."""
    table = torch.tensor([*E2M1, *(-v for v in E2M1)], device=packed.device, dtype=torch.float64)
    raw = packed.view(torch.uint8).long()
    return torch.stack((table[raw & 15], table[raw >> 4]), dim=-1).flatten(1)


def test_fp4_multiplies_right(target: device.CudaTarget) -> None:
    spec = matmul_spec("fp4")
    why = lacks("fp4", target.capability) or operands.missing(spec)
    if why:
        pytest.skip(why)
    a, b = operands.pair(spec, Shape(512, 256, 384), "nt", target.torch_device)
    product = operands.multiply(spec, a, b)()
    right = _of_fp4(a) @ _of_fp4(b.t()).t()
    assert product.shape == right.shape == (512, 256)
    assert float((product.double() - right).norm() / right.norm()) <= 2e-2
