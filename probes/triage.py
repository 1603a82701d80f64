"""Someone's callable, looked at by the three routes: its times, its timeline, what it must do.

The clock comes first and torch's counters last: under those compiled code runs its operators one by
one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import torch

from roofwatch.probes import op_count, quick_roof, timeline
from roofwatch.probes.device import CpuTarget, CudaTarget, GraphTimer, NoDevice, Target
from roofwatch.probes.function import settled
from roofwatch.probes.host_timer import HostTimer, host_timer_for
from roofwatch.probes.on_cuda import OtherStream, chosen_index, look, mend
from roofwatch.probes.op_count import CallCount
from roofwatch.probes.timeline import NoTimeline, Timeline
from roofwatch.probes.timing import Launch, Timer
from roofwatch.probes.variation import (
    FACTORS,
    Change,
    batch_argument,
    changed_batch,
    changed_dtype,
    dtype_argument,
)
from roofwatch.probes.wall_timer import WallTimer
from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.statistics import median
from roofwatch.roofline.triage import Evidence
from roofwatch.roofline.trial import Varied
from roofwatch.session.events import Device
from roofwatch.session.host_cpu import cpuinfo, last_level_cache

Say = Callable[[str], None]
"""Hears what is being done."""

TURNS = 3  # of a trial: the call as it is and as it is changed, one after the other
TURN_S = 0.15
LONGEST_CALL_S = 1.5  # of a changed call
HOST_LOOKS = 10
GRAPH_GAPS = 0.2  # from here a graph may bring something
GRAPH_S = 2e-3  # of calls in one graph
MOST_IN_GRAPH = 20
FREE_SHARE = 0.5  # of the free memory that a larger batch may take


class NotThere(ValueError):
    """The function leaves no work on the device that was asked for."""


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a call before any roof is known. ``count`` is None where it failed."""

    evidence: Evidence
    count: CallCount | None
    varied: tuple[Varied, ...] = ()


class Place:
    """Where a function runs. Its first call is made here: what it raises passes.

    Raises NoDevice for a device that is absent, NotThere for one that the function does not use.
    """

    def __init__(self, fn: Callable[..., object], device: str | None, say: Say) -> None:
        self.kind, self.index = "cpu", None
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
            calls = timeline.calls_for(time.perf_counter() - begin)
            try:
                self.timeline = timeline.on_cuda(fn, self.index, calls)
                works = self.timeline.kernels > 0
            except NoTimeline as why:
                self.no_timeline = str(why)
                works, self._device_s = _by_events(self.index, fn)
        if works:
            self.kind = "cuda"
        elif device is not None:
            raise NotThere(f"device is {device}, but the function leaves no work there")
        else:
            self.index, self.timeline, self.no_timeline = None, None, None

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


def examine(
    fn: Callable[..., object],
    place: Place,
    *,
    seconds: float,
    batch_name: str | None,
    say: Say,
) -> Examined:
    """Time, profile, count and vary ``fn`` at its place. What ``fn`` raises as it is passes."""
    with place.current():
        say("timing")
        timer = place.timer(fn)
        before, begin = os.times(), time.monotonic()
        times_s = settled(place.kind, timer, fn, seconds).timed.times_s
        after, wall_s = os.times(), time.monotonic() - begin
        time_s = median(times_s)
        user_s, system_s = after.user - before.user, after.system - before.system
        status: dict[str, str] = {}
        evidence = Evidence(
            kind=place.kind,
            time_s=time_s,
            cpu_share=(user_s + system_s) / wall_s if not _loaded(status) else None,
            system_share=system_s / (user_s + system_s) if user_s + system_s else None,
            host_s=_host_s(place.index, fn, time_s) if place.index is not None else None,
        )
        evidence = _with_timeline(evidence, min(times_s), fn, place, status, say)
        say("counting")
        counted: CallCount | None = None
        try:
            counted = op_count.count(fn, place.kind)
        except Exception as error:  # the call itself ran before: it is torch's counter that cannot
            status["count"] = f"torch cannot count it: {_brief(error)}"
        varied = tuple(_variations(fn, place, timer, time_s, counted, batch_name, status, say))
        graph_s = None
        if place.index is not None and (evidence.gap_share or 0.0) > GRAPH_GAPS:
            say("replaying")
            waits = counted is None or bool(counted.waits)
            graph_s = _by_graph(place.index, fn, waits, status)
    return Examined(
        evidence=msgspec.structs.replace(
            evidence,
            waits=float(counted.waits) if counted and place.kind == "cuda" else None,
            uncounted=counted.uncounted if counted else (),
            graph_s=graph_s,
            status=status,
        ),
        count=counted,
        varied=varied,
    )


def ceilings(place: Place, keys: tuple[str, ...], known: Ceilings, say: Say) -> Ceilings:
    """``known`` with what it lacks measured on the spot; what cannot be measured stays out."""
    say("measuring the roof")
    peaks, origins = dict(known.peaks_tflops), dict(known.peak_origins)
    with place.current():
        target = place.target()
        gbs, origin = known.bandwidth_gbs, known.bandwidth_origin
        if gbs is None:
            with contextlib.suppress(RuntimeError):  # out of memory is one
                gbs, origin = quick_roof.bandwidth_gbs(target), "measured"
            target.clean_up()
        for key in keys:
            if key not in peaks:
                with contextlib.suppress(RuntimeError, ValueError):
                    peaks[key], origins[key] = quick_roof.peak_tflops(target, key), "measured"
                target.clean_up()
    return Ceilings(
        bandwidth_gbs=gbs, bandwidth_origin=origin, peaks_tflops=peaks, peak_origins=origins
    )


