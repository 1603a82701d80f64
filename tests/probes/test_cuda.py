"""The CUDA paths, where there is a card: timers, shapes, and every precision's launch."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import add_scalar, device, operands  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.roofline.precision import lacks  # noqa: E402
from roofwatch.roofline.statistics import median, spread  # noqa: E402
from roofwatch.roofline.suite import matmul_spec  # noqa: E402


@pytest.fixture(scope="module")
def target() -> device.CudaTarget:
    picked = device.pick("cuda:0")
    assert isinstance(picked, device.CudaTarget)
    return picked


def test_short_launches_are_timed_in_a_graph_and_long_ones_by_events(
    target: device.CudaTarget,
) -> None:
    _, short = add_scalar.prepare(target, "fp16", 8 << 20)
    _, long = add_scalar.prepare(target, "fp16", 2 << 30)
    assert target.timer_for(short).name == "graph"
    assert target.timer_for(long).name == "event"


def test_the_graph_sees_what_an_event_pair_drowns(target: device.CudaTarget) -> None:
    work, launch = add_scalar.prepare(target, "fp16", 8 << 20)
    by_graph = median(target.timer_for(launch).times(launch, 30))
    by_event = median(target.timer().times(launch, 30))
    assert by_graph < by_event
    assert work.bytes / by_graph / 1e9 > 0.3 * work.bytes / by_event / 1e9


def test_no_launch_of_a_block_waits_for_the_host(target: device.CudaTarget) -> None:
    _, launch = add_scalar.prepare(target, "fp16", 1 << 30)
    target.timer().times(launch, 5)
    times = target.timer().times(launch, 20)
    assert spread(times) < 0.05
    assert times[0] < 1.3 * median(times)


def test_an_absent_card_is_said(target: device.CudaTarget) -> None:
    with pytest.raises(device.NoDevice, match="cuda:99"):
        device.pick("cuda:99")


def test_identity_has_what_pairs_it_with_nvml(target: device.CudaTarget) -> None:
    seen = target.identity()
    assert seen.uuid is None or seen.uuid.startswith("GPU-")
    assert seen.sm_count
    assert seen.l2_bytes


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
