"""Looking at a callable on the CPU: what is counted, seen, varied; a pretended CUDA timeline."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import their_device, timeline  # noqa: E402
from roofwatch.probes import triage as probe  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.on_cuda import Looked, OtherStream  # noqa: E402
from roofwatch.probes.op_count import CallCount, count  # noqa: E402
from roofwatch.probes.quick_roof import peak_tflops  # noqa: E402
from roofwatch.probes.their_device import NotThere, TheirDevice  # noqa: E402
from roofwatch.probes.timeline import (  # noqa: E402
    NoTimeline,
    Timeline,
    calls_for,
    enough,
    on_cpu,
    on_cuda,
)
from roofwatch.probes.variation import (  # noqa: E402
    NoArgument,
    batch_argument,
    changed_batch,
    changed_dtype,
    dtype_argument,
    required,
)
from roofwatch.probes.wall_timer import MOST_CALLS, WallTimer  # noqa: E402
from roofwatch.roofline.floors import Ceilings  # noqa: E402

pytestmark = pytest.mark.torch

Call = Callable[[], object]


def quiet(_: str) -> None:
    pass


def counted(call: Call) -> list[tuple[str, float, float]]:
    return [(c.op, c.flop, c.bytes) for c in count(call, "cpu").counted]


# What is counted


def test_flop_of_products_and_bytes_of_each_tensor_once() -> None:
    a, b = torch.randn(64, 32), torch.randn(32, 16)
    assert counted(lambda: a @ b) == [("mm", 2 * 64 * 32 * 16, 4 * (64 * 32 + 32 * 16 + 64 * 16))]


def test_pointwise_work_is_one_operation_an_element_by_the_house_table() -> None:
    x, y = torch.randn(1000), torch.empty(1000)
    assert counted(lambda: torch.add(x, 1, out=y)) == [("add", 1000, 8000)]
    assert counted(lambda: x * x) == [("mul", 1000, 8000)]  # read once, however often it is named
    assert counted(lambda: x.add_(1)) == [("add_", 1000, 8000)]
    assert counted(lambda: torch.softmax(x, 0)) == [("_softmax", 4000, 8000)]
    assert counted(lambda: torch.nn.functional.silu(x)) == [("silu", 4000, 8000)]


def test_what_moves_computes_nothing_and_what_overwrites_reads_nothing() -> None:
    x, y = torch.randn(1000), torch.empty(1000)
    assert counted(lambda: y.copy_(x)) == [("copy_", 0, 8000)]
    assert counted(lambda: y.fill_(2.0)) == [("fill_", 0, 4000)]


def test_views_and_empty_memory_are_no_operators() -> None:
    x = torch.randn(8, 4)
    assert counted(lambda: x.t().reshape(8, 4)[1:].contiguous()) == [
        ("clone", 0, 2 * 32 * 4)
    ]  # the transposed view alone is copied
    assert counted(lambda: (x.view(4, 8), x.contiguous(), torch.empty(5))) == []


def test_an_expanded_tensor_is_as_large_as_what_it_repeats() -> None:
    row = torch.randn(100)
    assert counted(lambda: row.expand(50, 100).sum()) == [("sum", 5000, 404)]


def test_of_a_table_only_what_is_fetched_is_read() -> None:
    table, rows = torch.randn(1000, 16), torch.tensor([3, 4])
    (op, flop, size) = counted(lambda: torch.nn.functional.embedding(rows, table))[0]
    assert (op, flop, size) == ("embedding", 0, 2 * 2 * 16 * 4 + 16)


def test_attention_and_integers_are_counted_where_torch_counts_nothing() -> None:
    q = torch.randn(2, 4, 64, 16)
    attention = torch.nn.functional.scaled_dot_product_attention
    found = count(lambda: attention(q, q, q), "cpu").counted
    assert sum(c.calls * c.flop for c in found) == pytest.approx(4 * 2 * 4 * 64 * 64 * 16, rel=0.2)
    ones = torch.ones(32, 32, dtype=torch.int8)
    product = count(lambda: torch._int_mm(ones, ones), "cpu").counted[0]
    assert (product.flop, product.peak_key) == (2 * 32**3, "int8")


def test_the_backward_pass_is_counted_as_well() -> None:
    a, w = torch.randn(64, 32), torch.randn(32, 16, requires_grad=True)
    found = count(lambda: (a @ w).sum().backward(), "cpu")
    products = [c for c in found.counted if c.op == "mm"]
    assert sum(c.calls for c in products) == 2
    assert {c.flop for c in products} == {2 * 64 * 32 * 16}


def test_the_type_decides_the_peak() -> None:
    a = torch.randn(16, 16).to(torch.bfloat16)
    assert count(lambda: a @ a, "cpu").counted[0].peak_key == "bf16"
    assert count(lambda: torch.arange(9) + 1, "cpu").counted[-1].peak_key is None


def test_operators_without_a_formula_are_named() -> None:
    x = torch.randn(64)
    assert count(lambda: torch.fft.fft(x), "cpu").uncounted == ("_fft_r2c",)
    assert count(lambda: x + 1, "cpu").uncounted == ()


@pytest.mark.filterwarnings("ignore:Sparse CSR tensor support")
def test_a_sparse_product_is_counted_by_what_it_stores() -> None:
    sparse, dense = torch.eye(64).to_sparse(), torch.randn(64, 16)
    stored = 64 * 4 + 2 * 64 * 8  # values and their two indices
    assert counted(lambda: sparse @ dense) == [("mm", 2 * 64 * 16, stored + 2 * 64 * 16 * 4)]
    added = count(lambda: torch.sparse.addmm(dense, sparse, dense), "cpu").counted[-1]
    assert added.flop == 2 * 64 * 16
    found = count(lambda: sparse @ sparse, "cpu")  # its result is known when it is there
    assert (found.counted[0].flop, found.uncounted) == (0, ("mm",))


def test_a_complex_product_is_four_real_ones() -> None:
    z = torch.randn(32, 32, dtype=torch.complex64)
    product = count(lambda: z @ z, "cpu").counted[0]
    assert (product.flop, product.peak_key) == (4 * 2 * 32**3, "fp32")
    assert counted(lambda: z * z) == [("mul", 6 * 32 * 32, 2 * 8 * 32 * 32)]
    assert counted(lambda: z + z) == [("add", 2 * 32 * 32, 2 * 8 * 32 * 32)]


def test_nothing_of_another_device_is_counted() -> None:
    x = torch.randn(64)
    assert count(lambda: x + 1, "cuda") == CallCount(
        counted=(), operators=0, waits=0, written_bytes=0.0, uncounted=()
    )


def test_what_the_call_raises_passes() -> None:
    with pytest.raises(ZeroDivisionError):
        count(lambda: 1 / 0, "cpu")


# The timeline of a CPU


def test_operators_of_a_call_are_seen() -> None:
    x = torch.randn(64)

    def call() -> None:
        for _ in range(10):
            x.add_(1)

    seen = on_cpu(call, 5)
    assert seen.kernels == 10
    assert list(seen.longest) == ["aten::add_"]
    assert seen.operator_s is not None
    assert seen.operator_s > 0


def test_a_call_without_operators_is_empty() -> None:
    seen = on_cpu(lambda: None, 3)
    assert (seen.kernels, seen.busy_s, seen.kernel_s) == (0, 0, None)


def test_a_call_that_raises_under_the_profiler_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        on_cpu(lambda: 1 / 0, 3)


def operator(name: str, begin: float, end: float, thread: int = 1) -> Any:
    span = SimpleNamespace(start=begin, end=end)
    return SimpleNamespace(name=name, time_range=span, thread=thread)


def seen_in(*calls: list[Any]) -> Timeline:
    """Calls of 100 us each, one after the other; the smallest operator takes 1 us."""
    windows = [(i * 1e-3, i * 1e-3 + 1e-4) for i in range(len(calls))]
    return timeline._of_operators([timeline._outermost(c) for c in calls], windows, 1e-6)


def test_an_operator_works_beyond_the_fixed_cost_of_all_that_it_calls() -> None:
    call = [
        operator("aten::matmul", 10, 60),
        operator("aten::mm", 12, 58),
        operator("aten::add_", 70, 71.5),
    ]
    seen = seen_in(call)
    assert seen.kernels == 2
    assert seen.events == 3
    assert seen.busy_s == pytest.approx(46e-6)  # two operators at twice 1 us; the small one none
    assert seen.span_share == pytest.approx(0.46)


def test_what_another_process_took_is_not_the_calls() -> None:
    """Each stretch at its best: one call lost its operator's time, the other that before it."""
    one = [operator("aten::mm", 10, 90)]
    other = [operator("aten::mm", 1050, 1092)]
    seen = seen_in(one, other)
    assert seen.busy_s == pytest.approx(40e-6)
    assert seen.span_share == pytest.approx(40 / (10 + 42 + 8))


