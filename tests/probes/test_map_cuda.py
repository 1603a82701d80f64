"""The kernel map and fusion where there is a card: graphs, names, counts, a real compiler."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import fusion, kernel_map, map_kernels  # noqa: E402
from roofwatch.probes.device import CudaTarget, pick  # noqa: E402
from roofwatch.probes.graph_nodes import graph_nodes  # noqa: E402
from roofwatch.probes.map_kernels import Sizes  # noqa: E402
from roofwatch.probes.operands import TORCH_DTYPE  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.roofline.statistics import median  # noqa: E402
from roofwatch.roofline.suite import load_key  # noqa: E402
from roofwatch.roofline.transformer_work import CHAINS, MATRIX_OPS  # noqa: E402

MIB = 1 << 20


@pytest.fixture(scope="module")
def target() -> CudaTarget:
    picked = pick("cuda:0")
    assert isinstance(picked, CudaTarget)
    return picked


def place(target: CudaTarget, notes: list[str]) -> Place:
    return Place(
        target=target,
        clock=None,
        shapes={},
        peaks_tflops={},
        rest=lambda _: None,
        note=notes.append,
    )


def key(target: CudaTarget) -> str:
    """The precision that the suite would load the card with."""
    return load_key("cuda", target.capability)


@pytest.fixture(scope="module")
def mapped(target: CudaTarget) -> list[Point]:
    sizes = Sizes(
        model=map_kernels.LLAMA,
        tensor_bytes=64 * MIB,
        batch=2,
        context=512,
        prompt=512,
        attended=1024,
    )
    spec = group_spec("kernels", key(target))
    with torch.inference_mode():
        return list(kernel_map.points(spec, place(target, []), lambda _: None, sizes))


def test_every_kernel_of_the_map_runs(mapped: list[Point]) -> None:
    ops = {p.work.op for p in mapped}
    assert len(ops) == kernel_map.KERNELS - 1  # the two sizes of RMSNorm are one op
    for p in mapped:
        assert min(p.timed.times_s) > 0, p.work.op


def test_a_graph_brings_a_single_row_nearer_to_its_bytes(mapped: list[Point]) -> None:
    eager, graph = (p for p in mapped if p.work.op == "rmsnorm" and p.variant)
    assert (eager.timed.timing, graph.timed.timing) == ("host", "graph")
    assert median(graph.timed.times_s) < median(eager.timed.times_s)


def test_sampling_was_called_at_least(mapped: list[Point]) -> None:
    ways = {p.variant for p in mapped if p.work.op == "sampling"}
    assert "eager" in ways


def test_library_kernels_have_names(mapped: list[Point]) -> None:
    for p in mapped:
        if p.work.op in MATRIX_OPS:
            assert p.profile is not None
            assert p.profile.kernel or p.profile.status == "no_permission"


def test_a_failed_capture_leaves_the_device_as_it_was(target: CudaTarget) -> None:
    x = torch.randn(1024, device=target.torch_device)
    kernel = map_kernels.MapKernel(
        work=map_kernels.workload.relu(1024, "fp32"),
        launch=lambda: x.sum().item(),  # waits, and so cannot be captured
        timing=map_kernels.SHORT,
    )
    notes: list[str] = []
    (only,) = kernel_map._both_ways(place(target, notes), target, kernel)
    assert only.variant == "eager"
    assert "cannot be captured" in notes[0]
    assert graph_nodes(lambda: torch.relu(x)) in (1, None)
    torch.rand(4, device=target.torch_device)


@pytest.fixture(scope="module")
def chains(target: CudaTarget) -> tuple[list[Point], list[str]]:
    notes: list[str] = []
    spec = group_spec("fusion", key(target))
    with torch.inference_mode():
        where = place(target, notes)
        return list(fusion.points(spec, where, lambda _: None, 64 * MIB)), notes


def test_each_chain_is_replayed_and_fused_or_says_why(
    chains: tuple[list[Point], list[str]],
) -> None:
    points, notes = chains
    ways: dict[str, set[Any]] = {op: set() for op in CHAINS}
    for p in points:
        ways[p.work.op].add(p.variant)
    for op, found in ways.items():
        assert {"eager", "graph"} <= found, op
        assert "compiled" in found or any(n.startswith("not fused") for n in notes), op


def test_a_fused_chain_computes_the_same(target: CudaTarget) -> None:
    from roofwatch.probes.compiled import NotCompiled, compile_now, workshop

    dtype = TORCH_DTYPE[key(target)]
    x, y = (torch.randn(64, 14336, device=target.torch_device, dtype=dtype) for _ in range(2))
    with torch.inference_mode(), workshop():
        try:
            fused = compile_now(fusion.silu_mul, (x, y), target)
        except NotCompiled as why:
            pytest.skip(str(why))
        torch.testing.assert_close(fused(x, y), fusion.silu_mul(x, y), rtol=0.02, atol=0.02)
