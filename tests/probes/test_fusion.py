"""Fusion as it is measured: each way of each chain, with a compiler that is stubbed."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import fusion  # noqa: E402
from roofwatch.probes.compiled import NotCompiled  # noqa: E402
from roofwatch.probes.device import CpuTarget, CudaTarget, HostTimer  # noqa: E402
from roofwatch.probes.op_count import count  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.probes.timing import Cancelled, Launch, Timed  # noqa: E402
from roofwatch.roofline import transformer_work as work  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402

SPEC = group_spec("fusion", "fp32")
SIZE = 5632 * 4 * 3  # three rows


@pytest.fixture(autouse=True)
def compiler(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Few repetitions, and a compiler that gives a function back, or raises what it is told."""
    told: dict[str, Any] = {"compiled": [], "raises": None, "seconds": 0.0, "now": 0.0}

    def briefly(timer: Any, launch: Launch, **_: Any) -> Timed:
        times = timer.times(launch, 3)
        return Timed(times_s=times, stop="iqr", timing=timer.name, begin_s=1.0, end_s=2.0)

    def compile_now(function: Any, arguments: Any, target: Any) -> Any:
        told["now"] += told["seconds"]
        if told["raises"] is not None:
            raise told["raises"]
        told["compiled"].append(function.__name__)
        return function

    monkeypatch.setattr(fusion, "steady", briefly)
    monkeypatch.setattr(fusion, "compile_now", compile_now)
    monkeypatch.setattr(fusion.time, "monotonic", lambda: told["now"])
    return told


def run(target: Any = None, notes: list[str] | None = None) -> list[Point]:
    where = Place(
        target=target or CpuTarget(),
        clock=None,
        shapes={},
        peaks_tflops={},
        rest=lambda _: None,
        note=(notes if notes is not None else []).append,
    )
    with torch.inference_mode():
        return list(fusion.points(SPEC, where, lambda _: None, SIZE))


def test_a_cpu_runs_each_chain_kernel_by_kernel_and_fused() -> None:
    notes: list[str] = []
    found = [(p.work.op, p.variant) for p in run(notes=notes)]
    assert found == [
        ("three_cos", "once"),
        ("three_cos", "eager"),
        ("three_cos", "compiled"),
        ("silu_mul", "eager"),
        ("silu_mul", "compiled"),
        ("bias_gelu_dropout", "eager"),
        ("bias_gelu_dropout", "compiled"),
    ]
    assert notes == [fusion.NO_GRAPH]


def test_bytes_are_those_of_each_way() -> None:
    found = {(p.work.op, p.variant): p.work for p in run()}
    for op in work.CHAINS:
        assert found[op, "eager"] == work.chain(op, 3, 5632, "fp32")
        assert found[op, "compiled"] == work.fused(op, 3, 5632, "fp32")
    assert found["three_cos", "once"] == work.once(3, 5632, "fp32")


@pytest.mark.parametrize("op", ["three_cos", "silu_mul"])
def test_eager_bytes_agree_with_the_tensors_that_torch_touches(op: str) -> None:
    shapes = fusion._shapes(op, 3, 64)
    tensors = [torch.randn(shape) for shape in shapes]
    found = count(lambda: fusion.CHAINS[op](*tensors), "cpu")
    assert sum(c.bytes * c.calls for c in found.counted) == work.chain(op, 3, 64, "fp32").bytes


def test_chains_compute_what_they_are_called() -> None:
    x, up, bias = torch.randn(3, 64), torch.randn(3, 64), torch.randn(64)
    torch.testing.assert_close(fusion.three_cos(x), torch.cos(torch.cos(torch.cos(x))))
    torch.testing.assert_close(fusion.silu_mul(x, up), x / (1 + torch.exp(-x)) * up)
    out = fusion.bias_gelu_dropout(x, bias)
    kept = out != 0
    right = torch.nn.functional.gelu(x + bias) / 0.9
    torch.testing.assert_close(out[kept], right[kept])


def test_why_nothing_is_fused_is_said_once(compiler: dict[str, Any]) -> None:
    compiler["raises"] = NotCompiled("triton is not installed")
    notes: list[str] = []
    found = run(notes=notes)
    assert {p.variant for p in found} == {"once", "eager"}
    assert notes == [fusion.NO_GRAPH, "not fused: triton is not installed"]


def test_a_slow_compiler_compiles_no_further_chain(compiler: dict[str, Any]) -> None:
    compiler["seconds"] = 31.0
    notes: list[str] = []
    found = [(p.work.op, p.variant) for p in run(notes=notes) if p.variant == "compiled"]
    assert found == [("three_cos", "compiled")]
    assert compiler["compiled"] == ["three_cos"]
    assert notes[1:] == ["not fused: the compiler took 31 s for the chains before"]


def test_a_stop_while_it_compiles_is_heard(compiler: dict[str, Any]) -> None:
    compiler["raises"] = Cancelled()
    with pytest.raises(Cancelled):
        run()


class Card(CudaTarget):
    """A card that is none: it computes on the CPU, at once."""

    def __init__(self) -> None:
        self.index = 0
        self.torch_device = torch.device("cpu")
        self.cache_bytes = 1 << 10

    def timer_for(self, launch: Launch) -> Any:
        return HostTimer()

    def clean_up(self) -> None:
        pass


def test_a_card_replays_each_chain_as_one_graph(monkeypatch: pytest.MonkeyPatch) -> None:
    captured: list[int] = []

    def graph(index: int, launch: Launch, launches: int) -> HostTimer:
        captured.append(launches)
        return HostTimer()

    monkeypatch.setattr(fusion, "GraphTimer", graph)
    monkeypatch.setattr(fusion, "WIDTH", {"cuda": 5632})
    notes: list[str] = []
    found = run(Card(), notes)
    assert [p.work.op for p in found if p.variant == "graph"] == list(work.CHAINS)
    graphs = {p.work.op: p.work for p in found if p.variant == "graph"}
    assert graphs == {p.work.op: p.work for p in found if p.variant == "eager"}
    assert all(launches >= 1 for launches in captured)
    assert notes == []
