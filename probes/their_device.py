"""Where someone's callable runs: on the CUDA device where it leaves work there, else on the CPU."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial

import torch

from roofwatch.probes import timeline, torch_settings
from roofwatch.probes.device import CpuTarget, CudaTarget, Target
from roofwatch.probes.host_timer import HostTimer, host_timer_for
from roofwatch.probes.on_cuda import OtherStream, chosen_index, look
from roofwatch.probes.timeline import NoTimeline, Timeline
from roofwatch.probes.timing import Launch, Timer
from roofwatch.probes.wall_timer import WallTimer
from roofwatch.session.events import Device
from roofwatch.session.host_cpu import cpuinfo, last_level_cache

Say = Callable[[str], None]
"""Hears what is being done."""


class NotThere(ValueError):
    """The function leaves no work on the device that was asked for."""


class TheirDevice:
    """Where a function runs. Its first call is made here: what it raises passes.

    Raises NoDevice for a device that is absent, NotThere for one that the function does not use.
    """

    def __init__(self, fn: Callable[..., object], device: str | None, say: Say) -> None:
        self.kind, self.index = "cpu", None
        self.put_back = torch_settings.kept()  # theirs may leave torch's switches changed
        say("first call")
        if device != "cpu":
            self.index = chosen_index(device)
        with self.current():
            fn()
        self.timeline: Timeline | None = None
        self.no_timeline: str | None = None
        self._device_s: float | None = None
        if self.index is not None:
            self._look(fn, device, say)

    def _look(self, fn: Launch, device: str | None, say: Say) -> None:
        """Whether the function uses the device: the timeline tells, and events where it cannot."""
        assert self.index is not None
        say("profiling")
        with self.current():
            begin = time.perf_counter()
            fn()
            torch.cuda.synchronize(self.index)
            time_s = time.perf_counter() - begin
            try:
                self.timeline = timeline.enough(partial(timeline.on_cuda, fn, self.index), time_s)
                works = self.timeline.kernels > 0
            except NoTimeline as why:
                self.no_timeline = str(why)
                works, self._device_s = _by_events(self.index, fn)
        if works:
            self.kind = "cuda"
        elif device is not None:
            raise NotThere(f"device is {device}, but the function leaves no work there")
        else:
            self.index, self.timeline, self.no_timeline, self._device_s = None, None, None, None

    @contextlib.contextmanager
    def current(self) -> Iterator[None]:
        """With the device as torch's current one; afterwards what it was."""
        with torch.cuda.device(self.index) if self.index is not None else contextlib.nullcontext():
            yield

    def target(self) -> Target:
        """The device as our own probes see it; to be used where it is ``current``."""
        return CpuTarget() if self.index is None else CudaTarget(self.index)

    def identity(self) -> Device:
        """What is known of it without NVML."""
        if self.index is None:
            return Device(kind="cpu", name=cpuinfo()[0], l2_bytes=last_level_cache())
        with self.current():
            return self.target().identity()

    def timer(self, launch: Launch) -> Timer:
        """The timer of whole calls."""
        if self.index is None:
            return host_timer_for(launch, HostTimer())
        return WallTimer(self.index, launch)

    def busy_s(self) -> float | None:
        """Seconds a call in which the CUDA device works, as far as they are known."""
        return self.timeline.busy_s if self.timeline else self._device_s


def _by_events(index: int, fn: Launch) -> tuple[bool, float | None]:
    try:
        seen = look(index, fn)
    except OtherStream:
        return True, None
    return seen.works, None if seen.waited else seen.device_s
