"""The decode probe on a real card: graphs, what stands between a part's calls, kernels counted."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("no CUDA device", allow_module_level=True)

from roofwatch.probes import decode  # noqa: E402
from roofwatch.probes.decode import points  # noqa: E402
from roofwatch.probes.device import CudaTarget  # noqa: E402
from roofwatch.probes.graph_nodes import graph_nodes  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.roofline import decode_work  # noqa: E402
from roofwatch.roofline.model import Model  # noqa: E402
from roofwatch.roofline.probe_spec import decode_spec  # noqa: E402

pytestmark = pytest.mark.torch

SMALL = Model(
    name="small",
    layers=4,
    hidden=512,
    intermediate=1024,
    heads=8,
    kv_heads=2,
    head_dim=64,
    vocab=4096,
)


@pytest.fixture(scope="module")
def measured() -> Iterator[list[Point]]:
    target = CudaTarget(0)
    place = Place(
        target=target,
        clock=None,
        shapes={},
        peaks_tflops={},
        rest=lambda _: None,
        models={"small": SMALL},
        contexts=(64, 256),
    )
    with pytest.MonkeyPatch.context() as patched, torch.inference_mode():
        patched.setattr(decode, "BATCHES", (1, 8))
        yield list(points(decode_spec("small", "bf16"), place, lambda _: None))
    target.clean_up()


def test_a_step_is_timed_both_ways_and_its_kernels_are_counted(measured: list[Point]) -> None:
    whole = [p for p in measured if p.work.op == "decode"]
    assert {(p.variant, p.timed.timing) for p in whole} == {("eager", "event"), ("graph", "graph")}
    assert {p.work.shape["layers"] for p in whole} == {4}
    least = 4 * 8 + 3  # each part of a layer is a kernel or more
    assert all(least <= p.work.shape["kernels"] < 40 * 4 for p in whole)


def test_every_part_stands_beside_what_is_taken_off(measured: list[Point]) -> None:
    names = {w.op for w in decode_work.parts(SMALL, 1, 64, "bf16")}
    for batch in (1, 8):
        for context in (64, 256):
            here = [
                p
                for p in measured
                if (p.work.shape["batch"], p.work.shape["context"]) == (batch, context)
            ]
            for variant in ("part", "between"):
                assert {p.work.op for p in here if p.variant == variant} == names
    assert {p.work.op for p in measured if p.variant == "enqueue"} == names


def test_nodes_are_counted_without_the_profiler() -> None:
    x = torch.zeros(16, device="cuda")

    def three() -> None:
        for _ in range(3):
            x.add_(1)

    three()
    assert graph_nodes(three) in (3, None)  # None: this torch keeps no graph to ask about
    before = x.clone()
    torch.cuda.synchronize()
    assert torch.equal(x, before)  # what was captured did not run
