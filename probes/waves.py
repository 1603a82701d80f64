"""Matmuls of rising tile counts around the number of SMs: wave quantization (seed, Day 17).

NVIDIA, Matrix Multiplication Background User's Guide: an output of one tile more than there are
SMs takes as long as one of two whole waves. Which tile a library takes is told by the kernel's
name alone, so each point is named, and the shapes are made of the tile that it took at one wave.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from roofwatch.probes import kernels, matmul, operands
from roofwatch.probes.device import CudaTarget
from roofwatch.probes.kernels import Profiled
from roofwatch.probes.place import Place, Point
from roofwatch.probes.shapes import Shape, grid
from roofwatch.probes.timing import Launch, Report, Timed, repeated
from roofwatch.roofline.kernel_name import USUAL_TILE, tile
from roofwatch.roofline.probe_spec import ProbeSpec

NO_WAVES = "a CPU has no SMs that wait for each other: there are no waves to see"
UNNAMED = "the profiler names no kernel here: tiles of 128 x 256 are assumed"
DEPTH = 8192  # a wave of a hundred microseconds: its start and end hardly show
WAVES = (0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0)
STEPS = (1, 2, 3)  # whole waves that are followed by as little more as makes a matrix
MOST_ASPECT = 4.5  # a longer matrix meets other kernels
MOST_STEP = 0.1  # of a wave
TRIES = 3  # to find the tile that the library keeps
WARM, REPEATS = 2, 7
REST_S = 0.3
LEAST_CELL, MOST_CELL = 64, 512  # sides of a cell in which whole tiles stand either way round


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """Each count of tiles, rising; none on a CPU."""
    target = place.target
    if not isinstance(target, CudaTarget):
        place.note(NO_WAVES)
        return
    operands.set_math(spec)
    used = _tile(spec, target)
    if used is None:
        place.note(UNNAMED)
    shapes = staircase(used or USUAL_TILE, target.units)
    for i, shape in enumerate(shapes):
        launch = operands.prepare(spec, shape, "nn", target.torch_device)
        timed = _repeated(place, target, launch)
        yield Point(
            work=matmul.work(spec, shape),
            timed=timed,
            layout="nn",
            profile=kernels.profiled(target, launch),
        )
        report((i + 1) / len(shapes))


def cell(of: tuple[int, int]) -> tuple[int, int, int]:
    """Rows and columns of a cell that whole tiles fill, and how many do.

    A library multiplies transposed at will. A square cell holds the same tiles either way round;
    where it would be too large for counts near a wave, the tile stands as the name says it.
    """
    side = math.lcm(*of)
    if LEAST_CELL <= side <= MOST_CELL:
        return side, side, side * side // (of[0] * of[1])
    return *of, 1


def staircase(of: tuple[int, int], units: int) -> list[Shape]:
    """Shapes whose tiles make the wanted parts of a wave of ``units``, and just over whole ones."""
    rows, columns, held = cell(of)
    counts: set[int] = set()
    for waves in WAVES:
        most = math.floor(waves * units / held)
        counts.update(_first(range(most, max(0, most - most // 8 - 1), -1), rows, columns))
    for waves in STEPS:
        least = math.floor(waves * units / held) + 1
        step = max(1, round(MOST_STEP * units / held))
        counts.update(_first(range(least, least + step), rows, columns))
    out = []
    for count in sorted(counts):
        down, across = grid(count, (rows, columns))
        out.append(Shape(down * rows, across * columns, DEPTH))
    return out


def _first(counts: range, rows: int, columns: int) -> list[int]:
    """The first count that makes a matrix which is not too long; a list, for there may be none."""
    for count in counts:
        down, across = grid(count, (rows, columns))
        if abs(math.log(down * rows / (across * columns))) <= math.log(MOST_ASPECT):
            return [count]
    return []


def _tile(spec: ProbeSpec, target: CudaTarget) -> tuple[int, int] | None:
    """The tile that the library takes for one whole wave of it; None where none is named."""
    used: tuple[int, int] | None = None
    for _ in range(TRIES):
        shape = _whole_wave(used or USUAL_TILE, target.units)
        launch = operands.prepare(spec, shape, "nn", target.torch_device)
        launch()
        named = _named(kernels.profiled(target, launch))
        if named is None or named == used:
            return used
        used = named
    return used


def _named(profile: Profiled) -> tuple[int, int] | None:
    return tile(profile.kernel) if profile.kernel else None


def _whole_wave(of: tuple[int, int], units: int) -> Shape:
    rows, columns, held = cell(of)
    down, across = grid(max(1, units // held), (rows, columns))
    return Shape(down * rows, across * columns, DEPTH)


def _repeated(place: Place, target: CudaTarget, launch: Launch) -> Timed:
    """A few repetitions on a rested card, each of a millisecond: no clock falls in so short."""
    timer = target.timer_for(launch)
    warmup = timer.times(launch, WARM)
    place.rest(REST_S)
    return repeated(timer, launch, REPEATS, warmup)
