"""How repetitions are timed and when they are enough. No torch here: a timer brings its own clock.

Two protocols, never mixed (they answer different questions): *burst*, a rested card for at most
20 ms, and *sustained*, wall-clock seconds under load. Streams warm up until stable instead.
"""

from __future__ import annotations

import itertools
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
GRAPH_BELOW_S = 100e-6  # an event pair costs 15-25 us: shorter launches are timed in a graph


class Cancelled(Exception):
    """The parent asked to stop."""


class Timer(Protocol):
    """Times launches on one device."""

    name: str  # "event" | "graph" | "host"

    def times(self, launch: Launch, count: int) -> list[float]:
        """Seconds of each of ``count`` launches, enqueued back to back, one wait at the end."""
        ...


class Timed(msgspec.Struct, frozen=True, kw_only=True):
    """Repetitions in seconds, when they ran on the monotonic clock, and why they stopped."""

    times_s: list[float]
    stop: str
    timing: str
    begin_s: float
    end_s: float
    warmup_times_s: list[float] = []


def burst(
    timer: Timer,
    finalists: Sequence[Launch],
    *,
    rest_s: float = REST_S,
    cap_s: float = BURST_S,
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
    turns = itertools.cycle(finalists)
    begin = time.monotonic()
    times = timer.times(lambda: next(turns)(), rounds * len(finalists))
    end = time.monotonic()
    return [
        Timed(
            times_s=times[i :: len(finalists)],
            stop="protocol",
            timing=timer.name,
            begin_s=begin,
            end_s=end,
            warmup_times_s=warmup,
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
    report: Report = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
) -> Timed:
    """Warm up until two blocks agree within 0.5 %, then repeat until the spread is settled.

    Stops when IQR/median is under 1 % ("iqr"), or the median's standard error under 0.3 %
    ("standard-error"), or after ``cap_s`` ("time-cap"); at least three repetitions in any case.
    """
    start = clock()
    warmup = timer.times(launch, 1)
    block = max(1, int(BLOCK_S / warmup[-1]))
    previous = 0.0
    while True:
        times = timer.times(launch, block)
        warmup += times
        now, before = median(times), previous
        previous = now
        block = max(1, int(BLOCK_S / now))
        elapsed = clock() - start
        report(min(0.5, 0.5 * elapsed / warm_cap_s))
        if elapsed > warm_s and before and abs(now / before - 1) < STABLE:
            break
        if elapsed > warm_cap_s and before:
            break
    begin = clock()
    measured: list[float] = []
    while True:
        measured += timer.times(launch, block)
        elapsed = clock() - begin
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
            end_s=clock(),
            warmup_times_s=warmup,
        )
