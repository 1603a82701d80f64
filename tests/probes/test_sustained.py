"""How a sustained run goes, and how it becomes repetitions."""

from __future__ import annotations

import itertools
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from roofwatch.probes import sustained  # noqa: E402
from roofwatch.probes.sustained import (  # noqa: E402
    AHEAD_S,
    BLOCK_S,
    Chunk,
    launches_cpu,
    launches_cuda,
    settle,
)
from roofwatch.probes.timing import CLOCK_EVERY_S, ClockReading, Launch  # noqa: E402
from roofwatch.roofline.statistics import median  # noqa: E402


def chunked(t0_s: float, times: list[float], size: int = 250, gap_s: float = 0.0) -> list[Chunk]:
    """Chunks of ``size`` launches, ``gap_s`` of clock readings before each but the first."""
    chunks = []
    for i in range(0, len(times), size):
        part = times[i : i + size]
        chunks.append(Chunk(t0_s=t0_s, times_s=part, clock=[ClockReading(t0_s, 1980.0 - i)]))
        t0_s += sum(part) + gap_s
    return chunks


def test_the_window_leaves_the_fall_out() -> None:
    times = [1e-3] * 40 + [1.2e-3] * 3000
    timed = settle(chunked(100.0, times), "event")
    assert median(timed.times_s) == pytest.approx(1.2e-3)
    assert timed.begin_s == pytest.approx(102.04, abs=0.002)
    assert timed.end_s == pytest.approx(100 + sum(times))
    assert len(timed.times_s) >= 10
    assert (timed.stop, timed.timing) == ("protocol", "event")


def test_a_repetition_is_the_mean_of_a_tenth_of_a_second() -> None:
    times = [1e-3, 3e-3] * 1000
    timed = settle(chunked(0.0, times), "event")
    assert timed.times_s == pytest.approx([2e-3] * len(timed.times_s), rel=0.02)
    assert len(timed.times_s) == pytest.approx((timed.end_s - timed.begin_s) / BLOCK_S, abs=1)


def test_how_launches_were_chunked_changes_nothing() -> None:
    times = [1e-3] * 40 + [1.2e-3, 1.3e-3] * 1500
    one, many = settle(chunked(5.0, times, len(times)), "event"), settle(chunked(5.0, times), "x")
    assert one.times_s == pytest.approx(many.times_s)
    assert one.begin_s == pytest.approx(many.begin_s)


def test_what_lies_between_chunks_stands_in_no_repetition() -> None:
    timed = settle(chunked(0.0, [1e-3] * 5000, gap_s=2e-3), "event")
    assert timed.times_s == pytest.approx([1e-3] * len(timed.times_s))
    assert timed.end_s == pytest.approx(5.0 + 19 * 2e-3)


def test_only_the_windows_clock_readings_are_kept() -> None:
    chunks = chunked(100.0, [1e-3] * 4000)
    timed = settle(chunks, "event")
    assert timed.begin_s == pytest.approx(102.0, abs=0.002)
    assert timed.clock == [c.clock[0] for c in chunks if c.t0_s >= timed.begin_s]
    assert 0 < len(timed.clock) < len(chunks)


def test_a_slow_device_repeats_by_launch() -> None:
    timed = settle([Chunk(t0_s=0.0, times_s=[0.5] * 6)], "host")
    assert len(timed.times_s) >= 3
    assert set(timed.times_s) == {0.5}


def test_three_launches_in_all_are_three_repetitions() -> None:
    timed = settle([Chunk(t0_s=7.0, times_s=[2.0, 3.0, 4.0])], "host")
    assert timed.times_s == [2.0, 3.0, 4.0]
    assert timed.end_s == 16.0


class Steps:
    """A clock that moves by what a launch takes, for loops that ask for the time."""

    def __init__(self) -> None:
        self.now = 50.0
        self.launched = 0

    def launch(self, seconds: float) -> Launch:
        def run() -> None:
            self.now += seconds
            self.launched += 1

        return run

    def clock(self) -> float:
        return self.now


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """The time that the loops of a sustained run see."""
    clock = Steps()
    monkeypatch.setattr(sustained, "time", SimpleNamespace(monotonic=clock.clock))
    return clock


def test_cpu_launches_come_in_chunks_that_follow_each_other(steps: Steps) -> None:
    chunks = list(launches_cpu(steps.launch(0.02), 1.0, lambda: False))
    assert len(chunks) == 4
    assert chunks[0].t0_s == 50.0
    for a, b in itertools.pairwise(chunks):
        assert a.t0_s + sum(a.times_s) == pytest.approx(b.t0_s)
    times = [t for c in chunks for t in c.times_s]
    assert len(times) == steps.launched
    assert times == pytest.approx([0.02] * len(times))
    assert sum(times) == pytest.approx(1.0, abs=0.021)


