"""The kernel map as it is measured: for real on the CPU, and a card's ways on one that is none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

torch = pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from roofwatch.probes import kernel_map, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget, CudaTarget, HostTimer  # noqa: E402
from roofwatch.probes.kernels import Profiled  # noqa: E402
from roofwatch.probes.map_kernels import Sizes  # noqa: E402
from roofwatch.probes.place import Place, Point  # noqa: E402
from roofwatch.probes.timing import Cancelled, Launch, Timed  # noqa: E402
from roofwatch.roofline.model import Model  # noqa: E402
from roofwatch.roofline.probe_spec import group_spec  # noqa: E402
from roofwatch.roofline.transformer_work import MATRIX_OPS  # noqa: E402
from roofwatch.session.events import Measurement  # noqa: E402

TINY = Sizes(
    model=Model(
        name="tiny",
        layers=1,
        hidden=64,
        intermediate=96,
        heads=4,
        kv_heads=2,
        head_dim=16,
        vocab=300,
    ),
    tensor_bytes=16 << 10,
    batch=2,
    context=24,
    prompt=8,
    attended=16,
)
SPEC = group_spec("kernels", "fp32")


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few repetitions: nothing here is about how long a launch takes."""

    def briefly(timer: Any, launch: Launch, **_: Any) -> Timed:
        times = timer.times(launch, 3)
        return Timed(times_s=times, stop="iqr", timing=timer.name, begin_s=1.0, end_s=2.0)

    monkeypatch.setattr(kernel_map, "steady", briefly)
    monkeypatch.setattr(kernel_map, "CALLED", 2)
    monkeypatch.setattr(kernel_map, "WARM", 1)
    monkeypatch.setattr(kernel_map, "REPEATS", 3)


def place(target: Any = None, **changes: Any) -> Place:
    told: dict[str, Any] = {
        "target": target or CpuTarget(),
        "clock": None,
        "shapes": {},
        "peaks_tflops": {},
        "rest": lambda _: None,
    }
    return Place(**{**told, **changes})


def run(where: Place) -> list[Point]:
    with torch.inference_mode():
        return list(kernel_map.points(SPEC, where, lambda _: None, TINY))


def test_a_cpu_measures_every_kernel_once() -> None:
    found = run(place())
    assert len(found) == kernel_map.KERNELS
    for p in found:
        assert len(p.timed.times_s) >= 3
        assert min(p.timed.times_s) > 0
        assert p.timed.timing == "host"
        assert p.variant is None
        assert "kernels" not in p.work.shape
    linear = next(p for p in found if p.work.op == "decode_linear")
    assert linear.work.shape == {"m": 1, "n": 96, "k": 64, "copies": 2}


def test_tensors_that_the_cache_holds_are_said_to_be() -> None:
    notes: list[str] = []
    target = CpuTarget()
    target.cache_bytes = 8 << 20
    run(place(target, note=notes.append))
    assert len(notes) == 1
    assert "partly found in the last-level cache of 8 MiB" in notes[0]
    target.cache_bytes = 4 << 10
    notes.clear()
    run(place(target, note=notes.append))
    assert notes == []


def test_it_tells_how_far_it_has_come_and_can_be_stopped() -> None:
    heard: list[float] = []

    def report(progress: float) -> None:
        heard.append(progress)
        if len(heard) == 3:
            raise Cancelled

    with torch.inference_mode(), pytest.raises(Cancelled):
        list(kernel_map.points(SPEC, place(), report, TINY))
    assert heard == pytest.approx([1 / 15, 2 / 15, 3 / 15])


def test_every_point_is_a_measurement_of_its_own_op(
    monkeypatch: pytest.MonkeyPatch, instrument: Any
) -> None:
    def tiny(spec: Any, where: Place, report: Any) -> Iterator[Point]:
        return kernel_map.points(spec, where, report, TINY)

    monkeypatch.setitem(worker.POINTS, "kernels", tiny)
    import threading

    with torch.inference_mode():
        work = worker.Worker(instrument, CpuTarget(), 1, threading.Event())
        assert work.run([SPEC]) == 0
    found: list[Measurement] = instrument.of(Measurement)
    assert len(found) == kernel_map.KERNELS
    assert {m.probe for m in found} == {"kernels"}
    assert {m.protocol for m in found} == {"kernels"}
    # A gather computes nothing, and nothing is its peak.
    assert [m.op for m in found if m.peak_key is None] == ["embedding"]