def test_calls_that_differ_or_work_on_threads_are_united() -> None:
    one = [operator("aten::mm", 0, 50), operator("aten::mm", 20, 80, thread=2)]
    seen = seen_in(one, [operator("aten::add", 1000, 1100)])
    assert seen.busy_s in (pytest.approx(78e-6), pytest.approx(98e-6))  # the one least disturbed
    both = seen_in(one)
    assert both.busy_s == pytest.approx(78e-6)


@pytest.mark.parametrize(
    ("time_s", "events", "calls"),
    [(1e-9, 1, 50), (1e-3, 100, 50), (0.06, 1, 5), (3.0, 1, 2), (1e-3, 2500, 4), (1e-3, 1e6, 2)],
)
def test_enough_calls_and_no_more(time_s: float, events: float, calls: int) -> None:
    assert calls_for(time_s, events) == calls
    asked: list[int] = []

    def look(number: int) -> Timeline:
        asked.append(number)
        return Timeline(busy_s=0.0, kernels=1.0, events=events)

    enough(look, time_s)
    assert asked == ([2] if calls == 2 else [2, calls])


# A pretended timeline of CUDA: microseconds


def kernel(name: str, begin: float, end: float, index: int = 0, marked: bool = False) -> Any:
    return SimpleNamespace(
        name=name,
        device_type=SimpleNamespace(name="CUDA"),
        device_index=index,
        is_user_annotation=marked,
        time_range=SimpleNamespace(start=begin, end=end),
    )


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Any]], None]:
    """The profiler will have seen these events, and our own kernel behind them."""

    def see(events: list[Any]) -> None:
        @contextlib.contextmanager
        def profile(_: Any) -> Iterator[Any]:
            yield SimpleNamespace(events=lambda: events)

        monkeypatch.setattr(timeline, "_profile", profile)

    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    monkeypatch.setattr(torch, "zeros", lambda *_, **__: None)
    return see


