"""Copies over links as far as they can be seen without a card: blocks, sizes, refusals, memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import memcpy, peers, transfers, worker  # noqa: E402
from roofwatch.probes.device import CpuTarget  # noqa: E402
from roofwatch.probes.place import Place  # noqa: E402
from roofwatch.probes.timing import Launch  # noqa: E402
from roofwatch.roofline.probe_spec import PAGEABLE, PINNED, link_group_spec  # noqa: E402
from roofwatch.roofline.suite import LINKS, suite  # noqa: E402
from roofwatch.session.events import End, Measurement, Note  # noqa: E402


class Clockwork:
    """A timer by which every launch takes ``each_s``; ``asked`` are the counts."""

    def __init__(self, each_s: float, calls: int = 1) -> None:
        self.name = "event" if calls == 1 else "event-many"
        self.calls = calls
        self.each_s = each_s
        self.asked: list[int] = []

    def times(self, launch: Launch, count: int) -> list[float]:
        self.asked.append(count)
        return [self.each_s] * count

    def each(self, launches: Sequence[Launch]) -> list[float]:
        return [self.each_s for _ in launches]


def ticking(step_s: float) -> Callable[[], float]:
    now = [0.0]

    def read() -> float:
        now[0] += step_s
        return now[0]

    return read


def test_a_held_copy_lasts_its_second_and_tells_how_far_it_is() -> None:
    timer = Clockwork(5e-3)
    shares: list[float] = []
    timed = transfers.back_to_back(timer, lambda: None, 1.0, shares.append, ticking(0.05))
    assert timer.asked[0] == transfers.LEAST_REPEATS
    assert set(timer.asked[1:]) == {10}  # 50 ms of them a block
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < 0.2
    assert len(timed.times_s) == 10 * len(shares)
    assert (timed.stop, timed.timing) == ("protocol", "event")


@pytest.mark.parametrize(
    ("each_s", "calls", "repeats"),
    [(2e-6, 64, 15), (2e-4, 5, 15), (5e-3, 1, 15), (20e-3, 1, 7), (0.3, 1, 5)],
)
def test_short_copies_share_two_events_and_long_ones_are_few(
    each_s: float, calls: int, repeats: int
) -> None:
    made: list[Clockwork] = []

    def timer_of(calls: int) -> Clockwork:
        made.append(Clockwork(each_s, calls))
        return made[-1]

    timed = transfers.by_size(timer_of, lambda: None)
    assert (made[-1].calls, made[-1].asked[-1]) == (calls, repeats)
    assert len(timed.times_s) == repeats


def test_memory_that_cannot_be_pinned_is_said_without_blaming_the_context(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise RuntimeError("CUDA error: operation not permitted\nCompile with ...")

    monkeypatch.setattr(torch, "empty", refuse)
    with pytest.raises(transfers.NotPinned) as refused:
        transfers.on_host(1024, PINNED)
    assert str(refused.value) == "host memory cannot be pinned: operation not permitted"
    assert not any(sign in str(refused.value) for sign in worker.CUDA_GONE)
    with pytest.raises(RuntimeError, match="CUDA error"):
        transfers.on_host(1024, PAGEABLE)


def test_the_host_copies_by_one_thread_and_by_all(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memcpy, "SIZES", (1 << 16, 1 << 18))
    monkeypatch.setattr(memcpy, "REPEATS", 5)
    before = torch.get_num_threads()
    place = Place(
        target=CpuTarget(), clock=None, shapes={}, peaks_tflops={}, rest=lambda seconds: None
    )
    found = list(memcpy.points(link_group_spec("memcpy"), place, lambda share: None))
    ways = ["one thread"] + (["all threads"] if before > 1 else [])
    assert [(p.variant, p.work.shape["bytes"]) for p in found] == [
        (way, size) for way in ways for size in (1 << 16, 1 << 18)
    ]
    assert all(p.work.bytes == 2 * p.work.shape["bytes"] for p in found)
    assert torch.get_num_threads() == before


def test_on_a_cpu_everything_but_the_hosts_memory_is_left_out_with_a_note(
    monkeypatch: pytest.MonkeyPatch, instrument: Any
) -> None:
    monkeypatch.setattr(worker, "LAST_SAMPLE_S", 0.0)
    monkeypatch.setattr(memcpy, "SIZES", (1 << 16,))
    code = worker.Worker(instrument, CpuTarget(), 1, threading.Event()).run(suite(LINKS, "cpu"))
    assert code == 0
    notes = {n.probe: n.text for n in instrument.of(Note)}
    assert set(notes.values()) == {transfers.NO_CARD}
    assert notes.keys() == {s.key for s in suite(LINKS, "cpu")} - {"memcpy"}
    assert {m.probe for m in instrument.of(Measurement)} == {"memcpy"}
    assert instrument.of(End)[0].complete


def test_one_card_has_no_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnCard:
        kind = "cuda"

    card: Any = OnCard()
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    assert peers.cannot(card) == peers.ONE_CARD
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    assert peers.cannot(card) is None
    assert peers.cannot(CpuTarget()) == transfers.NO_CARD


def test_both_ways_are_many_copies_between_two_waits() -> None:
    waits, launches = [0], [0]

    def wait() -> None:
        waits[0] += 1

    def enqueue() -> None:
        launches[0] += 1

    timed = peers.timed_by_host(enqueue, wait)
    assert len(timed.times_s) == peers.BOTH_REPEATS
    assert waits[0] == 2 * (peers.BOTH_REPEATS + 3)
    assert launches[0] == 3 + peers.BOTH_REPEATS * peers.MOST_BOTH
    assert timed.timing == "host"
