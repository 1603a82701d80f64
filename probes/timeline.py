"""The profiler's timeline: how long the device is busy in a call, and how long it waits.

On CUDA kernels, copies and fills are united over all streams. A CPU has no gaps in that sense:
there the time beyond the fixed cost of calling an operator is what works, the rest is dispatch,
Python, or something that is none of torch's.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
import torch
from torch.profiler import ProfilerActivity, profile, record_function

from roofwatch.roofline.intervals import Interval, united_s
from roofwatch.roofline.statistics import median

CALLS = (2, 50)
PROFILED_S = 0.3  # of calls on end, as far as their number allows
MOST_EVENTS = 10_000  # torch takes some 50 us to read one
SMALLEST = 200  # calls of the smallest operator, for its cost under this very profiler
FIXED_COSTS = 2.0
"""An operator's fixed cost in those of the smallest one: 2.2 us for add_, 3 for add with a new
result, 6 with out= (one core of a Xeon, torch 2.13). Those called inside another cost it again."""
OPERATOR = re.compile(r"(?!autograd::)\w+::\w|## Call CompiledFxGraph|Torch-Compiled Region")
COPIES = ("Memcpy HtoD", "Memcpy DtoH")
CALL = "roofwatch's call"
LONGEST_NAME = 120
MOST_NAMES = 5


class Timeline(msgspec.Struct, frozen=True, kw_only=True):
    """One call: seconds busy, kernels (a CPU's operators) and their mean length.

    ``span_share`` is the busy share as it was under the profiler, which slows the host down.
    """

    busy_s: float
    kernels: float
    events: float = 0.0  # what the profiler saw of a call
    kernel_s: float | None = None
    span_share: float | None = None
    transfer_share: float = 0.0
    longest: dict[str, float] = {}
    operator_s: float | None = None  # fixed cost of one with those inside it, on a CPU


class NoTimeline(Exception):
    """The profiler gave none; the message says why."""


@contextlib.contextmanager
def _profile(activity: ProfilerActivity) -> Iterator[Any]:
    """torch's profiler. Some builds tell of its start and stop on stderr, which nobody asked."""
    trace = profile(activities=[activity])
    with _unheard():
        trace.start()
    try:
        yield trace
    finally:
        with _unheard():
            trace.stop()


@contextlib.contextmanager
def _unheard() -> Iterator[None]:
    """Without what is written to stderr below Python; where there is none nothing changes."""
    try:
        kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    except OSError:
        yield
        return
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def enough(look: Callable[[int], Timeline], time_s: float) -> Timeline:
    """The timeline of as many calls as are worth it, of a function that takes so long.

    ``look`` gives that of so many; of two first, which tell how much there is to see.
    """
    first = look(CALLS[0])
    calls = calls_for(time_s, first.events)
    return look(calls) if calls > CALLS[0] else first


def calls_for(time_s: float, events: float) -> int:
    """Calls worth profiling of a function that takes so long and shows so many events."""
    by_time, by_events = PROFILED_S / max(time_s, 1e-9), MOST_EVENTS / max(events, 1.0)
    return int(max(CALLS[0], min(CALLS[1], by_time, by_events)))


def on_cuda(call: Callable[[], object], index: int, calls: int) -> Timeline:
    """``calls`` on end without a wait between them. Raises NoTimeline; what the call raises passes.

    A kernel of ours stands at the end: where even that one is not seen, nothing may be profiled.
    """
    torch.cuda.synchronize(index)
    failed: BaseException | None = None
    try:
        with _profile(ProfilerActivity.CUDA) as trace:
            try:
                for _ in range(calls):
                    call()
            except BaseException as error:
                failed = error
            torch.cuda.synchronize(index)
            torch.zeros(1, dtype=torch.float32, device=f"cuda:{index}")
            torch.cuda.synchronize(index)
        events = [e for e in trace.events() or () if e.device_type.name == "CUDA"]
    except Exception as error:
        if failed is None:
            raise NoTimeline(f"the profiler failed: {type(error).__name__}") from None
    if failed is not None:
        raise failed
    kernels = sorted((e for e in events if not _is_range(e)), key=lambda e: e.time_range.start)
    if not kernels:
        raise NoTimeline("the driver allows no profiling")
    return _of_kernels([e for e in kernels[:-1] if e.device_index in (index, -1)], calls)


def _is_range(event: Any) -> bool:
    """A range that somebody marked, which spans its kernels on the device's own row."""
    return bool(getattr(event, "is_user_annotation", False)) or event.name.startswith(
        "ProfilerStep"
    )


def _of_kernels(events: list[Any], calls: int) -> Timeline:
    if not events:
        return Timeline(busy_s=0.0, kernels=0.0)
    spans = [_interval(e) for e in events]
    busy = united_s(spans)
    span = max(end for _, end in spans) - spans[0][0]
    total = sum(end - begin for begin, end in spans)
    copied = sum(_length(e) for e in events if e.name.startswith(COPIES))
    return Timeline(
        busy_s=busy / calls,
        kernels=len(events) / calls,
        events=len(events) / calls,
        kernel_s=total / len(events),
        span_share=busy / span if span else None,
        transfer_share=copied / total if total else 0.0,
        longest=_longest(events, total),
    )


def on_cpu(call: Callable[[], object], calls: int) -> Timeline:
    """A call at its least disturbed, of so many. Raises NoTimeline; what the call raises passes."""
    tiny = torch.ones(1, dtype=torch.float32, device="cpu")
    other = torch.ones_like(tiny)
    failed: BaseException | None = None
    try:
        with _profile(ProfilerActivity.CPU) as trace:
            with torch.no_grad():
                for _ in range(SMALLEST):
                    tiny.add_(other)
            try:
                for _ in range(calls):
                    with record_function(CALL):
                        call()
            except BaseException as error:
                failed = error
        seen = list(trace.events() or ())
    except Exception as error:
        if failed is None:
            raise NoTimeline(f"the profiler failed: {type(error).__name__}") from None
    if failed is not None:
        raise failed
    events = sorted((e for e in seen if OPERATOR.match(e.name)), key=lambda e: e.time_range.start)
    windows = [_interval(e) for e in seen if e.name == CALL]
    if len(events) < SMALLEST or not windows:
        raise NoTimeline("the profiler saw no operators")
    smallest_s = median([_length(e) for e in events[:SMALLEST]])
    inside = [[e for e in events[SMALLEST:] if b <= _interval(e)[0] < end] for b, end in windows]
    return _of_operators([_outermost(each) for each in inside], windows, smallest_s)


class _Outer(NamedTuple):
    """An operator that no other one called, and how many ran in it, itself included."""

    event: Any
    operators: int


def _outermost(events: Iterable[Any]) -> list[_Outer]:
    """``events`` by rising start, without those inside others of their thread."""
    out: list[_Outer] = []
    last: dict[int, int] = {}  # where a thread's latest stands in ``out``
    for event in events:
        at = last.get(event.thread)
        if at is not None and event.time_range.end <= out[at].event.time_range.end:
            out[at] = _Outer(out[at].event, out[at].operators + 1)
        else:
            last[event.thread] = len(out)
            out.append(_Outer(event, 1))
    return out


def _of_operators(seen: list[list[_Outer]], windows: list[Interval], smallest_s: float) -> Timeline:
    """Of several calls what each stretch took at its best: others want the processor too."""
    fixed_s = FIXED_COSTS * smallest_s
    least = min(range(len(windows)), key=lambda i: windows[i][1] - windows[i][0])
    outermost = seen[least]
    if _alike(seen):
        calls = [_stretches(each, window) for each, window in zip(seen, windows, strict=True)]
        best_s = [min(each) for each in zip(*calls, strict=True)]
        call_s = sum(best_s)
        working_s = sum(
            max(0.0, time_s - outer.operators * fixed_s)
            for time_s, outer in zip(best_s[1::2], outermost, strict=True)
        )
    else:
        call_s = windows[least][1] - windows[least][0]
        working_s = united_s(_working(outermost, fixed_s))
    total = sum(_length(o.event) for o in outermost)
    return Timeline(
        busy_s=working_s,
        kernels=float(len(outermost)),
        events=float(sum(o.operators for o in outermost)),
        kernel_s=total / len(outermost) if outermost else None,
        span_share=working_s / call_s if call_s > 0 else None,
        longest=_longest((o.event for o in outermost), total),
        operator_s=_mean_fixed_s(outermost, fixed_s),
    )


def _mean_fixed_s(outermost: list[_Outer], fixed_s: float) -> float:
    """What was taken off an outermost operator: its own fixed cost and those of the ones inside."""
    if not outermost:
        return fixed_s
    return fixed_s * sum(o.operators for o in outermost) / len(outermost)


def _stretches(outermost: list[_Outer], window: Interval) -> list[float]:
    """Seconds before the first operator, of it, until the next, and so on to the call's end."""
    marks = [window[0]]
    for outer in outermost:
        marks += _interval(outer.event)
    marks.append(window[1])
    return [max(0.0, end - begin) for begin, end in itertools.pairwise(marks)]


def _alike(seen: list[list[_Outer]]) -> bool:
    """Whether all calls made the same operators in the same order, on one thread."""
    names = [[(o.event.name, o.operators) for o in each] for each in seen]
    threads = {o.event.thread for each in seen for o in each}
    return len(threads) <= 1 and all(each == names[0] for each in names)


def _working(outermost: Iterable[_Outer], fixed_s: float) -> Iterator[Interval]:
    for event, operators in outermost:
        begin, end = _interval(event)
        if end - begin > operators * fixed_s:
            yield begin, end - operators * fixed_s


def _interval(event: Any) -> Interval:
    return event.time_range.start / 1e6, event.time_range.end / 1e6


def _length(event: Any) -> float:
    begin, end = _interval(event)
    return end - begin


def _longest(events: Iterable[Any], total_s: float) -> dict[str, float]:
    by_name: dict[str, float] = defaultdict(float)
    for event in events:
        by_name[event.name[:LONGEST_NAME]] += _length(event)
    names = sorted(by_name, key=by_name.__getitem__, reverse=True)[:MOST_NAMES]
    return {name: by_name[name] / total_s for name in names} if total_s else {}
