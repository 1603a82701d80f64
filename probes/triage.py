"""Someone's callable, looked at by the three routes: its times, its timeline, what it must do.

The clock comes first and torch's counters last: under those compiled code runs its operators one by
one.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable
from functools import partial

import msgspec
import torch

from roofwatch.probes import op_count, quick_roof, timeline
from roofwatch.probes.device import GraphTimer
from roofwatch.probes.experiments import brief, experiments
from roofwatch.probes.function import Taken, settled
from roofwatch.probes.on_cuda import look, mend
from roofwatch.probes.op_count import CallCount
from roofwatch.probes.their_device import Say, TheirDevice
from roofwatch.probes.timeline import NoTimeline
from roofwatch.probes.timing import Launch
from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.statistics import median
from roofwatch.roofline.triage import Evidence
from roofwatch.roofline.trial import Varied

HOST_LOOKS, HOST_S = 10, 0.15
GRAPH_GAPS = 0.2  # from here a graph may bring something
GRAPH_S = 2e-3  # of calls in one graph
MOST_IN_GRAPH = 20
MOST_TFLOPS = {"cpu": 1e3, "cuda": 1e5}  # beyond: what was timed did no work
MOST_GBS = 1e5
NO_ROOF = "the roof could not be measured"
WAITS = "a call that waits for the device cannot be captured"


class Examined(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen of a call before any roof is known. ``count`` is None where it failed."""

    evidence: Evidence
    count: CallCount | None
    varied: tuple[Varied, ...] = ()


def examine(
    fn: Callable[..., object],
    place: TheirDevice,
    *,
    seconds: float,
    batch_name: str | None,
    say: Say,
) -> Examined:
    """Time, profile, count and vary ``fn`` at its place. What ``fn`` raises as it is passes."""
    status: dict[str, str] = {}
    with place.current():
        say("timing")
        timer = place.timer(fn)
        evidence, best_s = _timed(
            fn, partial(settled, place.kind, timer, fn, seconds), place, status
        )
        evidence = _with_timeline(evidence, best_s, fn, place, status, say)
        say("counting")
        count: CallCount | None = None
        try:
            count = op_count.count(fn, place.kind)
        except Exception as error:  # the call itself ran before: it is torch's counter that cannot
            status["count"] = f"torch cannot count it: {brief(error)}"
        time_s = evidence.time_s
        varied = tuple(experiments(fn, place, timer, time_s, count, batch_name, status, say))
        graph_s = None
        if place.index is not None and (evidence.gap_share or 0.0) > GRAPH_GAPS:
            say("replaying")
            graph_s = _by_graph(place.index, fn, count, status)
    return Examined(
        evidence=msgspec.structs.replace(
            evidence,
            waits=float(count.waits) if count and place.kind == "cuda" else None,
            uncounted=count.uncounted if count else (),
            graph_s=graph_s,
            status=status,
        ),
        count=count,
        varied=varied,
    )


def ceilings(
    place: TheirDevice,
    keys: tuple[str, ...],
    known: Ceilings,
    say: Say,
    status: dict[str, str] | None = None,
) -> Ceilings:
    """``known`` with what it lacks measured on the spot; what cannot be measured stays out.

    A rate that no such device has is none: ``status`` says so.
    """
    say("measuring the roof")
    peaks, origins = dict(known.peaks_tflops), dict(known.peak_origins)
    status = {} if status is None else status
    place.put_back()
    with place.current():
        target = place.target()
        gbs, origin = known.bandwidth_gbs, known.bandwidth_origin
        if gbs is None:
            with contextlib.suppress(RuntimeError):  # out of memory is one
                gbs, origin = quick_roof.bandwidth_gbs(target), "measured"
                if not 0 < gbs <= MOST_GBS:
                    gbs, origin = None, None
                    status["roof"] = NO_ROOF
            target.clean_up()
        for key in keys:
            if key not in peaks:
                with contextlib.suppress(RuntimeError, ValueError):
                    peak = quick_roof.peak_tflops(target, key)
                    if 0 < peak <= MOST_TFLOPS[place.kind]:
                        peaks[key], origins[key] = peak, "measured"
                    else:
                        status["roof"] = NO_ROOF
                target.clean_up()
    return Ceilings(
        bandwidth_gbs=gbs, bandwidth_origin=origin, peaks_tflops=peaks, peak_origins=origins
    )


def _timed(
    fn: Launch, take: Callable[[], Taken], place: TheirDevice, status: dict[str, str]
) -> tuple[Evidence, float]:
    """Median and best time of a call, and what the processor did meanwhile."""
    before, begin = os.times(), time.monotonic()
    times_s = take().timed.times_s
    after, wall_s = os.times(), time.monotonic() - begin
    user_s, system_s = after.user - before.user, after.system - before.system
    own_s, time_s = user_s + system_s, median(times_s)
    evidence = Evidence(
        kind=place.kind,
        time_s=time_s,
        cpu_share=own_s / wall_s if not _loaded(status) else None,
        system_share=system_s / own_s if own_s else None,
        host_s=_host_s(place.index, fn, time_s) if place.index is not None else None,
    )
    return evidence, min(times_s)


def _loaded(status: dict[str, str]) -> bool:
    """Whether others want the processor: then a process that does not run need not sleep."""
    load, cores = os.getloadavg()[0], os.cpu_count() or 1
    if load <= cores + 1:  # we are one of those who load it
        return False
    status["load"] = f"other work loads the processor: {load:.1f} processes on {cores} cores"
    return True


def _host_s(index: int, fn: Launch, time_s: float) -> float:
    """Seconds until a call returns on an idle device."""
    looks = []
    for _ in range(max(2, min(HOST_LOOKS, int(HOST_S / time_s)))):
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
    place: TheirDevice,
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
            seen = timeline.enough(partial(timeline.on_cpu, fn), evidence.time_s)
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


def _by_graph(
    index: int, fn: Launch, count: CallCount | None, status: dict[str, str]
) -> float | None:
    """Seconds of a call in a CUDA graph; None, and why, where none can be captured."""
    try:
        if count is None or count.waits or (seen := look(index, fn)).waited:
            status["graph"] = WAITS
            return None
        calls = max(1, min(MOST_IN_GRAPH, int(GRAPH_S / max(seen.device_s, 1e-6))))
        return median(GraphTimer(index, fn, calls, "thread_local").times(fn, 5))
    except Exception as error:  # it ran before: what it raises now is the capture's
        status["graph"] = f"it cannot be captured: {brief(error)}"
        mend(index)
        return None
