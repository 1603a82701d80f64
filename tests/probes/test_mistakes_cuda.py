"""The mistakes on a real card: each number is as wrong as it should be."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import device, matmul, operands, streams  # noqa: E402
from roofwatch.probes.mistakes import Made, Place, cannot, make  # noqa: E402
from roofwatch.probes.shapes import Shape  # noqa: E402
from roofwatch.roofline.statistics import median  # noqa: E402
from roofwatch.roofline.suite import MISTAKES, suite  # noqa: E402

GIB = 1 << 30


@pytest.fixture(scope="module")
def target() -> device.CudaTarget:
    picked = device.pick("cuda:0")
    assert isinstance(picked, device.CudaTarget)
    return picked


@pytest.fixture(scope="module")
def copied_gbs(target: device.CudaTarget) -> float:
    """What the memory carries, from a gibibyte that is copied."""
    work, launch = streams.prepare(target, "copy", "fp16", GIB)
    target.timer().times(launch, 20)
    return work.bytes / median(target.timer().times(launch, 20)) / 1e9


def made(target: device.CudaTarget, code: str) -> Made:
    (spec,) = (s for s in suite(MISTAKES, "cuda", target.capability) if s.mistake == code)
    place = Place(
        target=target,
        clock=None,
        shapes={"fp32": (Shape(4096, 4096, 4096), "nn")},
        peaks_tflops={"fp16": 1000.0},
        rest=lambda seconds: None,
    )
    why = cannot(spec, place)
    if why:
        pytest.skip(why)
    with torch.inference_mode():
        found = make(spec, place, lambda progress: None)
    target.clean_up()
    assert len(found.timed.times_s) >= 3
    return found


def test_e1_is_half_of_what_the_memory_carries(
    target: device.CudaTarget, copied_gbs: float
) -> None:
    claim = made(target, "E1").claim
    assert claim.timing == "event"
    assert claim.claimed_gbs == pytest.approx(copied_gbs / 2, rel=0.15)


def test_e2_is_faster_than_the_memory(target: device.CudaTarget, copied_gbs: float) -> None:
    found = made(target, "E2")
    assert found.work.bytes < target.cache_bytes / 2
    assert found.claim.timing == "graph"
    assert (found.claim.claimed_gbs or 0) > 1.05 * copied_gbs


def test_e3_is_a_sound_rate(target: device.CudaTarget) -> None:
    found = made(target, "E3")
    (spec,) = (s for s in suite(MISTAKES, "cuda", target.capability) if s.mistake == "E3")
    operands.set_math(spec)
    shape = Shape(4096, 4096, 4096)
    launch = operands.prepare(spec, shape, "nn", target.torch_device)
    target.timer().times(launch, 3)
    seconds = median(target.timer().times(launch, 5))
    rate = matmul.work(spec, shape).flop / seconds / 1e12
    assert found.claim.claimed_tflops == pytest.approx(rate, rel=0.2)


def test_e4_is_far_below_a_large_one(target: device.CudaTarget) -> None:
    found = made(target, "E4")
    (spec,) = (s for s in suite(MISTAKES, "cuda", target.capability) if s.mistake == "E4")
    operands.set_math(spec)
    shape = Shape(4096, 4096, 4096)
    launch = operands.prepare(spec, shape, "nn", target.torch_device)
    target.timer().times(launch, 3)
    seconds = median(target.timer().times(launch, 5))
    large = matmul.work(spec, shape).flop / seconds / 1e12
    assert found.claim.timing == "event"
    assert (found.claim.claimed_tflops or 0) < 0.6 * large


def test_e5_is_faster_than_any_memory(target: device.CudaTarget, copied_gbs: float) -> None:
    found = made(target, "E5")
    assert found.claim.timing == "host"
    assert (found.claim.claimed_gbs or 0) > 2 * copied_gbs
    assert found.claim.time_s < 2e-4
