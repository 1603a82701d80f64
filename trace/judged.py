"""Parts with their bounds, and the table of kernels that they make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.kernel_bound import (
    COMPUTE,
    MEMORY,
    OVERHEAD,
    UNKNOWN,
    KernelBound,
    kernel_bound,
    peak_key_of,
)
from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.recorded_call import RecordedCall
from roofwatch.trace.parts import OVER_LINK, Part
from roofwatch.trace.recording import Recording
from roofwatch.trace.report import KernelRow

MOST_SHAPES = 6
MOST_OPERATORS = 8


class Judged(NamedTuple):
    """One part, its bound, and the peak that judges its arithmetic."""

    part: Part
    bound: KernelBound
    peak_key: str | None


def judge(parts: Iterable[Part], against: Ceilings) -> list[Judged]:
    """Each part by the mean time of its launches."""
    return [_judged(part, against) for part in parts]


def _judged(part: Part, against: Ceilings) -> Judged:
    if part.why == OVER_LINK:
        return Judged(part, KernelBound(bound=OVERHEAD, why=OVER_LINK), None)
    if part.flop is None or part.bytes is None:
        return Judged(part, KernelBound(bound=UNKNOWN, why=part.why), None)
    work = part.work
    key = None
    if work is not None:
        key = peak_key_of(work.kind, work.dtype, _on_tensor_cores(part.name))
        if key == "fp64_tensor" and key not in against.peaks_tflops:
            key = "fp64"
    each_s = part.time_ns / part.count / 1e9
    found = kernel_bound(part.flop / part.count, part.bytes / part.count, key, each_s, against)
    return Judged(part, found, key if work is not None and part.flop else None)


def _on_tensor_cores(name: str) -> bool | None:
    return True if "tf32" in name.lower() else uses_tensor_cores(name)


def rows(judged: Sequence[Judged], recording: Recording, span_s: float) -> list[KernelRow]:
    """One row a name, those that take most time first."""
    by_name: dict[tuple[str, str], list[Judged]] = {}
    for each in judged:
        by_name.setdefault((each.part.kind, each.part.name), []).append(each)
    found = [_row(name, kind, of, recording, span_s) for (kind, name), of in by_name.items()]
    return sorted(found, key=lambda r: (-r.time_s, r.name))


def _row(
    name: str, kind: str, of: Sequence[Judged], recording: Recording, span_s: float
) -> KernelRow:
    of = sorted(of, key=lambda j: -j.part.time_ns)
    time_s = sum(j.part.time_ns for j in of) / 1e9
    known = [j for j in of if j.part.bytes is not None]
    known_s = sum(j.part.time_ns for j in known) / 1e9
    flop = sum(j.part.flop or 0.0 for j in known)
    size = sum(j.part.bytes or 0.0 for j in known)
    bounds: dict[str, float] = {}
    for j in of:
        bounds[j.bound.bound] = bounds.get(j.bound.bound, 0.0) + j.part.time_ns / 1e9
    bound = max(bounds, key=bounds.__getitem__)
    roofed = [j for j in known if j.bound.least_s is not None]
    least_s = sum((j.bound.least_s or 0.0) * j.part.count for j in roofed)
    roofed_s = sum(j.part.time_ns for j in roofed) / 1e9
    first = next((j for j in of if j.bound.bound == bound), of[0])
    calls = dict.fromkeys(j.part.call for j in of if j.part.call >= 0)
    operators = list(dict.fromkeys(recording.names[c] for c in calls))
    return KernelRow(
        name=name,
        count=sum(j.part.count for j in of),
        time_s=time_s,
        share=time_s / span_s if span_s else 0.0,
        intensity=flop / size if known and size else None,
        gbs=size / known_s / 1e9 if known and known_s else None,
        tflops=flop / known_s / 1e12 if known and known_s else None,
        bound=bound,
        of_roof=least_s / roofed_s if roofed and roofed_s else None,
        least_s=least_s if roofed else None,
        flop=flop if known else None,
        bytes=size if known else None,
        known_s=known_s,
        peak_key=first.peak_key,
        bounds=bounds,
        kind=kind,
        operators=operators[:MOST_OPERATORS] if kind != "operator" else [],
        shapes=shapes(recording.calls[first.part.call]) if first.part.work else "",
        shared=any(j.part.shared for j in of),
        why=first.bound.why or _why(first),
    )


def _why(j: Judged) -> str:
    if j.bound.bound == COMPUTE:
        return "its FLOP take longer than its bytes"
    if j.bound.bound == MEMORY:
        return "its bytes take longer than its FLOP"
    return ""


def shapes(call: RecordedCall) -> str:
    """Shapes of the tensors, as ``[8, 4096] x [4096, 16384] bf16``."""
    tensors = [a for a in call.arguments if (a.is_tensor and a.dims) or a.parts]
    told = []
    for a in tensors[:MOST_SHAPES]:
        each = a.parts[:3] if a.parts else (a.dims,)
        told += [f"[{', '.join(map(str, dims))}]" for dims in each]
        told += ["..."] if len(a.parts) > len(each) else []
    types = list(dict.fromkeys(a.dtype for a in tensors if a.is_tensor))
    return " ".join([" x ".join(told), *types]) if told else ""
