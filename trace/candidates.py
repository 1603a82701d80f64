"""What a change would give back: kernels that one trip could do, gaps that a CUDA graph closes."""

from __future__ import annotations

import itertools
import math
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

from roofwatch.roofline.kernel_bound import MEMORY
from roofwatch.roofline.operator_work import ELEMENTWISE, ROWWISE
from roofwatch.trace.judged import Judged
from roofwatch.trace.parts import in_graph
from roofwatch.trace.recording import KERNEL, Activity, Recording
from roofwatch.trace.report import Candidate, Place

GRAPH_GAP_NS = 1000
"""Between two kernels of a CUDA graph; about a microsecond on an H200."""
QUEUED_NS = 5000
"""A kernel that was launched this long before the device came free waited in the queue."""
MOST_GAP_NS = 1_000_000
"""In a longer gap the host did something other than launching."""
LEAST_NS = 200  # of a gap that is worth closing
MOST, MOST_PLACES = 6, 8
LEAST_SHARE = 0.001  # of the span
MOST_ROUND = 64  # kernels of one round


def candidates(
    recording: Recording, judged: Sequence[Judged], of: Sequence[int], gbs: float | None
) -> list[Candidate]:
    """Both kinds, what gives back most first; ``of`` is the part of each activity."""
    streams: dict[tuple[int, int], list[int]] = defaultdict(list)
    for i, a in enumerate(recording.activities):
        streams[a.device, a.stream].append(i)
    for order in streams.values():
        order.sort(key=lambda i: recording.activities[i].begin_ns)
    begin = min(recording.activities[order[0]].begin_ns for order in streams.values())
    span = max(a.end_ns for a in recording.activities) - begin
    found = [] if gbs is None else _fusions(recording, judged, of, streams, gbs, begin, span)
    if (graph := _graph(recording, streams, begin, span)) is not None:
        found.append(graph)
    worth = [c for c in found if c.share >= LEAST_SHARE]
    return sorted(worth, key=lambda c: -c.saves_s)[:MOST]


# -- fusion ----------------------------------------------------------------------------------


def _fusions(
    recording: Recording,
    judged: Sequence[Judged],
    of: Sequence[int],
    streams: dict[tuple[int, int], list[int]],
    gbs: float,
    begin: int,
    span: int,
) -> list[Candidate]:
    """Runs of neighbours whose result the next one reads, grouped by their names."""
    runs: dict[tuple[str, ...], list[tuple[float, Place]]] = defaultdict(list)
    fusible = [_fusible(j) for j in judged]
    follows: dict[tuple[int, int], bool] = {}
    saved: dict[tuple[int, ...], tuple[float, float]] = {}
    for (device, stream), order in streams.items():
        run: list[int] = []
        for i in [*order, -1]:
            if i >= 0 and not fusible[of[i]] and not run:
                continue
            if i >= 0 and run:
                pair = (of[run[-1]], of[i])
                if pair not in follows:
                    follows[pair] = _follows(judged[pair[0]], judged[pair[1]])
                if follows[pair]:
                    run.append(i)
                    continue
            for part in _rounds(run, recording):
                told = [recording.activities[j] for j in part]
                key = tuple(of[j] for j in part)
                if key not in saved:
                    saved[key] = _saved_bytes([judged[number] for number in key])
                saves = _saved_s(*saved[key], told, gbs)
                place = _place(told[0].begin_ns, told[-1].end_ns, begin, device, stream, len(part))
                runs[tuple(a.name for a in told)].append((saves, place))
            run = [i] if i >= 0 and fusible[of[i]] else []
    return [_fusion(names, places, span) for names, places in runs.items()]


