"""The compute probe: a short shape search, then a burst on a rested card (seed, Day 14)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from roofwatch.probes import operands
from roofwatch.probes.device import Target
from roofwatch.probes.shapes import TILES, Shape, candidates
from roofwatch.probes.spin import SpinClock
from roofwatch.probes.timing import BURST_S, Launch, Report, Timed, burst
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.statistics import median
from roofwatch.roofline.workload import Work, matmul

LAUNCH_S = 0.0025  # a launch of the search; slow units get smaller shapes
DEEP_LAUNCH_S = 0.005  # of a type whose best shapes are deep
CPU_LAUNCH_S = 0.12
CPU_BURST_S = 0.8
FINALISTS = 2  # the search is rough; the two best meet again on a rested card


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """A shape and layout with the launch that multiplies it."""

    shape: Shape
    layout: str
    launch: Launch


class Ranking(msgspec.Struct, frozen=True, kw_only=True):
    """The best candidates of a search, best first, with all that was ranked on the way."""

    finalists: list[Candidate]
    searched: list[dict[str, Any]]


def work(spec: ProbeSpec, shape: Shape) -> Work:
    """FLOP and compulsory bytes of one launch."""
    return matmul(shape.m, shape.n, shape.k, spec.dtype, operands.out_dtype(spec.dtype))


def flop_budget(target: Target, spec: ProbeSpec) -> float:
    """FLOP of the largest launch worth trying, from the rate of a small square."""
    small = Shape(1024, 1024, 1024) if target.kind == "cpu" else Shape(4096, 4096, 4096)
    launch = operands.prepare(spec, small, operands.layouts(spec.dtype)[-1], target.torch_device)
    timer = target.timer()
    timer.times(launch, 1)
    seconds = min(timer.times(launch, 2))
    launch_s = DEEP_LAUNCH_S if spec.dtype in TILES else LAUNCH_S
    return small.flop / seconds * (CPU_LAUNCH_S if target.kind == "cpu" else launch_s)


def fitting(shapes: tuple[Shape, ...], spec: ProbeSpec, room_bytes: int) -> tuple[Shape, ...]:
    """The smaller of ``shapes`` whose operands fit together: a search holds all of them.

    The smallest alone stays whatever the room: without it there is no probe.
    """
    layouts = len(operands.layouts(spec.dtype))
    kept = list(shapes)
    while len(kept) > 1 and layouts * sum(work(spec, s).bytes for s in kept) > room_bytes:
        kept.remove(max(kept, key=lambda s: work(spec, s).bytes))
    return tuple(kept)


def search(target: Target, spec: ProbeSpec, report: Report) -> Ranking:
    """Rank shapes by three launches each without rest: one to load the kernel, two that count.

    The two run in opposite orders, so that a clock that falls on the way favours no shape.
    """
    shapes = fitting(
        candidates(target.units, flop_budget(target, spec), spec.dtype),
        spec,
        target.free_bytes(),
    )
    timer = target.timer()
    tried: list[Candidate] = []
    for i, shape in enumerate(shapes):
        for layout in operands.layouts(spec.dtype):
            launch = operands.prepare(spec, shape, layout, target.torch_device)
            timer.times(launch, 1)
            tried.append(Candidate(shape=shape, layout=layout, launch=launch))
        report(0.4 * (i + 1) / len(shapes))
    times: list[list[float]] = [[] for _ in tried]
    for turn in (range(len(tried)), reversed(range(len(tried)))):
        for i in turn:
            times[i] += timer.times(tried[i].launch, 1)
    rates = [c.shape.flop / median(s) for c, s in zip(tried, times, strict=True)]
    order = sorted(range(len(tried)), key=rates.__getitem__, reverse=True)
    return Ranking(
        finalists=[tried[i] for i in order[:FINALISTS]],
        searched=[
            {
                "m": c.shape.m,
                "n": c.shape.n,
                "k": c.shape.k,
                "layout": c.layout,
                "tflops": round(rate / 1e12, 3),
            }
            for c, rate in zip(tried, rates, strict=True)
        ],
    )


def measure(
    target: Target,
    finalists: list[Candidate],
    clock: SpinClock | None,
    rest: Callable[[float], None],
) -> tuple[Candidate, Timed]:
    """The burst protocol on the finalists; the winner has the better median rate.

    A CPU has no power budget to rest and noisier neighbours to outlast.
    """
    timer = target.timer()
    launches = [c.launch for c in finalists]
    if target.kind == "cpu":
        timed = burst(timer, launches, rest_s=0.1, cap_s=CPU_BURST_S, sleep=rest)
    else:
        timed = burst(timer, launches, cap_s=BURST_S, clock=clock, sleep=rest)
    pairs = list(zip(finalists, timed, strict=True))
    return max(pairs, key=lambda pair: pair[0].shape.flop / median(pair[1].times_s))
