"""The notebook's mistakes E1 to E5 made on purpose, each timed as those who make it time it.

What comes out is a claim: the number as it would have been reported. No field of it says what went
wrong, so that the rules must see it in the number itself.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec
import torch

from roofwatch.probes import matmul, operands, streams
from roofwatch.probes.device import Target
from roofwatch.probes.place import Place
from roofwatch.probes.shapes import Shape
from roofwatch.probes.timing import BURST_S, Report, Timed, burst, one_by_one
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.statistics import median
from roofwatch.roofline.workload import Work
from roofwatch.session.events import Claimed

PART_OF_CACHE = {"cuda": 3, "cpu": 16}  # a CPU's last level is large, and often shared
PART_OF_STREAM = {"cuda": 1, "cpu": 4}  # a CPU takes longer to touch gigabytes than to time them
PAGE_BYTES = 4096
SIDE = 512  # seed: left of the ridge, a few tiles of work, as short as a launch
QUEUED_BYTES = 1 << 30
WARM = 50
REPEATS = 50
DIGITS = 10
COMPARED = "fp16"  # the peak that E3 is held against

ON_A_CPU = {
    "E3": "a CPU has no datasheet peaks that one could take for another: E3 is not made",
    "E4": "without a peak of this CPU nothing is too small for it: E4 is not made",
    "E5": "a CPU call returns when its work is done: E5 cannot happen",
}


class Made(msgspec.Struct, frozen=True, kw_only=True):
    """What was launched, how long it took by that way of timing, and what would be reported."""

    work: Work
    timed: Timed
    claim: Claimed
    layout: str | None = None


def cannot(spec: ProbeSpec, place: Place) -> str | None:
    """Why this mistake is not made on this device, or None."""
    if place.target.kind == "cpu" and spec.mistake in ON_A_CPU:
        return ON_A_CPU[spec.mistake]
    if spec.mistake == "E2" and not place.target.cache_bytes:
        return "the size of the last-level cache is not known: E2 is not made"
    if spec.mistake == "E3" and COMPARED not in place.peaks_tflops:
        return f"no dense {COMPARED} peak of this card is known: E3 is not made"
    if spec.mistake == "E3" and spec.peak_key not in place.shapes:
        return f"{spec.right} has no shape to launch again: E3 is not made"
    return None if spec.mistake in MAKERS else f"{spec.mistake} is made by another version"


def make(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """Make the mistake of ``spec``; see ``cannot`` first."""
    return MAKERS[spec.mistake](spec, place, report)


def read_only_bytes(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """E1: arrays beyond the cache, well timed, and only the bytes that are read are counted."""
    size, _ = streams.tensor_bytes(place.target, spec.op)
    part = size // PART_OF_STREAM[place.target.kind] // PAGE_BYTES * PAGE_BYTES
    work, launch = streams.prepare(place.target, spec.op, spec.dtype, max(PAGE_BYTES, part))
    timed = streams.measure(place.target, launch, place.clock, report)
    return _of_stream(spec, work, timed, sum(t.read_bytes for t in work.tensors))


def l2_hit(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """E2: tensors that fit in the cache together, so short that a graph of launches times them."""
    target = place.target
    part = target.cache_bytes // PART_OF_CACHE[target.kind] // 2
    size = max(PAGE_BYTES, part // PAGE_BYTES * PAGE_BYTES)
    work, launch = streams.prepare(target, spec.op, spec.dtype, size)
    return _of_stream(spec, work, streams.measure(target, launch, place.clock, report), work.bytes)


def wrong_peak(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """E3: the right launch, well timed, and compared with the peak of another precision."""
    operands.set_math(spec)
    shape, layout = place.shapes[spec.peak_key or ""]
    launch = operands.prepare(spec, shape, layout, place.target.torch_device)
    report(0.1)
    (timed,) = burst(
        place.target.timer(), [launch], cap_s=BURST_S, clock=place.clock, sleep=place.rest
    )
    return _of_matmul(spec, shape, layout, timed, place.peaks_tflops[COMPARED])


def too_small(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """E4: a small square on a warm card, with a pair of events around each launch."""
    operands.set_math(spec)
    shape, layout = Shape(SIDE, SIDE, SIDE), operands.layouts(spec.dtype)[0]
    launch = operands.prepare(spec, shape, layout, place.target.torch_device)
    timer = place.target.timer()
    warmup = timer.times(launch, WARM)
    timed = one_by_one(lambda: timer.times(launch, 1)[0], timer.name, REPEATS, warmup, report)
    return _of_matmul(spec, shape, layout, timed)


def missing_sync(spec: ProbeSpec, place: Place, report: Report) -> Made:
    """E5: the host's clock around one eager call, which returns when the work is queued.

    The card is idle when each call begins: it is waited for between them, outside the time.
    """
    target = place.target
    free = target.free_bytes() // 2 // PAGE_BYTES * PAGE_BYTES
    size = min(QUEUED_BYTES, free)
    if size < streams.LEAST_BYTES:
        raise RuntimeError(f"too little memory is free: {max(0, free)} bytes")
    work, launch = streams.prepare(target, spec.op, spec.dtype, size)

    def call_s() -> float:
        _wait(target)
        begin = time.perf_counter()
        launch()
        return time.perf_counter() - begin

    warmup = [call_s() for _ in range(3)]
    timed = one_by_one(call_s, "host", REPEATS, warmup, report)
    _wait(target)
    return _of_stream(spec, work, timed, work.bytes)


MAKERS: dict[str, Callable[[ProbeSpec, Place, Report], Made]] = {
    "E1": read_only_bytes,
    "E2": l2_hit,
    "E3": wrong_peak,
    "E4": too_small,
    "E5": missing_sync,
}


def _wait(target: Target) -> None:
    if target.torch_device.type == "cuda":
        torch.cuda.synchronize(target.torch_device)


def _of_stream(spec: ProbeSpec, work: Work, timed: Timed, counted_bytes: int) -> Made:
    time_s = median(timed.times_s)
    claim = Claimed(
        op=spec.op,
        dtype=spec.dtype,
        elements=work.shape["elements"],
        time_s=round(time_s, DIGITS),
        claimed_gbs=counted_bytes / time_s / 1e9,
        timing=timed.timing,
    )
    return Made(work=work, timed=timed, claim=claim)


def _of_matmul(
    spec: ProbeSpec, shape: Shape, layout: str, timed: Timed, compared_tflops: float | None = None
) -> Made:
    work, time_s = matmul.work(spec, shape), median(timed.times_s)
    claim = Claimed(
        op=spec.op,
        dtype=spec.dtype,
        math=spec.math,
        m=shape.m,
        n=shape.n,
        k=shape.k,
        time_s=round(time_s, DIGITS),
        claimed_tflops=work.flop / time_s / 1e12,
        nominal_tflops=compared_tflops,
        timing=timed.timing,
    )
    return Made(work=work, timed=timed, claim=claim, layout=layout)