OURS = kernel("fill", 9000, 9001)


def test_busy_and_gaps_over_all_streams(cuda: Callable[[list[Any]], None]) -> None:
    cuda(
        [
            kernel("mm", 0, 100),
            kernel("add", 50, 150),  # of another stream
            kernel("mm", 250, 350),
            kernel("ProfilerStep#1", 0, 400),
            kernel("their mark", 0, 400, marked=True),
            kernel("elsewhere", 0, 5000, index=1),
            OURS,
        ]
    )
    seen = on_cuda(lambda: None, 0, 2)
    assert seen.kernels == 1.5
    assert seen.busy_s == pytest.approx(125e-6)
    assert seen.span_share == pytest.approx(250 / 350)
    assert seen.kernel_s == pytest.approx(100e-6)
    assert seen.transfer_share == 0.0
    assert seen.longest == pytest.approx({"mm": 2 / 3, "add": 1 / 3})


def test_copies_over_the_link_are_told_apart(cuda: Callable[[list[Any]], None]) -> None:
    cuda([kernel("Memcpy HtoD (Pageable -> Device)", 0, 300), kernel("add", 300, 400), OURS])
    assert on_cuda(lambda: None, 0, 1).transfer_share == pytest.approx(0.75)


def test_no_kernels_but_ours_means_no_work_there(cuda: Callable[[list[Any]], None]) -> None:
    cuda([OURS])
    assert on_cuda(lambda: None, 0, 3).kernels == 0


