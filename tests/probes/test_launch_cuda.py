"""Launch costs and the experiments about shapes, where there is a card."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import alignment, device, launch, waves  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.roofline.attribution import tiles  # noqa: E402
from roofwatch.roofline.kernel_name import tile  # noqa: E402
from roofwatch.roofline.precision import lacks  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.roofline.statistics import median  # noqa: E402
from roofwatch.roofline.suite import load_key  # noqa: E402


@pytest.fixture(scope="module")
def target() -> device.CudaTarget:
    picked = device.pick("cuda:0")
    assert isinstance(picked, device.CudaTarget)
    return picked


@pytest.fixture(scope="module")
def key(target: device.CudaTarget) -> str:
    """The precision that the suite would load the card with."""
    key = load_key("cuda", target.capability)
    if lacks(key, target.capability):
        pytest.skip(f"no unit for {key}")
    return key


def points(module: Any, protocol: str, target: device.CudaTarget, key: str) -> list[Point]:
    place = Place(target=target, clock=None, shapes={}, peaks_tflops={}, rest=lambda seconds: None)
    with torch.inference_mode():
        return list(module.points(group_spec(protocol, key), place, lambda share: None))


@pytest.fixture(scope="module")
def costs(target: device.CudaTarget, key: str) -> dict[str | None, float]:
    """Median seconds of each variant."""
    return {p.variant: median(p.timed.times_s) for p in points(launch, "launch", target, key)}


def test_every_way_to_launch_is_timed(costs: dict[str | None, float]) -> None:
    assert set(costs) == {"enqueue", "rate", "floor", "queued", "graph"}
    assert all(seconds > 0 for seconds in costs.values())


def test_costs_are_those_of_launches_and_of_nothing_else(costs: dict[str | None, float]) -> None:
    assert 5e-7 < costs["enqueue"] < 1e-3
    assert 1e-7 < costs["graph"] < 5e-6
    assert 5e-7 < costs["floor"] < 1e-3
    assert costs["graph"] < costs["floor"]
    assert costs["queued"] < 1e-3


def test_a_graph_of_launches_computes(target: device.CudaTarget) -> None:
    """The timed kernel is a real one: the graph's last node leaves x + 1."""
    x = torch.ones(1, device=target.torch_device)
    y = torch.empty_like(x)
    torch.add(x, 1, out=y)
    timer = device.GraphTimer(target.index, lambda: torch.add(x, 1, out=y), 10)
    y.zero_()
    timer.times(lambda: None, 3)
    assert float(y) == 2.0


def test_odd_sides_are_measured_beside_the_aligned_square(
    target: device.CudaTarget, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(alignment, "SIDES", {"cuda": (1024,)})
    found = {p.variant: p for p in points(alignment, "alignment", target, key)}
    assert set(found) == {"aligned", *alignment.OFF["cuda"], "vocabulary", "vocabulary padded"}
    for p in found.values():
        assert len(p.timed.times_s) >= 3
        assert all(t > 0 for t in p.timed.times_s)


def test_the_staircase_names_its_kernels_and_crosses_a_wave(
    target: device.CudaTarget, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waves, "DEPTH", 1024)
    found = points(waves, "waves", target, key)
    assert len(found) >= 5
    kernels = [p.profile.kernel for p in found if p.profile and p.profile.kernel]
    if not kernels:
        pytest.skip("the driver keeps its counters for an administrator")
    named = [of for kernel in kernels if (of := tile(kernel)) is not None]
    if not named:
        pytest.skip(f"no tile in {kernels[0]}")
    shape = found[-1].work.shape
    assert tiles(shape["m"], shape["n"], named[-1]) > target.units