def _loaded(status: dict[str, str]) -> bool:
    """Whether others want the processor: then a process that does not run need not sleep."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= cores + 1:  # we are one of those who load it
        return False
    status["load"] = f"other work loads the processor: {load:.1f} processes on {cores} cores"
    return True


def _brief(error: BaseException) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}"[:160] if said else type(error).__name__


def _host_s(index: int, fn: Launch, time_s: float) -> float:
    """Seconds until a call returns on an idle device."""
    looks = []
    for _ in range(max(2, min(HOST_LOOKS, int(TURN_S / time_s)))):
        torch.cuda.synchronize(index)
        begin = time.perf_counter()
        fn()
        looks.append(time.perf_counter() - begin)
    torch.cuda.synchronize(index)
    return median(looks)


def _with_timeline(
    evidence: Evidence,
    best_s: float,
    fn: Launch,
    place: Place,
    status: dict[str, str],
    say: Say,
) -> Evidence:
    """The evidence with busy and gaps. The profiler slows the host, not the kernels, and a rested
    clock is faster than a held one: the larger of the two shares is nearer the truth.
    """
    seen, busy_s = place.timeline, place.busy_s()
    if place.index is None:
        say("profiling")
        try:
            seen = timeline.on_cpu(fn, timeline.calls_for(evidence.time_s))
            busy_s = seen.busy_s
        except NoTimeline as why:
            status["timeline"] = str(why)
            return evidence
    elif seen is None:
        status["timeline"] = place.no_timeline or "error"
    if busy_s is None:
        return evidence
    time_s = best_s if place.index is None else evidence.time_s  # the timeline's is a best one too
    shares = (busy_s / time_s, seen.span_share or 0.0 if seen else 0.0)
    busy = min(1.0, max(shares))
    evidence = msgspec.structs.replace(evidence, busy_share=busy, gap_share=1.0 - busy)
    if seen is None:
        return evidence
    return msgspec.structs.replace(
        evidence,
        kernels=seen.kernels,
        kernel_s=seen.kernel_s,
        longest=seen.longest,
        transfer_share=seen.transfer_share if place.kind == "cuda" else None,
        operator_s=seen.operator_s,
    )


def _variations(
    fn: Callable[..., object],
    place: Place,
    timer: Timer,
    time_s: float,
    counted: CallCount | None,
    batch_name: str | None,
    status: dict[str, str],
    say: Say,
) -> Iterator[Varied]:
    """Each experiment that the parameters allow; one that fails is told in ``status``."""
    changes = []
    batch = batch_argument(fn, batch_name)
    if batch is not None:
        name, value = batch
        factor = _factor(place.target(), time_s, counted.written_bytes if counted else None, value)
        if factor is None:
            status["experiments"] = f"{name} cannot be changed: too little memory or time"
        else:
            changes.append(changed_batch(name, value, factor))
    dtype = dtype_argument(fn)
    if dtype is not None:
        other = changed_dtype(dtype[1], place.kind)
        changes += [other] if other is not None else []
    for change in changes:
        say(change.what)
        try:
            yield _varied(fn, change, place, timer)
        except Exception as error:  # their function need not take every value
            status["experiments"] = f"{change.what}: {_brief(error)}"
            place.target().clean_up()


def _factor(target: Target, time_s: float, written_bytes: float | None, batch: int) -> float | None:
    """How much larger the batch may be, else half of it: a call takes no more than it writes."""
    free = FREE_SHARE * target.free_bytes()
    for factor in FACTORS:
        if factor * time_s <= LONGEST_CALL_S and factor * (written_bytes or 0.0) <= free:
            return float(factor)
    return 0.5 if batch > 1 else None


def _varied(fn: Callable[..., object], change: Change, place: Place, timer: Timer) -> Varied:
    """The call as it is and as it is changed, in turns, so that both see the same machine."""

    def changed() -> object:
        return fn(**{change.name: change.value})

    changed()
    other = place.timer(changed)
    base_s: list[float] = []
    other_s: list[float] = []
    for _ in range(TURNS):
        base_s += _turn(timer, fn)
        other_s += _turn(other, changed)
    count = None
    with contextlib.suppress(Exception):  # as of the call itself
        count = op_count.count(changed, place.kind)
    return Varied(
        what=change.what,
        time_ratio=median(other_s) / median(base_s),
        factor=change.factor,
        counted=count.counted if count else (),
        launches=float(count.operators) if count and count.operators else None,
    )


def _turn(timer: Timer, launch: Launch) -> list[float]:
    first = timer.times(launch, 1)
    return first + timer.times(launch, min(20, int(TURN_S / (first[0] * timer.calls))))


def _by_graph(index: int, fn: Launch, waits: bool, status: dict[str, str]) -> float | None:
    """Seconds of a call in a CUDA graph; None, and why, where none can be captured."""
    if waits:
        status["graph"] = "a call that waits for the device cannot be captured"
        return None
    try:
        seen = look(index, fn)
        if seen.waited:
            status["graph"] = "a call that waits for the device cannot be captured"
            return None
        calls = max(1, min(MOST_IN_GRAPH, int(GRAPH_S / max(seen.device_s, 1e-6))))
        timer: Any = GraphTimer(index, fn, calls, "thread_local")
        return median(timer.times(fn, 5))
    except Exception as error:  # it ran before: what it raises now is the capture's
        status["graph"] = f"it cannot be captured: {_brief(error)}"
        mend(index)
        return None


__all__ = ["Examined", "NoDevice", "NotThere", "Place", "ceilings", "examine"]
