"""A caller's own function, timed as our launches are: what is told of it, and the host's way.

No torch here: a function that needs none is timed without it. The CUDA way: probes/on_cuda.py.
"""

from __future__ import annotations

import time
from typing import Protocol

import msgspec

from roofwatch.probes.host_timer import HostTimer, host_timer_for
from roofwatch.probes.timing import Clock, Launch, Timed, Timer, steady
from roofwatch.session.events import Device
from roofwatch.session.host_cpu import cpuinfo, last_level_cache

WARM_S = {"cuda": (0.3, 1.0), "cpu": (0.5, 2.5)}  # at least, and at most: as of our streams
MIN_COUNT = {"cuda": 20, "cpu": 5}


class Taken(msgspec.Struct, frozen=True, kw_only=True):
    """The repetitions, and the monotonic second in which the warm-up began."""

    timed: Timed
    warm_begin_s: float
    no_clock: str = ""  # why no clock was read on the device


class Place(Protocol):
    """Where a function runs, its timer chosen."""

    device: Device
    telemetry: list[str]  # the telemetry instrument's options for this device

    def take(self, seconds: float) -> Taken:
        """Warm up until stable, then repeat until settled or for ``seconds``."""
        ...


class OnHost:
    """A function on the CPU: it is done when it returns."""

    def __init__(self, launch: Launch) -> None:
        self._launch = launch
        self.device = Device(kind="cpu", name=cpuinfo()[0], l2_bytes=last_level_cache())
        self.telemetry = ["--source", "host"]
        self._timer = host_timer_for(launch, HostTimer())

    def take(self, seconds: float) -> Taken:
        """See Place."""
        return settled("cpu", self._timer, self._launch, seconds)


def settled(
    kind: str, timer: Timer, launch: Launch, seconds: float, clock: Clock | None = None
) -> Taken:
    """Take repetitions as those of a stream are taken, for at most ``seconds``."""
    warm_s, warm_cap_s = WARM_S[kind]
    begin_s = time.monotonic()
    timed = steady(
        timer,
        launch,
        warm_s=min(warm_s, seconds),
        warm_cap_s=min(warm_cap_s, seconds),
        min_count=MIN_COUNT[kind],
        cap_s=seconds,
        clock=clock,
    )
    return Taken(timed=timed, warm_begin_s=begin_s)