def test_the_real_clock_runs_through_the_same_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sustained, "CHUNK_S", 0.02)
    chunks = list(launches_cpu(lambda: sum(range(20000)), 0.1, lambda: False))
    assert len(chunks) >= 2
    for a, b in itertools.pairwise(chunks):
        assert a.t0_s + sum(a.times_s) == pytest.approx(b.t0_s, abs=1e-6)


def test_a_stop_is_heard_between_launches(steps: Steps) -> None:
    assert list(launches_cpu(steps.launch(0.02), 5.0, lambda: True)) == []
    assert steps.launched == 0
    (chunk,) = launches_cpu(steps.launch(0.02), 5.0, lambda: steps.launched == 3)
    assert len(chunk.times_s) == steps.launched == 3


class Card(Steps):
    """A card that runs a launch the moment it is queued, and events that see its time."""

    def event(self, enable_timing: bool) -> Event:
        assert enable_timing
        return Event(self)


class Event:
    def __init__(self, card: Card) -> None:
        self._card = card
        self.at_s = 0.0

    def record(self) -> None:
        self.at_s = self._card.now

    def synchronize(self) -> None:
        pass

    def elapsed_time(self, other: Event) -> float:
        return (other.at_s - self.at_s) * 1e3


LEAD_S, READ_S = 8e-6, 32e-6


class Reader:
    """Reads a clock of 1980 MHz, and the lead's time as no clock at all."""

    def __init__(self, card: Card) -> None:
        self.lead: Launch = card.launch(LEAD_S)
        self.launch: Launch = card.launch(READ_S)

    def mhz(self, seconds: float) -> float | None:
        assert seconds == pytest.approx(READ_S, rel=1e-3)
        return 1980.0


@pytest.fixture
def card(monkeypatch: pytest.MonkeyPatch) -> Card:
    """A pretended card behind torch's events."""
    pretended = Card()
    monkeypatch.setattr(sustained, "time", SimpleNamespace(monotonic=pretended.clock))
    monkeypatch.setattr(torch.cuda, "Event", pretended.event)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    return pretended


def test_every_launch_of_a_card_is_accounted_for_without_the_readings(card: Card) -> None:
    clock = Reader(card)
    chunks = list(launches_cuda(card.launch(1e-3), 1.0, 1e-3, clock, lambda: False))
    times = [t for c in chunks for t in c.times_s]
    readings = [r for c in chunks for r in c.clock]
    assert times == pytest.approx([1e-3] * len(times))
    assert len(times) + 2 * len(readings) == card.launched
    assert sum(times) == pytest.approx(1.0, abs=0.02)
    assert len(chunks) >= 3


def test_a_held_cards_clock_is_read_every_5_ms(card: Card) -> None:
    chunks = list(launches_cuda(card.launch(1e-3), 1.0, 1e-3, Reader(card), lambda: False))
    moments = [r.t_s for c in chunks for r in c.clock]
    apart = [b - a for a, b in itertools.pairwise(moments)]
    assert min(apart) >= CLOCK_EVERY_S
    assert max(apart) <= CLOCK_EVERY_S + 1e-3 + LEAD_S + READ_S + 1e-6
    assert moments[0] <= 50.0 + CLOCK_EVERY_S + 1e-3


def test_a_cards_chunks_follow_each_other_but_for_the_readings(card: Card) -> None:
    chunks = list(launches_cuda(card.launch(1e-3), 1.0, 1e-3, Reader(card), lambda: False))
    for a, b in itertools.pairwise(chunks):
        gap = b.t0_s - a.t0_s - sum(a.times_s)
        assert gap == pytest.approx(len(a.clock) * (LEAD_S + READ_S), abs=LEAD_S + READ_S + 1e-7)
        assert all(a.t0_s <= r.t_s <= b.t0_s for r in a.clock)


def test_without_a_clock_a_card_runs_nothing_else(card: Card) -> None:
    chunks = list(launches_cuda(card.launch(1e-3), 0.5, 1e-3, None, lambda: False))
    assert sum(len(c.times_s) for c in chunks) == card.launched
    assert not [r for c in chunks for r in c.clock]


def test_a_stopped_card_finishes_what_was_queued_and_no_more(card: Card) -> None:
    work = card.launch(1e-3)
    chunks = list(launches_cuda(work, 60.0, 1e-3, None, lambda: card.launched >= 100))
    assert sum(len(c.times_s) for c in chunks) == card.launched
    assert card.launched <= 100 + AHEAD_S / 1e-3
