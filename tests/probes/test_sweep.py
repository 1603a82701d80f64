"""Size sweeps on the real CPU in tiny sizes, and when they end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import operands, streams, sweep  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.kernels import Profiled  # noqa: E402
from roofwatch.probes.sweep import over_bytes, over_squares  # noqa: E402
from roofwatch.probes.timing import BURST_S, Launch  # noqa: E402
from roofwatch.roofline.cache import sweep_bytes  # noqa: E402
from roofwatch.roofline.probe_spec import matmul_spec, stream_spec, sweep_of  # noqa: E402
from roofwatch.roofline.workload import Work  # noqa: E402

KIB = 1 << 10
MIB = 1 << 20
ADD = sweep_of(stream_spec("add_scalar", "fp32"))
READ = sweep_of(stream_spec("read", "fp32"))
SQUARES = sweep_of(matmul_spec("fp32"))


def nameless(launch: Launch) -> Profiled:
    return Profiled(status="not_supported")


def no_rest(seconds: float) -> None:
    raise AssertionError(f"a CPU rests for {seconds} s")


class Played:
    """A timer whose launches take what it was told, and that counts them."""

    name = "host"
    calls = 1

    def __init__(self, *seconds: float) -> None:
        self._seconds = seconds
        self.counts: list[int] = []

    def times(self, launch: Launch, count: int) -> list[float]:
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        self.counts.append(len(launches))
        return [self._seconds[i % len(self._seconds)] for i in range(len(launches))]


@pytest.fixture
def cpu(monkeypatch: pytest.MonkeyPatch) -> CpuTarget:
    """The real CPU with a cache of 512 KiB and sizes up to 2 MiB."""
    target = CpuTarget()
    target.cache_bytes = 512 * KIB
    monkeypatch.setattr(sweep, "LARGEST_BYTES", 2 * MIB)
    monkeypatch.setattr(sweep, "PASSES_BELOW_BYTES", {"cpu": MIB})
    monkeypatch.setattr(sweep, "SQUARES", (8, 16, 32, 48))
    return target


def working_set(work: Work) -> int:
    return work.bytes // work.shape.get("passes", 1)


@pytest.mark.parametrize("spec", [ADD, READ], ids=lambda s: s.key)
def test_a_sweep_over_bytes_rises_through_the_caches_size(cpu: CpuTarget, spec: Any) -> None:
    points = list(over_bytes(cpu, spec))
    asked = sweep_bytes(cpu.cache_bytes, sweep.SMALLEST_BYTES, sweep.LARGEST_BYTES)
    sizes = [working_set(work) for work, _ in points]
    assert len(sizes) == len(asked) <= sweep.MOST_SIZES
    assert sizes == sorted(sizes)
    for size, wanted in zip(sizes, asked, strict=True):
        # Two tensors are each rounded down to a grain; a read also writes an element a row.
        assert wanted - 2 * sweep.GRAIN_BYTES < size <= wanted * (1 + 1 / streams.COLUMNS)
    for work, timed in points:
        assert work.op == spec.op
        assert len(timed.times_s) == sweep.REPEATS["cpu"]
        assert len(timed.warmup_times_s) == sweep.WARM
        assert min(timed.times_s) > 0
        assert timed.begin_s <= timed.end_s
        assert (timed.timing, timed.stop) == ("host", "protocol")


def test_a_small_set_is_read_several_times_in_one_launch_and_a_large_one_once(
    cpu: CpuTarget,
) -> None:
    passes = {working_set(work): work.shape["passes"] for work, _ in over_bytes(cpu, READ)}
    assert {p for size, p in passes.items() if size < MIB - sweep.GRAIN_BYTES} == {sweep.PASSES}
    assert {p for size, p in passes.items() if size > MIB} == {1}


def test_the_sweeps_launches_compute_the_right_thing_on_their_part(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    launches: list[Launch] = []

    def kept(launch: Launch) -> Played:
        launches.append(launch)
        return Played(1e-3)

    monkeypatch.setattr(cpu, "timer_for", kept)
    drawn: list[Any] = []
    real = streams.random_normal

    def draw(*arguments: Any) -> Any:
        drawn.append(real(*arguments))
        return drawn[-1]

    monkeypatch.setattr(streams, "random_normal", draw)
    added = list(over_bytes(cpu, ADD))
    for (work, _), launch in zip(added, launches, strict=True):
        y: Any = launch()
        assert torch.equal(y, drawn[0][: work.shape["elements"]] + 1)
        assert 2 * y.numel() * y.element_size() == work.bytes
    launches.clear()
    read = list(over_bytes(cpu, READ))
    for (work, _), launch in zip(read, launches, strict=True):
        sums: Any = launch()
        rows = work.shape["rows"]
        assert sums.shape == (work.shape["passes"], rows)
        right = drawn[1][: rows * streams.COLUMNS].view(rows, streams.COLUMNS).sum(1)
        torch.testing.assert_close(sums[-1], right, rtol=1e-4, atol=1e-2)


def test_a_sweep_over_bytes_takes_half_of_what_is_free(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cpu, "free_bytes", lambda: 2 * MIB)
    assert max(working_set(work) for work, _ in over_bytes(cpu, ADD)) == MIB


def test_half_a_second_a_launch_ends_a_sweep_over_bytes(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = iter([Played(0.1), Played(0.5), Played(0.51), Played(0.1)])
    monkeypatch.setattr(cpu, "timer_for", lambda launch: next(timers))
    points = list(over_bytes(cpu, ADD))
    assert [timed.times_s[0] for _, timed in points] == [0.1, 0.5]
    assert next(timers).counts == []  # what comes behind it is not tried


def test_one_slow_first_launch_does_not_end_it(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    timer = Played(2.0, 0.01)
    monkeypatch.setattr(cpu, "timer_for", lambda launch: timer)
    assert len(list(over_bytes(cpu, ADD))) > 2


def test_a_launch_that_takes_too_long_is_not_repeated(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    timer = Played(0.6)
    monkeypatch.setattr(cpu, "timer_for", lambda launch: timer)
    assert list(over_bytes(cpu, ADD)) == []
    assert timer.counts == [sweep.WARM]


def test_a_sweep_over_squares_rises(cpu: CpuTarget) -> None:
    points = list(over_squares(cpu, SQUARES, "nn", no_rest, nameless))
    assert [work.shape["n"] for work, _, _ in points] == list(sweep.SQUARES)
    for work, timed, _ in points:
        assert work.shape["m"] == work.shape["n"] == work.shape["k"]
        assert work.flop == 2 * work.shape["n"] ** 3
        assert work.bytes == 3 * 4 * work.shape["n"] ** 2
        assert len(timed.times_s) == sweep.REPEATS["cpu"]


@pytest.mark.parametrize("layout", ["nn", "nt"])
def test_squares_take_the_layout_that_won(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch, layout: str
) -> None:
    seen: set[str] = set()
    real = operands.prepare

    def kept(spec: Any, shape: Any, layout: str, device: Any) -> Launch:
        seen.add(layout)
        return real(spec, shape, layout, device)

    monkeypatch.setattr(operands, "prepare", kept)
    assert list(over_squares(cpu, SQUARES, layout, no_rest, nameless))
    assert seen == {layout}


def test_squares_end_where_memory_does(cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cpu, "free_bytes", lambda: 3 * 4 * 32**2)
    points = over_squares(cpu, SQUARES, "nn", no_rest, nameless)
    assert [work.shape["n"] for work, _, _ in points] == [8, 16, 32]


def test_half_a_second_a_launch_ends_the_squares(
    cpu: CpuTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers = iter([Played(0.1), Played(0.5), Played(0.51), Played(0.1)])
    monkeypatch.setattr(cpu, "timer_for", lambda launch: next(timers))
    points = over_squares(cpu, SQUARES, "nn", no_rest, nameless)
    assert [work.shape["n"] for work, _, _ in points] == [8, 16]


def card(timers: Iterator[Played]) -> Any:
    """A pretended card: its tensors are the CPU's, its times are played."""
    return SimpleNamespace(
        kind="cuda",
        torch_device=torch.device("cpu"),
        free_bytes=lambda: 1 << 30,
        timer_for=lambda launch: next(timers),
        timer=lambda: Played(2e-3),
    )


@pytest.mark.usefixtures("cpu")
def test_on_a_card_large_squares_start_rested_and_small_ones_repeat_at_once() -> None:
    rests: list[float] = []
    short, long = sweep.REST_ABOVE_S, 1.01 * sweep.REST_ABOVE_S
    target = card(iter([Played(short), Played(short), Played(long), Played(long)]))
    points = list(over_squares(target, SQUARES, "nn", rests.append, nameless))
    assert rests == [0.7, 0.7]
    counts = [len(timed.times_s) for _, timed, _ in points]
    assert counts == [sweep.REPEATS["cuda"]] * 2 + [round(BURST_S / 2e-3)] * 2