def test_not_even_ours_means_no_profiling(cuda: Callable[[list[Any]], None]) -> None:
    cuda([])
    with pytest.raises(NoTimeline, match="allows no profiling"):
        on_cuda(lambda: None, 0, 3)


def test_what_the_call_raises_is_not_the_profilers(cuda: Callable[[list[Any]], None]) -> None:
    cuda([OURS])
    with pytest.raises(ZeroDivisionError):
        on_cuda(lambda: 1 / 0, 0, 3)


# What may be changed


def with_batch(batch: int = 8, dtype: Any = torch.float32) -> None:
    torch.ones(batch, 4, dtype=dtype)


def test_a_batch_and_a_type_are_found_by_name() -> None:
    assert batch_argument(with_batch, None) == ("batch", 8)
    assert dtype_argument(with_batch) == ("dtype", torch.float32)
    assert changed_batch("batch", 8, 8.0).what == "batch 8 to 64"
    assert changed_batch("n", 3, 0.5).value == 1
    assert batch_argument(lambda batch=True, n=0, b=1.5: None, None) is None
    assert batch_argument(lambda n=4: None, None) == ("n", 4)
    assert batch_argument(lambda rows=4: None, None) is None
    assert batch_argument(lambda rows=4: None, "rows") == ("rows", 4)


@pytest.mark.parametrize(("name", "says"), [("rows", "no parameter"), ("dtype", "whole number")])
def test_a_named_batch_must_be_there_and_a_number(name: str, says: str) -> None:
    with pytest.raises(NoArgument, match=says):
        batch_argument(with_batch, name)


@pytest.mark.parametrize(
    ("default", "kind", "value"),
    [
        (torch.float32, "cuda", torch.float16),
        (torch.bfloat16, "cuda", torch.float32),
        (torch.float32, "cpu", torch.float64),
        ("float32", "cuda", "float16"),
        ("fp32", "cuda", "fp16"),
        ("torch.float32", "cuda", "torch.float16"),
    ],
)
def test_the_other_type_has_the_form_of_the_default(default: Any, kind: str, value: Any) -> None:
    change = changed_dtype(default, kind)
    assert change is not None
    assert change.value == value
    assert change.factor is None


def test_what_is_no_type_is_left_alone() -> None:
    assert changed_dtype(torch.int64, "cuda") is None
    assert dtype_argument(lambda dtype=None: None) is None
    assert dtype_argument(lambda dtype=3: None) is None


def test_required_parameters_are_told_also_of_a_module() -> None:
    assert required(with_batch) == []
    assert required(lambda x, *more, y=1, **others: None) == ["x"]
    assert required(torch.nn.Linear(2, 2)) == ["input"]
    assert required(print) == []


# The whole of it


def looked_at(fn: Callable[..., object], **more: Any) -> probe.Examined:
    place = TheirDevice(fn, "cpu", quiet)
    return probe.examine(fn, place, seconds=0.05, batch_name=None, say=quiet, **more)


def test_a_call_is_timed_seen_counted_and_varied() -> None:
    seen = looked_at(with_batch)
    assert seen.evidence.kind == "cpu"
    assert seen.evidence.time_s > 0
    assert seen.evidence.kernels == 1
    assert seen.evidence.host_s is None
    assert seen.count is not None
    assert seen.count.operators == 1
    assert [v.what for v in seen.varied] == ["batch 8 to 64", "fp32 to fp64"]
    assert [v.counted[0].bytes for v in seen.varied] == [64 * 4 * 4, 8 * 4 * 8]
    assert seen.evidence.status.keys() <= {"load"}


def test_an_experiment_that_fails_costs_itself_alone() -> None:
    def fn(batch: int = 8) -> None:
        if batch != 8:
            raise ValueError("eight,\nand eight only")
        torch.ones(batch)

    seen = looked_at(fn)
    assert seen.varied == ()
    said = seen.evidence.status["experiments"]
    assert said == "batch 8 to 64: ValueError: eight, and eight only"


