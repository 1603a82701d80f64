"""Matmuls whose sides are multiples of 8 and 64, against one off (seed: take 8 or 64).

A side counts where it is the length of an operand's rows: there a kernel loads 16 bytes at once.
"""

from __future__ import annotations

from collections.abc import Iterator

from roofwatch.probes import kernels, matmul, operands
from roofwatch.probes.device import Target
from roofwatch.probes.place import Place, Point
from roofwatch.probes.shapes import Shape
from roofwatch.probes.timing import BURST_S, Launch, Report, Timed, burst
from roofwatch.roofline.probe_spec import ProbeSpec

SIDES = {"cuda": (8192, 4096, 2048, 1024), "cpu": (1024, 512, 256)}
BUDGETS = 2.0  # of a launch of the shape search, for the aligned square
ALIGNED = "aligned"
OFF = {
    "cuda": ("k-1", "k-2", "k-4", "k-8", "k-64", "n-1", "n-8", "m-1", "m-1 n-1 k-1"),
    "cpu": ("k-1", "n-1", "m-1", "m-1 n-1 k-1"),
}
VOCABULARY, PADDED = 50257, 50304  # GPT-2's, and the next multiple of 64
CPU_BURST_S = 1.5
CPU_REST_S = 0.1


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """The aligned square, the same with sides off, and on a card a vocabulary and its padding."""
    target = place.target
    operands.set_math(spec)
    side = _side(target, spec)
    plan = [(ALIGNED, Shape(side, side, side), "nn")]
    plan += [(variant, moved(side, variant), "nn") for variant in OFF[target.kind]]
    if target.kind == "cuda":
        # A head multiplies by a matrix of one row a word: the second operand is transposed.
        plan += [
            ("vocabulary padded", Shape(side // 4, PADDED, side // 2), "nt"),
            ("vocabulary", Shape(side // 4, VOCABULARY, side // 2), "nt"),
        ]
    launches = [operands.prepare(spec, s, layout, target.torch_device) for _, s, layout in plan]
    for i, timed in enumerate(_timed(place, launches)):
        variant, shape, layout = plan[i]
        yield Point(
            work=matmul.work(spec, shape),
            timed=timed,
            variant=variant,
            layout=layout,
            profile=kernels.profiled(target, launches[i]),
        )
        report((i + 1) / len(plan))


def moved(side: int, variant: str) -> Shape:
    """The square of ``side`` with what the variant takes off: ``m-1 n-1``, ``k-8``."""
    sides = dict.fromkeys("mnk", side)
    for part in variant.split():
        name, _, less = part.partition("-")
        sides[name] -= int(less)
    return Shape(**sides)


def _side(target: Target, spec: ProbeSpec) -> int:
    """The largest square whose launch is short enough, and which fits."""
    budget = BUDGETS * matmul.flop_budget(target, spec)
    sides = SIDES[target.kind]
    fitting = [n for n in sides if Shape(n, n, n).flop <= budget]
    return fitting[0] if fitting else sides[-1]


def _timed(place: Place, launches: list[Launch]) -> Iterator[Timed]:
    """Each by the burst protocol on a rested card; on a CPU all take turns, for it has neighbours.

    A card's turns would not do: slow kernels draw less power, and lend what they spare.
    """
    timer = place.target.timer()
    if place.target.kind == "cpu":
        yield from burst(timer, launches, rest_s=CPU_REST_S, cap_s=CPU_BURST_S, sleep=place.rest)
        return
    for launch in launches:
        yield from burst(timer, [launch], cap_s=BURST_S, clock=place.clock, sleep=place.rest)