class NamedTimer(HostTimer):
    """The host's clock under the name of a device's timer."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


class Card(CudaTarget):
    """A card that is none: it computes on the CPU, at once."""

    def __init__(self) -> None:
        self.index = 0
        self.torch_device = torch.device("cpu")
        self.units = 4
        self.cache_bytes = 1 << 10
        self.stopped = lambda: False

    def free_bytes(self) -> int:
        return 1 << 30

    def timer(self) -> Any:
        return NamedTimer("event")

    def timer_for(self, launch: Launch) -> Any:
        return NamedTimer("graph")

    def clean_up(self) -> None:
        pass


@pytest.fixture
def capture(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """What a card's driver would do; ``fails`` names an op that cannot be captured."""
    told: dict[str, Any] = {"mended": [], "fails": False, "rests": []}

    def graph(index: int, launch: Launch, launches: int, mode: str = "global") -> NamedTimer:
        if told["fails"]:
            raise RuntimeError("operation not permitted when stream is capturing\nmore")
        return NamedTimer("graph")

    monkeypatch.setattr(kernel_map, "GraphTimer", graph)
    monkeypatch.setattr(kernel_map, "graph_nodes", lambda launch: 5)
    monkeypatch.setattr(kernel_map, "mend", told["mended"].append)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: None)
    monkeypatch.setattr(
        kernel_map.kernels, "profiled", lambda target, launch: Profiled(kernel="nvjet")
    )
    return told


def by_op(points: list[Point]) -> dict[str, list[Point]]:
    found: dict[str, list[Point]] = {}
    for p in points:
        found.setdefault(p.work.op, []).append(p)
    return found


def test_short_kernels_are_called_and_replayed(capture: dict[str, Any]) -> None:
    found = by_op(run(place(Card())))
    for op in ("sampling", "rmsnorm"):
        eager, graph = found[op][:2]
        assert (eager.variant, eager.timed.timing) == ("eager", "host")
        assert (graph.variant, graph.timed.timing) == ("graph", "graph")
        assert eager.work == graph.work
        assert eager.work.shape["kernels"] == 5
    assert found["rmsnorm"][2].variant is None
    assert capture["mended"] == []


def test_what_cannot_be_captured_is_called_alone_and_said(capture: dict[str, Any]) -> None:
    capture["fails"] = True
    notes: list[str] = []
    found = by_op(run(place(Card(), note=notes.append)))
    assert [p.variant for p in found["sampling"]] == ["eager"]
    assert "kernels" not in found["sampling"][0].work.shape
    assert capture["mended"] == [0, 0]
    assert notes[1] == (
        "sampling cannot be captured in a CUDA graph: operation not permitted when stream is "
        "capturing"
    )


def test_library_kernels_are_named_and_large_products_rested(capture: dict[str, Any]) -> None:
    found = by_op(run(place(Card(), rest=capture["rests"].append)))
    for op, points in found.items():
        named = points[-1].profile
        assert (named is not None) is (op in MATRIX_OPS), op
    assert found["prefill_linear"][0].timed.timing == "event"
    assert found["prefill_attention"][0].timed.stop == "protocol"
    assert found["decode_linear"][0].timed.timing == "graph"
    assert len(capture["rests"]) == 2


def test_rows_are_counted_where_torch_may_take_several_kernels(capture: dict[str, Any]) -> None:
    found = by_op(run(place(Card())))
    counted = {op for op, points in found.items() if "kernels" in points[-1].work.shape}
    assert counted == {"rmsnorm", "layernorm", "softmax", "sampling"}


def test_sizes_are_asked_of_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def sized(target: Any) -> Sizes:
        asked.append(target)
        return msgspec.structs.replace(TINY, prompt=4)

    monkeypatch.setattr(kernel_map, "sizes_for", sized)
    where = place()
    with torch.inference_mode():
        found = list(kernel_map.points(SPEC, where, lambda _: None))
    assert asked == [where.target]
    assert next(p for p in found if p.work.op == "prefill_linear").work.shape["m"] == 4