class Dumb(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("error", "says"),
    [(SystemExit(3), "SystemExit: 3"), (Dumb(), "Dumb: (a Dumb that cannot be shown)")],
)
def test_one_that_exits_or_cannot_say_why_costs_itself_alone(
    error: BaseException, says: str
) -> None:
    def fn(batch: int = 8) -> None:
        if batch != 8:
            raise error
        torch.ones(batch)

    seen = looked_at(fn)
    assert seen.varied == ()
    assert seen.evidence.status["experiments"] == f"batch 8 to 64: {says}"


def test_too_large_a_batch_is_not_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CpuTarget, "free_bytes", lambda _: 0)

    def fn(batch: int = 8) -> None:
        torch.ones(batch)

    assert [v.what for v in looked_at(fn).varied] == ["batch 8 to 4"]
    seen = looked_at(lambda batch=1: torch.ones(batch))
    assert "too little memory or time" in seen.evidence.status["experiments"]


def test_what_torch_cannot_count_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("no sizes")

    monkeypatch.setattr(probe.op_count, "count", refuse)
    seen = looked_at(lambda: torch.ones(3))
    assert seen.count is None
    assert seen.evidence.status["count"] == "torch cannot count it: RuntimeError: no sizes"


def test_a_timeline_that_fails_is_a_status(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise NoTimeline("the profiler failed: RuntimeError")

    monkeypatch.setattr(probe.timeline, "on_cpu", refuse)
    seen = looked_at(lambda: torch.ones(3))
    assert seen.evidence.gap_share is None
    assert seen.evidence.status["timeline"] == "the profiler failed: RuntimeError"


@pytest.mark.parametrize("after", [0, 1, 30])
def test_what_their_function_raises_passes_at_any_call(after: int) -> None:
    calls = 0

    def fn() -> None:
        nonlocal calls
        calls += 1
        if calls > after:
            raise KeyError("theirs")

    with pytest.raises(KeyError, match="theirs"):
        looked_at(fn)


def test_the_roof_is_measured_for_what_is_lacking_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def peak(_: object, key: str) -> float:
        asked.append(key)
        if key == "int8":
            raise RuntimeError("no such unit")
        return 0.2

    monkeypatch.setattr(probe.quick_roof, "peak_tflops", peak)
    monkeypatch.setattr(probe.quick_roof, "bandwidth_gbs", lambda _: 1.0 / 0.0)
    place = TheirDevice(lambda: None, "cpu", quiet)
    known = Ceilings(bandwidth_gbs=20.0, bandwidth_origin="session", peaks_tflops={"bf16": 0.7})
    found = probe.ceilings(place, ("fp32", "bf16", "int8"), known, quiet)
    assert asked == ["fp32", "int8"]
    assert found.peaks_tflops == {"bf16": 0.7, "fp32": 0.2}
    assert found.peak_origins == {"fp32": "measured"}
    assert (found.bandwidth_gbs, found.bandwidth_origin) == (20.0, "session")


def test_a_roof_that_no_device_has_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(probe.quick_roof, "peak_tflops", lambda *_: 26_321.0)
    monkeypatch.setattr(probe.quick_roof, "bandwidth_gbs", lambda _: 2e5)
    status: dict[str, str] = {}
    place = TheirDevice(lambda: None, "cpu", quiet)
    found = probe.ceilings(place, ("fp32",), Ceilings(), quiet, status)
    assert (found.bandwidth_gbs, found.peaks_tflops) == (None, {})
    assert status == {"roof": "the roof could not be measured"}


def test_the_roof_is_measured_under_the_callers_own_settings(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    on: list[str] = []
    monkeypatch.setattr(
        probe.quick_roof, "bandwidth_gbs", lambda _: on.append(torch.empty(0).device.type) or 20.0
    )
    place = TheirDevice(lambda: torch.set_default_device("meta"), "cpu", quiet)
    try:
        assert torch.empty(0).device.type == "meta"
        probe.ceilings(place, (), Ceilings(), quiet)
    finally:
        torch.set_default_device(None)
    assert on == ["cpu"]


def test_a_peak_that_nobody_multiplies_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no matmul of fp16_acc16"):
        peak_tflops(CpuTarget(), "fp16_acc16")


# Where it runs, on a pretended device


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """There is a device, and this is what can be seen of a function on it."""

    def with_device(
        seen: Timeline | NoTimeline, events: Looked | OtherStream | None = None
    ) -> None:
        def enough(*_: object) -> Timeline:
            if isinstance(seen, NoTimeline):
                raise seen
            return seen

        def look(*_: object) -> Looked:
            if isinstance(events, OtherStream):
                raise events
            assert events is not None
            return events

        monkeypatch.setattr(their_device.timeline, "enough", enough)
        monkeypatch.setattr(their_device, "look", look)
        monkeypatch.setattr(probe, "look", look)

    monkeypatch.setattr(their_device, "chosen_index", lambda _: 0)
    monkeypatch.setattr(torch.cuda, "device", lambda _: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: None)
    return with_device


KERNELS = Timeline(busy_s=1e-3, kernels=2.0)
NOT_ALLOWED = NoTimeline("the driver allows no profiling")


def test_kernels_tell_that_it_runs_there(device: Callable[..., None]) -> None:
    device(KERNELS)
    place = TheirDevice(lambda: None, None, quiet)
    assert (place.kind, place.index, place.busy_s()) == ("cuda", 0, 1e-3)


def test_without_kernels_it_is_the_cpus_unless_the_device_was_named(
    device: Callable[..., None],
) -> None:
    device(Timeline(busy_s=0.0, kernels=0.0))
    place = TheirDevice(lambda: None, None, quiet)
    assert (place.kind, place.index, place.busy_s()) == ("cpu", None, None)
    with pytest.raises(NotThere, match="device is cuda:0, but the function leaves no work there"):
        TheirDevice(lambda: None, "cuda:0", quiet)


@pytest.mark.parametrize(
    ("events", "kind", "busy_s"),
    [
        (Looked(device_s=2e-3, waited=False, works=True), "cuda", 2e-3),
        (Looked(device_s=2e-3, waited=True, works=True), "cuda", None),
        (Looked(device_s=0.0, waited=False, works=False), "cpu", None),
        (OtherStream("elsewhere"), "cuda", None),
    ],
)
def test_where_nothing_may_be_profiled_events_tell(
    device: Callable[..., None], events: Any, kind: str, busy_s: float | None
) -> None:
    device(NOT_ALLOWED, events)
    place = TheirDevice(lambda: None, None, quiet)
    assert (place.kind, place.busy_s()) == (kind, busy_s)


UNWAITED = CallCount(counted=(), operators=9, waits=0, written_bytes=0.0, uncounted=())


def test_what_waits_is_not_captured(device: Callable[..., None]) -> None:
    waiting = CallCount(counted=(), operators=9, waits=3, written_bytes=0.0, uncounted=())
    for count_, events in (
        (waiting, None),
        (None, None),
        (UNWAITED, Looked(device_s=1e-3, waited=True, works=True)),
    ):
        device(KERNELS, events)
        status: dict[str, str] = {}
        assert probe._by_graph(0, lambda: None, count_, status) is None
        assert status == {"graph": "a call that waits for the device cannot be captured"}


def test_a_capture_that_fails_is_a_status_and_mended(
    device: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    mended: list[int] = []

    def refuse(*_: object) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    monkeypatch.setattr(probe, "GraphTimer", refuse)
    monkeypatch.setattr(probe, "mend", mended.append)
    device(KERNELS, Looked(device_s=1e-3, waited=False, works=True))
    status: dict[str, str] = {}
    assert probe._by_graph(0, lambda: None, UNWAITED, status) is None
    assert "not permitted when stream is capturing" in status["graph"]
    assert mended == [0]


def test_the_timer_of_whole_calls_waits_once_a_repetition(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[str] = []
    monkeypatch.setattr(torch.cuda, "synchronize", lambda _: done.append("wait"))
    timer = WallTimer(0, lambda: None)
    assert 1 < timer.calls <= MOST_CALLS  # a call of hardly any time
    timer.calls = 3
    done.clear()
    times_s = timer.times(lambda: done.append("call"), 2)
    assert done == ["wait", *["call"] * 3, "wait", *["call"] * 3, "wait"]
    assert len(times_s) == 2
    assert min(times_s) > 0
