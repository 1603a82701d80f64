"""Launches of one kernel for one recorded call, summed: what the bounds are decided on."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.roofline.operator_work import OperatorWork, operator_work
from roofwatch.trace.own_time import own_times
from roofwatch.trace.recording import COPY, FILL, HOST, KERNEL, Activity, Recording

GRAPH_LAUNCH = "GraphLaunch"
LINK = ("HtoD", "DtoH", "HtoA", "AtoH")
IN_GRAPH = "a CUDA graph launched it: a graph's kernels carry no operator and no shapes"
NO_OPERATOR = "the trace names no operator that launched it"
NO_SHAPES = "the trace has no shapes of its operator"
NO_FORMULA = "no formula tells the work of {name}"
INSIDE = "its work is counted at the operator inside it"
OVER_LINK = "it goes over the host link, which no roof of the card tells of"

Key = tuple[str, int, int, str]
"""Name of the kernel, its call (-1: none), device, and why its work is not known."""


class Part:
    """What was summed so far; ``flop`` and ``bytes`` None where the work is not known."""

    __slots__ = ("bytes", "call", "count", "device", "flop", "kind", "name", "shared", "time_ns",
                 "why", "work")  # fmt: skip

    def __init__(self, name: str, call: int, device: int, kind: str, why: str) -> None:
        self.name, self.call, self.device, self.kind, self.why = name, call, device, kind, why
        self.count = self.time_ns = 0
        self.flop: float | None = None
        self.bytes: float | None = None
        self.work: OperatorWork | None = None
        self.shared = False

    def add(self, time_ns: int, flop: float | None, size: float | None) -> None:
        """One launch more."""
        self.count += 1
        self.time_ns += time_ns
        if flop is not None and size is not None:
            self.flop, self.bytes = (self.flop or 0.0) + flop, (self.bytes or 0.0) + size


class Parts(NamedTuple):
    """All parts, and which one each activity belongs to."""

    parts: list[Part]
    of: list[int]


def device_parts(recording: Recording) -> Parts:
    """Of the devices' work. An operator's work is shared out by time over the kernels it launched,
    so that it counts once."""
    operators = [_operator(recording, a) for a in recording.activities]
    total: dict[int, tuple[int, int]] = {}  # nanoseconds and launches of each operator
    for a, operator in zip(recording.activities, operators, strict=True):
        if operator is not None and a.kind == KERNEL:
            before_ns, launches = total.get(operator, (0, 0))
            total[operator] = before_ns + a.end_ns - a.begin_ns, launches + 1
    works = _Works(recording)
    parts: list[Part] = []
    at: dict[Key, int] = {}
    of: list[int] = []
    for a, operator in zip(recording.activities, operators, strict=True):
        length = a.end_ns - a.begin_ns
        call = -1 if operator is None else recording.call_of.get(operator, -1)
        known, why = works.of(a, call)
        flop = size = None
        shared = False
        if known is not None and operator is not None:
            all_ns, launches = total[operator]
            share = length / all_ns if all_ns else 1 / launches
            flop, size, shared = known.flop * share, known.bytes * share, launches > 1
        elif a.kind != KERNEL and not why:
            flop, size = 0.0, float(a.bytes or 0) * (2 if a.kind == COPY else 1)
        key = (a.name, call, a.device, why)
        number = at.setdefault(key, len(parts))
        if number == len(parts):
            parts.append(Part(a.name, call, a.device, a.kind, why))
            parts[-1].work = known.work if known else None
        parts[number].add(length, flop, size)
        parts[number].shared |= shared
        of.append(number)
    return Parts(parts, of)


def host_parts(recording: Recording) -> Parts:
    """Of a host's operators, by their own time; ``of`` is by operator."""
    found = [operator_work(call) for call in recording.calls]
    own = own_times(recording.operators, [w.work.flop if w else None for w in found])
    parts: list[Part] = []
    at: dict[tuple[int, bool], int] = {}
    of: list[int] = []
    for i, call in enumerate(recording.operators.call):
        counted = own.counted[i]
        number = at.setdefault((call, counted), len(parts))
        work = found[call] if counted else None
        if number == len(parts):
            name = recording.names[call]
            why = "" if counted else INSIDE if found[call] else _no_work(recording, call)
            parts.append(Part(name, call, HOST, "operator", why))
            parts[-1].work = work
        told = (work.work.flop, float(work.work.bytes)) if work else (None, None)
        parts[number].add(own.own_ns[i], *told)
        of.append(number)
    return Parts(parts, of)


class _Known(NamedTuple):
    """A call's work, and its sums."""

    work: OperatorWork
    flop: float
    bytes: float


class _Works:
    """The work of a call, worked out once; kernels may tell of it by their names."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._known: dict[tuple[int, str], tuple[_Known | None, str]] = {}

    def of(self, a: Activity, call: int) -> tuple[_Known | None, str]:
        """The work, or why it is not known; nothing of both where the activity tells its bytes."""
        if a.kind in (COPY, FILL):
            if any(way in a.name for way in LINK):
                return None, OVER_LINK
            return None, "" if a.bytes is not None else "the trace has no size of it"
        if call < 0:
            return None, IN_GRAPH if in_graph(self._recording, a) else NO_OPERATOR
        found = self._known.get((call, a.name))
        if found is None:
            work = operator_work(self._recording.calls[call], a.name)
            if work is None:
                found = None, _no_work(self._recording, call)
            else:
                found = _Known(work, work.work.flop, float(work.work.bytes)), ""
            self._known[call, a.name] = found
        return found


def in_graph(recording: Recording, a: Activity) -> bool:
    """Whether a CUDA graph launched it."""
    launch = recording.launches.get(a.correlation) if a.correlation is not None else None
    return launch is not None and GRAPH_LAUNCH in launch.name


def _operator(recording: Recording, a: Activity) -> int | None:
    """The number of the operator that launched it: its own, else its launch's."""
    if a.operator is not None and a.operator in recording.call_of:
        return a.operator
    launch = recording.launches.get(a.correlation) if a.correlation is not None else None
    found = launch.operator if launch is not None else None
    return found if found in recording.call_of else None


def _no_work(recording: Recording, call: int) -> str:
    if not any(a.dims or a.is_tensor or a.parts for a in recording.calls[call].arguments):
        return NO_SHAPES if not recording.shapes else NO_FORMULA.format(name=recording.names[call])
    return NO_FORMULA.format(name=recording.names[call])
