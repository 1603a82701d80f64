"""The streaming kernels on the real CPU: what they compute, what they move, how large they are."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import streams  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.timing import Cancelled, Timed  # noqa: E402
from roofwatch.roofline.workload import Work  # noqa: E402

MIB = 1 << 20
GIB = 1 << 30
SIZE = 64 << 10
DTYPES = ["fp16", "fp32", "fp64"]


def prepared(
    monkeypatch: pytest.MonkeyPatch, op: str, dtype: str, size: int = SIZE
) -> tuple[Work, Any, Any]:
    """The work, the input that it was given, and the output of one launch."""
    drawn: list[Any] = []
    real = streams.random_normal

    def kept(*arguments: Any) -> Any:
        drawn.append(real(*arguments))
        return drawn[-1]

    monkeypatch.setattr(streams, "random_normal", kept)
    work, launch = streams.prepare(CpuTarget(), op, dtype, size)
    (x,) = drawn
    before = x.clone()
    out = launch()
    assert torch.equal(x, before)
    return work, x, out


RIGHT = {
    "add_scalar": lambda x: x + 1,
    "copy": lambda x: x,
    "fill": lambda x: torch.full_like(x, 1.5),
    "triad": lambda x: x + 3 * x,  # y holds what x holds
    "strided": lambda x: x[::2] + 1,
    "read": lambda x: x.double().view(1, -1, streams.COLUMNS).sum(2),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", RIGHT)
def test_every_stream_computes_the_right_thing(
    monkeypatch: pytest.MonkeyPatch, op: str, dtype: str
) -> None:
    _, x, out = prepared(monkeypatch, op, dtype)
    right = RIGHT[op](x)
    assert out.shape == right.shape
    torch.testing.assert_close(out.double(), right.double(), rtol=4e-3, atol=0.1)
    assert float(x.double().std()) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("op", RIGHT)
def test_every_stream_counts_the_bytes_of_its_tensors(
    monkeypatch: pytest.MonkeyPatch, op: str, dtype: str
) -> None:
    work, x, out = prepared(monkeypatch, op, dtype)
    written = out.numel() * out.element_size()
    whole = x.numel() * x.element_size()
    assert whole == SIZE
    reads = {"fill": 0, "triad": 2 * whole, "strided": whole // 2}.get(op, whole)
    assert sum(t.write_bytes for t in work.tensors) == written
    assert sum(t.read_bytes for t in work.tensors) == reads
    assert work.op == op


@pytest.mark.parametrize("passes", [1, 3])
def test_a_read_of_several_passes_sums_each_and_counts_each(passes: int) -> None:
    x = torch.randn(3 * streams.COLUMNS + 17)
    work, launch = streams.reading(x, "fp32", passes)
    sums: Any = launch()
    right = x[: 3 * streams.COLUMNS].view(3, streams.COLUMNS).sum(1)
    assert sums.shape == (passes, 3)
    torch.testing.assert_close(sums, right.expand(passes, 3), rtol=1e-4, atol=1e-3)
    assert work.tensors[0].read_bytes == passes * 3 * streams.COLUMNS * 4
    assert work.shape["passes"] == passes


def test_tensors_longer_than_a_chunk_are_filled_to_the_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "CHUNK", 1000)
    _, x, out = prepared(monkeypatch, "triad", "fp32", 4 * 2500)
    assert x.numel() == 2500
    assert int((x == 0).sum()) < 10
    assert torch.equal(x[:157], x[2 * 157 : 3 * 157])  # a sixteenth, again and again
    torch.testing.assert_close(out, 4 * x)


@pytest.mark.parametrize("op", RIGHT)
def test_a_stop_is_heard_while_memory_is_touched(op: str) -> None:
    with pytest.raises(Cancelled):
        streams.prepare(CpuTarget(lambda: True), op, "fp32", SIZE)


def card(kind: str, cache: int, free: int) -> Any:
    return SimpleNamespace(kind=kind, cache_bytes=cache, free_bytes=lambda: free)


@pytest.mark.parametrize(
    ("kind", "cache", "op", "size"),
    [
        ("cuda", 60 * MIB, "copy", 2 * GIB),  # H200
        ("cuda", 4 * MIB, "triad", 2 * GIB),  # T4
        ("cuda", 256 * MIB, "copy", 5 * GIB),  # MI300: twenty times its last level
        ("cuda", 0, "copy", 2 * GIB),
        ("cpu", 64 * MIB, "copy", 640 * MIB),  # both tensors together
        ("cpu", 60 * MIB, "triad", 400 * MIB),  # all three
        ("cpu", 1 * MIB, "copy", 256 * MIB),
    ],
)
def test_tensors_are_twenty_times_the_cache(kind: str, cache: int, op: str, size: int) -> None:
    assert streams.tensor_bytes(card(kind, cache, 1 << 40), op) == (size, True)


def test_where_memory_is_short_the_tensors_fit_and_it_is_said() -> None:
    size, beyond = streams.tensor_bytes(card("cuda", 60 * MIB, 3 * GIB), "triad")
    assert size == pytest.approx(0.8 * GIB, rel=1e-4)
    assert not beyond
    size, beyond = streams.tensor_bytes(card("cuda", 40 * MIB, 3 * GIB), "copy")
    assert size == pytest.approx(0.8 * 3 * GIB / 2, rel=1e-4)
    assert beyond  # less than wanted, and still enough


@pytest.mark.parametrize("free", [-5, 0, 4096, MIB])
def test_where_hardly_any_memory_is_free_it_is_said(free: int) -> None:
    with pytest.raises(RuntimeError, match="too little memory is free"):
        streams.tensor_bytes(card("cuda", MIB, free), "copy")


@pytest.mark.parametrize("free", [4096 * 1111 + 1, 10**9 + 7])
@pytest.mark.parametrize("op", ["copy", "triad"])
def test_tensors_are_whole_pages_and_fit_together(op: str, free: int) -> None:
    size, _ = streams.tensor_bytes(card("cuda", MIB, free), op)
    assert size % 4096 == 0
    assert size * (3 if op == "triad" else 2) <= free


@pytest.mark.parametrize(("timing", "read"), [("event", True), ("graph", False)])
def test_the_clock_is_read_between_launches_of_events_only(
    monkeypatch: pytest.MonkeyPatch, timing: str, read: bool
) -> None:
    asked: dict[str, Any] = {}
    timed = Timed(times_s=[1e-3] * 3, stop="iqr", timing=timing, begin_s=0, end_s=1)

    def steady(timer: Any, launch: Any, **keywords: Any) -> Timed:
        asked.update(keywords)
        return timed

    monkeypatch.setattr(streams, "steady", steady)
    target: Any = SimpleNamespace(
        kind="cuda", timer_for=lambda launch: SimpleNamespace(name=timing)
    )
    clock: Any = object()
    assert streams.measure(target, lambda: None, clock, lambda _: None) is timed
    assert (asked["clock"] is clock) is read
