"""Size sweeps: one launch over many sizes, each timed by what suits it (seed, Day 13 and 14).

A sweep over bytes shows the cache's plateau and its cliff, a sweep over squares where the curve
leaves the slope. Half a second a launch ends it: on a small CPU hours would be left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from roofwatch.probes import matmul, operands, streams
from roofwatch.probes.device import Target
from roofwatch.probes.kernels import Profiled
from roofwatch.probes.shapes import Shape
from roofwatch.probes.timing import Launch, Timed, Timer, burst, repeated
from roofwatch.roofline import workload
from roofwatch.roofline.cache import sweep_bytes
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.workload import ELEMENT_BITS, Work

SMALLEST_BYTES, LARGEST_BYTES = 256 << 10, 4 << 30
GRAIN_BYTES = 1 << 14  # rows of a read divide it, and every vector width does
PASSES_BELOW_BYTES = {"cuda": 1 << 30, "cpu": 16 << 20}  # larger launches are long enough
PASSES = 8
SQUARES = (256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384)
MOST_SIZES = 36  # of a sweep over bytes, to tell how far it has come
REPEATS = {"cuda": 7, "cpu": 3}
WARM = 2
TOO_LONG_S = 0.5
REST_ABOVE_S = 100e-6  # shorter launches heat nothing
Point = tuple[Work, Timed]


def over_bytes(target: Target, spec: ProbeSpec) -> Iterator[Point]:
    """Points by rising bytes of all tensors together, up to what fits and ends in time."""
    most = min(LARGEST_BYTES, target.free_bytes() // 2)
    sizes = sweep_bytes(target.cache_bytes, SMALLEST_BYTES, most)
    if not sizes:
        raise RuntimeError("too little memory is free for a sweep")
    element_bytes = ELEMENT_BITS[spec.dtype] // 8
    reads = spec.op == "read"
    largest = sizes[-1] if reads else sizes[-1] // 2
    x = streams.random_normal(target, largest // element_bytes, spec.dtype)
    y = streams.touched(target, 0 if reads else x.numel(), spec.dtype)
    for size in sizes:
        tensor = max(GRAIN_BYTES, (size if reads else size // 2) // GRAIN_BYTES * GRAIN_BYTES)
        elements = tensor // element_bytes
        if reads:
            passes = PASSES if size < PASSES_BELOW_BYTES[target.kind] else 1
            work, launch = streams.reading(x[:elements], spec.dtype, passes)
        else:
            work = workload.add_scalar(elements, spec.dtype)
            launch = _add_one(x[:elements], y[:elements])
        timed = _repeated(target.timer_for(launch), launch, REPEATS[target.kind])
        if timed is None:
            return
        yield work, timed


def _add_one(x: torch.Tensor, y: torch.Tensor) -> Launch:
    return lambda: torch.add(x, 1, out=y)


def _repeated(timer: Timer, launch: Launch, repeats: int) -> Timed | None:
    """A few repetitions after a warm-up; None when one launch takes too long to repeat."""
    warmup = timer.times(launch, WARM)
    return None if min(warmup) > TOO_LONG_S else repeated(timer, launch, repeats, warmup)


def over_squares(
    target: Target,
    spec: ProbeSpec,
    layout: str,
    rest: Callable[[float], None],
    profile: Callable[[Launch], Profiled],
) -> Iterator[tuple[Work, Timed, Profiled]]:
    """Points by rising side of a square; each large one starts on a rested card.

    ``profile`` names the kernel of each: a library takes other tiles for other sizes.
    """
    operands.set_math(spec)
    for n in SQUARES:
        need = 3 * n * n * ELEMENT_BITS[spec.dtype] // 8
        if need > target.free_bytes():
            if n == SQUARES[0]:
                raise RuntimeError("too little memory is free for a sweep")
            return
        shape = Shape(n, n, n)
        launch = operands.prepare(spec, shape, layout, target.torch_device)
        timer = target.timer_for(launch)
        if target.kind == "cuda" and min(timer.times(launch, WARM)) > REST_ABOVE_S:
            (timed,) = burst(target.timer(), [launch], sleep=rest)
        else:
            seen = _repeated(timer, launch, REPEATS[target.kind])
            if seen is None:
                return
            timed = seen
        yield matmul.work(spec, shape), timed, profile(launch)
