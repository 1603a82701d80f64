"""The two protocols and the adaptive stop, on a timer that only pretends to wait."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from types import SimpleNamespace

import pytest

from roofwatch.probes import timing
from roofwatch.probes.timing import (
    BURST_S,
    CLOCK_EVERY_S,
    LOAD_LAUNCHES,
    Launch,
    Timed,
    Timer,
    burst,
    steady,
    with_clock,
)
from roofwatch.roofline.statistics import median


class Pretend:
    """Launches take the next times of a list; the clock moves by them."""

    name = "event"
    calls = 1

    def __init__(self, times: Iterator[float]) -> None:
        self._times = times
        self.now = 0.0
        self.launched = 0

    def times(self, launch: Launch, count: int) -> list[float]:
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        out = []
        for launch in launches:
            launch()
            out.append(next(self._times))
        self.launched += len(launches)
        self.now += sum(out)
        return out

    def clock(self) -> float:
        return self.now


def nothing() -> None:
    pass


def test_a_burst_rests_then_takes_at_most_20_ms() -> None:
    rests: list[float] = []
    timer = Pretend(itertools.repeat(1e-3))
    (timed,) = burst(timer, [nothing], sleep=rests.append)
    assert rests == [0.7]
    assert len(timed.times_s) == 20
    assert sum(timed.times_s) <= BURST_S * 1.001
    assert len(timed.warmup_times_s) == LOAD_LAUNCHES
    assert timed.stop == "protocol"


def test_a_slow_launch_still_repeats_three_times() -> None:
    (timed,) = burst(Pretend(itertools.repeat(0.05)), [nothing], sleep=lambda _: None)
    assert len(timed.times_s) == 3


def test_finalists_take_turns() -> None:
    order: list[str] = []
    launches = [lambda: order.append("a"), lambda: order.append("b")]
    timed = burst(Pretend(itertools.cycle([1e-3, 2e-3])), launches, sleep=lambda _: None)
    after = order[2 * LOAD_LAUNCHES :]
    assert after[:4] == ["a", "b", "a", "b"]
    # The pretended times alternate as the launches do, from wherever loading them left off.
    assert len(timed) == 2
    assert {median(t.times_s) for t in timed} == {1e-3, 2e-3}


def test_a_level_stream_stops_by_its_spread() -> None:
    timer = Pretend(itertools.repeat(1e-3))
    timed = steady(timer, nothing, now=timer.clock)
    assert timed.stop == "iqr"
    assert len(timed.times_s) >= 20
    assert sum(timed.warmup_times_s) >= 0.3


def test_a_stream_that_starts_low_is_warmed_until_stable() -> None:
    times = itertools.chain([1.1e-3] * 200, itertools.repeat(1e-3))
    timer = Pretend(times)
    timed = steady(timer, nothing, now=timer.clock)
    assert median(timed.times_s) == 1e-3
    assert 1.1e-3 in timed.warmup_times_s


def test_a_wild_stream_stops_by_time_and_says_so() -> None:
    timer = Pretend(itertools.cycle([1e-3, 2e-3, 4e-3]))
    timed = steady(timer, nothing, now=timer.clock, cap_s=0.2)
    assert timed.stop == "time-cap"


def test_many_noisy_repetitions_stop_by_the_error_of_the_median() -> None:
    timer = Pretend(itertools.cycle([1.00e-3, 1.01e-3, 0.99e-3, 1.02e-3, 0.98e-3]))
    timed = steady(timer, nothing, now=timer.clock, cap_s=5.0)
    assert timed.stop == "standard-error"


@pytest.mark.parametrize("seconds", [0.4, 2.0])
def test_three_repetitions_at_the_very_least(seconds: float) -> None:
    timer = Pretend(itertools.cycle([seconds, 1.5 * seconds]))
    timed = steady(timer, nothing, now=timer.clock, cap_s=0.1, min_count=5)
    assert len(timed.times_s) >= 3


def test_a_repetition_of_many_launches_counts_as_long_as_it_lasts() -> None:
    timer = Pretend(itertools.repeat(1e-6))  # the mean of a thousand launches
    timer.calls = 1000
    steady(timer, nothing, now=lambda: 1e3 * timer.now)
    assert timer.launched < 2000  # fifty a block, not fifty thousand


def test_progress_only_grows_to_one() -> None:
    heard: list[float] = []
    timer = Pretend(itertools.repeat(1e-3))
    steady(timer, nothing, now=timer.clock, report=heard.append)
    assert all(0 <= p <= 1 for p in heard)
    assert heard == sorted(heard)


class Played:
    """A device on which each launch takes a time of its own; ``log`` is what it ran."""

    name = "event"
    calls = 1

    def __init__(self) -> None:
        self.log: list[str] = []
        self.now = 1000.0  # a monotonic clock begins anywhere
        self._last_s = 0.0

    def launch(self, name: str, *seconds: float) -> Launch:
        turns = itertools.cycle(seconds)

        def run() -> None:
            self.log.append(name)
            self._last_s = next(turns)

        return run

    def times(self, launch: Launch, count: int) -> list[float]:
        return self.each([launch] * count)

    def each(self, launches: Sequence[Launch]) -> list[float]:
        out = []
        for launch in launches:
            launch()
            out.append(self._last_s)
        self.now += sum(out)
        return out

    def clock(self) -> float:
        return self.now


LEAD_S, READ_S = 8e-6, 32e-6


class Reader:
    """A clock whose reading is the time it took, in MHz of its own making."""

    def __init__(self, device: Played, mhz: float | None = 1980.0) -> None:
        self.lead: Launch = device.launch("lead", LEAD_S)
        self.launch: Launch = device.launch("read", READ_S)
        self.seen: list[float] = []
        self._mhz = mhz

    def mhz(self, seconds: float) -> float | None:
        self.seen.append(seconds)
        return self._mhz


def test_the_clock_is_read_before_the_first_launch_every_5_ms_and_after_the_last() -> None:
    device = Played()
    work = device.launch("work", 2.5e-3)
    times, readings = with_clock(device, [work] * 6, 2.5e-3, Reader(device))
    two = ["lead", "read", "work", "work"]
    assert device.log == [*two, *two, *two, "lead", "read"]
    assert times == [2.5e-3] * 6
    assert len(readings) == 4


def test_a_launch_longer_than_5_ms_has_a_reading_on_either_side() -> None:
    device = Played()
    work = device.launch("work", 3 * CLOCK_EVERY_S)
    with_clock(device, [work] * 3, 3 * CLOCK_EVERY_S, Reader(device))
    assert device.log == ["lead", "read", "work"] * 3 + ["lead", "read"]


def test_only_the_reading_is_read_and_never_the_lead() -> None:
    device = Played()
    reader = Reader(device)
    with_clock(device, [device.launch("work", 1e-3)] * 40, 1e-3, reader)
    assert set(reader.seen) == {READ_S}
    assert len(reader.seen) == device.log.count("read") == device.log.count("lead")


def test_readings_stand_in_no_launchs_time_and_know_their_moment() -> None:
    device = Played()
    a, b = device.launch("a", 3e-3), device.launch("b", 4e-3)
    times, readings = with_clock(device, [a, b] * 2, 3.5e-3, Reader(device))
    assert times == [3e-3, 4e-3, 3e-3, 4e-3]
    assert device.log == ["lead", "read", "a", "b"] * 2 + ["lead", "read"]
    both = LEAD_S + READ_S
    moments = [LEAD_S, LEAD_S + both + 7e-3, LEAD_S + 2 * (both + 7e-3)]
    assert [r.t_s for r in readings] == pytest.approx(moments)
    assert {r.mhz for r in readings} == {1980.0}


def test_a_reading_that_is_no_clock_is_left_out_and_the_times_stay() -> None:
    device = Played()
    work = device.launch("work", 1e-3)
    times, readings = with_clock(device, [work] * 20, 1e-3, Reader(device, mhz=None))
    assert times == [1e-3] * 20
    assert readings == []


def test_without_a_clock_nothing_else_is_launched() -> None:
    device = Played()
    work = device.launch("work", 1e-3)
    assert with_clock(device, [work] * 3, 1e-3, None) == ([1e-3] * 3, [])
    assert device.log == ["work"] * 3


def test_a_burst_hands_its_readings_to_every_finalist(monkeypatch: pytest.MonkeyPatch) -> None:
    device = Played()
    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=device.clock))
    fast, slow = device.launch("fast", 1e-3), device.launch("slow", 2e-3)
    timed = burst(device, [fast, slow], clock=Reader(device), sleep=lambda _: None)
    assert device.log[: 2 * LOAD_LAUNCHES] == ["fast"] * LOAD_LAUNCHES + ["slow"] * LOAD_LAUNCHES
    assert [set(t.times_s) for t in timed] == [{1e-3}, {2e-3}]
    assert timed[0].clock == timed[1].clock
    within(timed[0])


def within(timed: Timed) -> None:
    """The readings rise from just behind the beginning to just before the end."""
    moments = [r.t_s for r in timed.clock]
    assert len(moments) >= 3
    assert moments == sorted(moments)
    assert moments[0] == pytest.approx(timed.begin_s + LEAD_S)
    assert moments[-1] == pytest.approx(timed.end_s - READ_S)


def test_a_steady_streams_readings_come_from_its_timed_blocks_alone() -> None:
    device = Played()
    reader = Reader(device)
    timed = steady(device, device.launch("work", 1e-3), clock=reader, now=device.clock)
    assert device.log.index("lead") == len(timed.warmup_times_s)
    assert set(timed.times_s) == {1e-3}
    assert len(timed.times_s) == device.log.count("work") - len(timed.warmup_times_s)
    assert len(timed.clock) == len(reader.seen)
    within(timed)


def test_readings_of_later_blocks_begin_where_the_block_began() -> None:
    device = Played()
    wild = device.launch("work", 1e-3, 2e-3, 4e-3)
    timed = steady(device, wild, clock=Reader(device), now=device.clock, cap_s=0.3)
    assert timed.stop == "time-cap"
    moments = [r.t_s for r in timed.clock]
    assert moments[-1] > timed.begin_s + 0.2  # in a block behind the first
    within(timed)


def test_a_pretended_timer_is_a_timer() -> None:
    timers: list[Timer] = [Pretend(itertools.repeat(1e-3)), Played()]
    for timer in timers:
        assert timer.times(nothing, 3) == timer.each([nothing] * 3)
