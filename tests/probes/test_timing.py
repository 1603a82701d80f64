"""The two protocols and the adaptive stop, on a timer that only pretends to wait."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import pytest

from roofwatch.probes.timing import BURST_S, LOAD_LAUNCHES, Launch, burst, steady
from roofwatch.roofline.statistics import median


class Pretend:
    """Launches take the next times of a list; the clock moves by them."""

    name = "event"

    def __init__(self, times: Iterator[float]) -> None:
        self._times = times
        self.now = 0.0
        self.launched = 0

    def times(self, launch: Launch, count: int) -> list[float]:
        out = []
        for _ in range(count):
            launch()
            out.append(next(self._times))
        self.launched += count
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
    timed = steady(timer, nothing, clock=timer.clock)
    assert timed.stop == "iqr"
    assert len(timed.times_s) >= 20
    assert sum(timed.warmup_times_s) >= 0.3


def test_a_stream_that_starts_low_is_warmed_until_stable() -> None:
    times = itertools.chain([1.1e-3] * 200, itertools.repeat(1e-3))
    timer = Pretend(times)
    timed = steady(timer, nothing, clock=timer.clock)
    assert median(timed.times_s) == 1e-3
    assert 1.1e-3 in timed.warmup_times_s


def test_a_wild_stream_stops_by_time_and_says_so() -> None:
    timer = Pretend(itertools.cycle([1e-3, 2e-3, 4e-3]))
    timed = steady(timer, nothing, clock=timer.clock, cap_s=0.2)
    assert timed.stop == "time-cap"


def test_many_noisy_repetitions_stop_by_the_error_of_the_median() -> None:
    timer = Pretend(itertools.cycle([1.00e-3, 1.01e-3, 0.99e-3, 1.02e-3, 0.98e-3]))
    timed = steady(timer, nothing, clock=timer.clock, cap_s=5.0)
    assert timed.stop == "standard-error"


@pytest.mark.parametrize("seconds", [0.4, 2.0])
def test_three_repetitions_at_the_very_least(seconds: float) -> None:
    timer = Pretend(itertools.cycle([seconds, 1.5 * seconds]))
    timed = steady(timer, nothing, clock=timer.clock, cap_s=0.1, min_count=5)
    assert len(timed.times_s) >= 3


def test_progress_only_grows_to_one() -> None:
    heard: list[float] = []
    timer = Pretend(itertools.repeat(1e-3))
    steady(timer, nothing, clock=timer.clock, report=heard.append)
    assert all(0 <= p <= 1 for p in heard)
    assert heard == sorted(heard)
