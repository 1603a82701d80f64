"""From a recording and a card's roofs to the whole answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.roofline.kernel_bound import BOUNDS, OVERHEAD, UNKNOWN
from roofwatch.session.ceilings import NOMINAL
from roofwatch.session.program import PROGRAM
from roofwatch.trace.candidates import candidates
from roofwatch.trace.card_roofs import NONE, ceilings
from roofwatch.trace.judged import Judged, judge, rows
from roofwatch.trace.parts import IN_GRAPH, NO_OPERATOR, NO_SHAPES, Parts, device_parts, host_parts
from roofwatch.trace.recording import HOST, Recording
from roofwatch.trace.report import Card, DeviceRow, StreamRow, TraceReport
from roofwatch.trace.stretches import Split, Stretch, over_time, split

PARTS_OF_TIME = 120
NO_GPU = "there is no GPU in this trace: the rows are operators of the host, with their own time"
HOW_SHAPES = (
    "no operator has its shapes: record with profile(record_shapes=True), and what a kernel's work "
    "is can be told"
)
GRAPHED = (
    "{share:.0f} % of the kernels' time is of CUDA graphs, whose shapes are not recorded: their "
    "bound is unknown (profile the same step eager, with record_shapes=True, to see it)"
)
NSIGHT = (
    "Nsight Systems records no shapes, so no kernel's work is known: the busy time and the gaps "
    "stand; torch's own profiler with record_shapes=True tells the rest"
)


class Examined(NamedTuple):
    """A recording with its parts: what needs no card, and is worked out once."""

    recording: Recording
    found: Parts
    file: str


def examined(recording: Recording, file: str = "") -> Examined:
    """The parts of a recording."""
    parts = device_parts if recording.has_device else host_parts
    return Examined(recording, parts(recording), file)


def report(seen: Examined, card: Card) -> TraceReport:
    """The answer; of a trace without a device only what its operators took."""
    return _of_devices(seen, card) if seen.recording.has_device else _of_host(seen, card)


def _of_devices(seen: Examined, card: Card) -> TraceReport:
    recording, found = seen.recording, seen.found
    judged = judge(found.parts, ceilings(card))
    acts = recording.activities
    span = (min(a.begin_ns for a in acts), max(a.end_ns for a in acts))
    span_ns = span[1] - span[0]
    by_stream: dict[tuple[int, int], list[Stretch]] = defaultdict(list)
    by_device: dict[int, list[Stretch]] = defaultdict(list)
    for a in acts:
        by_stream[a.device, a.stream].append((a.begin_ns, a.end_ns))
    streams = []
    for (device, stream), stretches in sorted(by_stream.items()):
        parts = split(stretches, span)
        by_device[device] += parts.united
        streams.append(_stream(device, stream, len(stretches), parts, span))
    devices = {device: split(united, span) for device, united in by_device.items()}
    bound = _shares(judged, {d: s.busy_ns for d, s in devices.items()}, span_ns)
    busy_s = sum(s.busy_ns for s in devices.values()) / len(devices) / 1e9
    span_s = span_ns / 1e9
    return TraceReport(
        source=recording.source,
        span_s=span_s,
        busy_s=busy_s,
        gap_s=sum(s.gap_ns for s in devices.values()) / len(devices) / 1e9,
        bound=dict(bound),
        kernels=rows(judged, recording, span_s * len(devices)),
        device=True,
        overhead_s=bound[OVERHEAD] * span_s,
        card=card,
        devices=[
            DeviceRow(
                device=device,
                name=recording.cards[device].name if device in recording.cards else None,
                busy_s=s.busy_ns / 1e9,
                gap_s=s.gap_ns / 1e9,
            )
            for device, s in sorted(devices.items())
        ],
        streams=streams,
        candidates=candidates(recording, judged, found.of, card.bandwidth_gbs),
        notes=[*_card_notes(card, recording), *_work_notes(judged, recording), *recording.notes],
        file=seen.file,
    )


def _stream(device: int | None, stream: int, count: int, s: Split, span: Stretch) -> StreamRow:
    return StreamRow(
        device=device,
        stream=stream,
        busy_s=s.busy_ns / 1e9,
        gap_s=s.gap_ns / 1e9,
        count=count,
        longest_gap_s=s.longest_gap_ns / 1e9,
        over_time=[round(share, 4) for share in over_time(s.united, span, PARTS_OF_TIME)],
    )


def _shares(judged: Sequence[Judged], busy_ns: dict[int, int], span_ns: int) -> dict[str, float]:
    """Shares of the span, a mean over devices. What ran at once shares the time that it took
    together; the gaps are overhead."""
    of_device: dict[int, dict[str, int]] = {d: dict.fromkeys(BOUNDS, 0) for d in busy_ns}
    for j in judged:
        of_device[j.part.device][j.bound.bound] += j.part.time_ns
    out = dict.fromkeys(BOUNDS, 0.0)
    if span_ns <= 0:
        return out | {UNKNOWN: 1.0}
    for device, times in of_device.items():
        total, busy = sum(times.values()), busy_ns[device] / span_ns
        for bound, time_ns in times.items():
            out[bound] += busy * time_ns / total / len(busy_ns) if total else 0.0
        out[OVERHEAD] += (1.0 - busy) / len(busy_ns)
    return out


def _of_host(seen: Examined, card: Card) -> TraceReport:
    recording, found = seen.recording, seen.found
    ops = recording.operators
    span = (min(ops.begin_ns), max(ops.end_ns))
    by_thread: dict[int, list[Stretch]] = defaultdict(list)
    for i, thread in enumerate(ops.thread):
        by_thread[thread].append((ops.begin_ns[i], ops.end_ns[i]))
    threads = {thread: split(stretches, span) for thread, stretches in by_thread.items()}
    whole = split([each for s in threads.values() for each in s.united], span)
    span_s = (span[1] - span[0]) / 1e9
    notes = [NO_GPU]
    if card.origin != NONE:
        notes += _card_notes(card, recording)
    return TraceReport(
        source=recording.source,
        span_s=span_s,
        busy_s=whole.busy_ns / 1e9,
        gap_s=whole.gap_ns / 1e9,
        bound=dict.fromkeys(BOUNDS, None),
        kernels=rows(judge(found.parts, ceilings(card)), recording, span_s),
        device=False,
        overhead_s=None,
        card=card,
        devices=[],
        streams=[
            _stream(None, thread, len(by_thread[thread]), s, span) for thread, s in threads.items()
        ],
        candidates=[],
        notes=[*notes, *([] if recording.shapes else [HOW_SHAPES]), *recording.notes],
        file=seen.file,
    )


def _card_notes(card: Card, recording: Recording) -> list[str]:
    """Whose roofs, where that needs saying."""
    notes = []
    if card.origin == NONE:
        whose = f"nothing is known of {card.name}" if card.name else "the trace names no card"
        notes.append(f"{whose}: give --gpu NAME or --session FILE, and kernels get a roof")
    elif card.origin == NOMINAL:
        measure = "" if card.asked else f"; {PROGRAM} run on that card measures what it really does"
        notes.append(f"the roofs are nominal, which no kernel reaches{measure}")
    names = dict.fromkeys(c.name for d, c in recording.cards.items() if d != HOST)
    if len(names) > 1:
        notes.append(f"several kinds of cards: all are held against {card.name}")
    if card.asked and recording.cards and card.name not in names and card.origin == NOMINAL:
        notes.append(f"recorded on {next(iter(names))}, held against {card.name}")
    return notes


def _work_notes(judged: Sequence[Judged], recording: Recording) -> list[str]:
    """Why work is not known, where that is much of the time."""
    total = sum(j.part.time_ns for j in judged)
    unknown: dict[str, int] = defaultdict(int)
    for j in judged:
        if j.bound.bound == UNKNOWN and j.bound.why:
            unknown[j.bound.why] += j.part.time_ns
    notes = [f"{why} on this card" for why in unknown if why.startswith("the peak of")]
    if unknown.get(IN_GRAPH):
        notes.append(GRAPHED.format(share=100 * unknown[IN_GRAPH] / total if total else 0.0))
    missing = unknown.get(NO_SHAPES, 0) + unknown.get(NO_OPERATOR, 0)
    if missing and not recording.shapes:
        notes.append(NSIGHT if recording.source.startswith("Nsight") else HOW_SHAPES)
    return notes