def _rounds(run: Sequence[int], recording: Recording) -> list[Sequence[int]]:
    """A run that goes round, as the steps of a loop do, in its rounds: whether the first kernel of
    one reads what the last of the one before left cannot be seen in shapes."""
    length = len(run)
    if length < 2:
        return []
    if length < 4:
        return [run]
    names = [recording.activities[i].name for i in run]
    for round_of in range(2, min(MOST_ROUND, length // 2) + 1):
        if len(set(names[:round_of])) > 1 and names[round_of:] == names[:-round_of]:
            return [
                part for i in range(0, length, round_of) if len(part := run[i : i + round_of]) > 1
            ]
    return [run]


def _fusible(j: Judged) -> bool:
    work = j.part.work
    kinds = (ELEMENTWISE, ROWWISE)
    return j.bound.bound == MEMORY and work is not None and work.kind in kinds


def _follows(before: Judged, after: Judged) -> bool:
    """Whether ``after`` reads what ``before`` leaves, by the number of its elements."""
    one, other = before.part.work, after.part.work
    if one is None or other is None or not _fusible(after):
        return False
    left = math.prod(one.result)
    return bool(one.result) and any(math.prod(shape) == left for shape in other.operands)


def _saved_bytes(run: Sequence[Judged]) -> tuple[float, float]:
    """Bytes of each intermediate, written and read again; and of all that the run moves."""
    saved_bytes = all_bytes = 0.0
    for i, j in enumerate(run):
        if j.part.work is None:
            continue
        work = j.part.work.work
        all_bytes += work.bytes
        if i + 1 < len(run):
            saved_bytes += 2 * sum(t.write_bytes for t in work.tensors)
    return saved_bytes, all_bytes


def _saved_s(saved_bytes: float, all_bytes: float, told: Sequence[Activity], gbs: float) -> float:
    """What the intermediates take at the roof; never more than their share of the run's time."""
    time_s = sum(a.end_ns - a.begin_ns for a in told) / 1e9
    share = min(1.0, saved_bytes / all_bytes) if all_bytes else 0.0
    return min(saved_bytes / gbs / 1e9, time_s * share)


def _fusion(names: tuple[str, ...], places: list[tuple[float, Place]], span: int) -> Candidate:
    saves = sum(saved for saved, _ in places)
    largest = sorted(places, key=lambda each: -each[0])[:MOST_PLACES]
    return Candidate(
        kind="fusion",
        saves_s=saves,
        share=saves * 1e9 / span if span else 0.0,
        count=len(places),
        kernels=list(names),
        places=[place for _, place in largest],
        why="each result goes to memory and comes back: in one kernel it would not",
    )


# -- a CUDA graph ----------------------------------------------------------------------------


def _graph(
    recording: Recording, streams: dict[tuple[int, int], list[int]], begin: int, span: int
) -> Candidate | None:
    """Gaps in which the device waited for the next launch, without what a graph leaves of them."""
    waits = sorted(end for _, end in recording.waits)
    stretches: list[tuple[int, Place]] = []
    count = 0
    for (device, stream), order in streams.items():
        first, saved, gaps, until = 0, 0, 0, 0
        for a, b in itertools.pairwise(order):
            before, after = recording.activities[a], recording.activities[b]
            gap = after.begin_ns - before.end_ns
            if _launch_bound(recording, before, after, gap, waits):
                first = first if gaps else before.begin_ns
                saved, gaps, until = saved + gap - GRAPH_GAP_NS, gaps + 1, after.end_ns
            elif gap > GRAPH_GAP_NS + LEAST_NS and gaps:
                stretches.append((saved, _place(first, until, begin, device, stream, gaps)))
                count, saved, gaps = count + gaps, 0, 0
        if gaps:
            stretches.append((saved, _place(first, until, begin, device, stream, gaps)))
            count += gaps
    saves = sum(saved for saved, _ in stretches) / 1e9
    if not stretches or span <= 0:
        return None
    devices = len({a.device for a in recording.activities})
    largest = sorted(stretches, key=lambda each: -each[0])[:MOST_PLACES]
    return Candidate(
        kind="cuda-graph",
        saves_s=saves / devices,
        share=min(1.0, saves * 1e9 / span / devices),
        count=count,
        kernels=[],
        places=[place for _, place in largest],
        why="the device waits for the next launch: a graph launches all of them at once",
    )


def _place(first: int, until: int, begin: int, device: int, stream: int, count: int) -> Place:
    return Place(
        begin_s=(first - begin) / 1e9,
        end_s=(until - begin) / 1e9,
        device=device,
        stream=stream,
        count=count,
    )


def _launch_bound(
    recording: Recording, before: Activity, after: Activity, gap: int, waits: Sequence[int]
) -> bool:
    """Whether the device waited for the host's launch, and for nothing else."""
    if not GRAPH_GAP_NS + LEAST_NS <= gap <= MOST_GAP_NS:
        return False
    if after.kind != KERNEL or in_graph(recording, after):
        return False
    launch = recording.launches.get(after.correlation) if after.correlation is not None else None
    if launch is not None and launch.begin_ns < before.end_ns - QUEUED_NS:
        return False  # it was in the queue: something else held it up
    at = bisect_right(waits, before.end_ns)
    return not (at < len(waits) and waits[at] <= after.begin_ns)
