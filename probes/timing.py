"""How repetitions are timed and when they are enough. No torch here: a timer brings its own clock.

Two protocols, never mixed (they answer different questions): *burst*, a rested card for at most
20 ms, and *sustained*, wall-clock seconds under load. Streams warm up until stable instead.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Protocol

import msgspec

from roofwatch.roofline.statistics import median, median_error, spread

Launch = Callable[[], object]
Report = Callable[[float], None]
"""Hears how far a measurement has come, 0 to 1."""

REST_S = 0.7
BURST_S = 0.020
LOAD_LAUNCHES = 3
MIN_LAUNCHES = 3
MOST_LAUNCHES = 64
BLOCK_S = 0.050
STABLE = 0.005  # successive blocks this close are stable
SPREAD = 0.01
ERROR = 0.003
CLOCK_EVERY_S = 0.005
GRAPH_BELOW_S = 100e-6  # an event pair costs 15-25 us: shorter launches are timed in a graph


class Cancelled(Exception):
    """The parent asked to stop."""


class Timer(Protocol):
    """Times launches on one device."""

    name: str  # "event" | "graph" | "host"
    calls: int  # launches in one repetition, whose time is their mean

    def times(self, launch: Launch, count: int) -> list[float]:
        """Seconds of each of ``count`` launches, enqueued back to back, one wait at the end."""
        ...

    def each(self, launches: Sequence[Launch]) -> list[float]:
        """The same for launches that differ."""
        ...


class Clock(Protocol):
    """Reads the device's clock by a launch of its own, with another before it that is discarded."""

    lead: Launch
    launch: Launch

    def mhz(self, seconds: float) -> float | None:
        """The clock, from how long the launch took."""
        ...


class ClockReading(msgspec.Struct, frozen=True):
    """The device's clock at ``t_s``: seconds after the first launch, or on the monotonic clock."""

    t_s: float
    mhz: float


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """Repetitions in seconds, when they ran on the monotonic clock, and why they stopped."""

    times_s: list[float]
    stop: str
    timing: str
    begin_s: float
    end_s: float
    warmup_times_s: list[float] = []
    clock: list[ClockReading] = []  # on the monotonic clock


def with_clock(
    timer: Timer, launches: Sequence[Launch], expect_s: float, clock: Clock | None
) -> tuple[list[float], list[ClockReading]]:
    """Times of ``launches``, with the clock read before the first and every 5 ms between them.

    A reading has its own pair of events, so it stands in no launch's time.
    """
    if clock is None:
        return timer.each(launches), []
    plan: list[Launch] = []
    since_s = CLOCK_EVERY_S
    for launch in launches:
        if since_s >= CLOCK_EVERY_S:
            plan += [clock.lead, clock.launch]
            since_s = 0.0
        plan.append(launch)
        since_s += expect_s
    plan += [clock.lead, clock.launch]
    times: list[float] = []
    readings: list[ClockReading] = []
    t_s = 0.0
    for what, time_s in zip(plan, timer.each(plan), strict=True):
        if what is clock.launch:
            if (mhz := clock.mhz(time_s)) is not None:
                readings.append(ClockReading(t_s, mhz))
        elif what is not clock.lead:
            times.append(time_s)
        t_s += time_s
    return times, readings


def repeated(
    timer: Timer, launch: Launch, count: int, warmup: list[float], calls: int = 1
) -> Timed:
    """``count`` repetitions behind a warm-up; ``calls`` in one launch share its time."""
    begin = time.monotonic()
    times = timer.times(launch, count)
    return Timed(
        times_s=[t / calls for t in times],
        stop="protocol",
        timing=timer.name,
        begin_s=begin,
        end_s=time.monotonic(),
        warmup_times_s=[t / calls for t in warmup],
    )


def one_by_one(
    once: Callable[[], float],
    timing: str,
    count: int,
    warmup: list[float],
    report: Report = lambda _: None,
) -> Timed:
    """``count`` repetitions that each tell their own seconds, behind a warm-up that was taken."""
    begin = time.monotonic()
    times = []
    for i in range(count):
        times.append(once())
        report((i + 1) / count)
    return Timed(
        times_s=times,
        stop="protocol",
        timing=timing,
        begin_s=begin,
        end_s=time.monotonic(),
        warmup_times_s=warmup,
    )


def burst(
    timer: Timer,
    finalists: Sequence[Launch],
    *,
    rest_s: float = REST_S,
    cap_s: float = BURST_S,
    clock: Clock | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> list[Timed]:
    """Load the kernels, rest the card's power budget, then time at most ``cap_s`` of launches.

    Several finalists take turns launch by launch, so that all see the same clock; at least three
    launches each. One Timed a finalist, in their order.
    """
    warmups = [timer.times(launch, LOAD_LAUNCHES) for launch in finalists]
    sleep(rest_s)
    round_s = sum(median(times) for times in warmups)
    rounds = max(MIN_LAUNCHES, min(MOST_LAUNCHES, int(cap_s / round_s)))
    turns = list(finalists) * rounds
    begin = time.monotonic()
    times, readings = with_clock(timer, turns, round_s / len(finalists), clock)
    end = time.monotonic()
    return [
        Timed(
            times_s=times[i :: len(finalists)],
            stop="protocol",
            timing=timer.name,
            begin_s=begin,
            end_s=end,
            warmup_times_s=warmup,
            clock=[ClockReading(begin + r.t_s, r.mhz) for r in readings],
        )
        for i, warmup in enumerate(warmups)
    ]


def steady(
    timer: Timer,
    launch: Launch,
    *,
    warm_s: float = 0.3,
    warm_cap_s: float = 1.0,
    min_count: int = 20,
    cap_s: float = 0.6,
    clock: Clock | None = None,
    report: Report = lambda _: None,
    now: Callable[[], float] = time.monotonic,
) -> Timed:
    """Warm up until two blocks agree within 0.5 %, then repeat until the spread is settled.

    Stops when IQR/median is under 1 % ("iqr"), or the median's standard error under 0.3 %
    ("standard-error"), or after ``cap_s`` ("time-cap"); at least three repetitions in any case.
    """
    start = now()
    warmup = timer.times(launch, 1)
    block = max(1, int(BLOCK_S / (warmup[-1] * timer.calls)))
    previous = 0.0
    while True:
        times = timer.times(launch, block)
        warmup += times
        time_s, before = median(times), previous
        previous = time_s
        block = max(1, int(BLOCK_S / (time_s * timer.calls)))
        elapsed = now() - start
        report(min(0.5, 0.5 * elapsed / warm_cap_s))
        if elapsed > warm_s and before and abs(time_s / before - 1) < STABLE:
            break
        if elapsed > warm_cap_s and before:
            break
    begin = now()
    measured: list[float] = []
    readings: list[ClockReading] = []
    while True:
        block_begin = now()
        times, seen = with_clock(timer, [launch] * block, previous, clock)
        measured += times
        readings += [ClockReading(block_begin + r.t_s, r.mhz) for r in seen]
        elapsed = now() - begin
        report(min(1.0, 0.5 + 0.5 * elapsed / cap_s))
        enough = len(measured) >= max(MIN_LAUNCHES, min_count)
        if enough and spread(measured) < SPREAD:
            stop = "iqr"
        elif enough and median_error(measured) < ERROR:
            stop = "standard-error"
        elif elapsed > cap_s and len(measured) >= MIN_LAUNCHES:
            stop = "time-cap"
        else:
            continue
        return Timed(
            times_s=measured,
            stop=stop,
            timing=timer.name,
            begin_s=begin,
            end_s=now(),
            warmup_times_s=warmup,
            clock=readings,
        )
