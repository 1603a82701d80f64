"""The compute probe: a short shape search, then a burst on a rested card (seed, Day 14)."""

from __future__ import annotations

from typing import Any

import msgspec

from roofwatch.probes import operands
from roofwatch.probes.device import Target
from roofwatch.probes.shapes import Shape, candidates
from roofwatch.probes.timing import BURST_S, Launch, Report, Timed, Timer, burst
from roofwatch.roofline.statistics import median
from roofwatch.roofline.suite import ProbeSpec
from roofwatch.roofline.workload import Work, matmul

LAUNCH_S = 0.0025  # a launch of the search; slow units get smaller shapes
CPU_LAUNCH_S = 0.12
CPU_BURST_S = 0.6


class Choice(msgspec.Struct, frozen=True, kw_only=True):
    """The best shape and layout of a search, with what was ranked on the way."""

    shape: Shape
    layout: str
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
    return small.flop / seconds * (CPU_LAUNCH_S if target.kind == "cpu" else LAUNCH_S)


def search(target: Target, spec: ProbeSpec, report: Report) -> Choice:
    """Rank shapes by three launches each without rest: one to load the kernel, two that count.

    The two run in opposite orders, so that a clock that falls on the way favours no shape.
    """
    shapes = candidates(target.units, flop_budget(target, spec))
    timer = target.timer()
    tried: list[tuple[Shape, str, Launch]] = []
    for i, shape in enumerate(shapes):
        for layout in operands.layouts(spec.dtype):
            launch = operands.prepare(spec, shape, layout, target.torch_device)
            timer.times(launch, 1)
            tried.append((shape, layout, launch))
        report(0.4 * (i + 1) / len(shapes))
    times: list[list[float]] = [[] for _ in tried]
    for order in (range(len(tried)), reversed(range(len(tried)))):
        for i in order:
            times[i] += timer.times(tried[i][2], 1)
    rates = [t[0].flop / median(s) for t, s in zip(tried, times, strict=True)]
    shape, layout, _ = tried[max(range(len(tried)), key=rates.__getitem__)]
    searched = [
        {"m": s.m, "n": s.n, "k": s.k, "layout": lay, "tflops": round(rate / 1e12, 3)}
        for (s, lay, _), rate in zip(tried, rates, strict=True)
    ]
    return Choice(shape=shape, layout=layout, searched=searched)


def measure(target: Target, timer: Timer, launch: Launch) -> Timed:
    """The burst protocol; a CPU has no power budget to rest and noisier neighbours to outlast."""
    if target.kind == "cpu":
        return burst(timer, launch, rest_s=0.1, cap_s=CPU_BURST_S)
    return burst(timer, launch, cap_s=BURST_S)
