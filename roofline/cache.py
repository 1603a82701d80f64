"""The last-level cache as a size sweep shows it: a plateau, a cliff, and the memory behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from roofwatch.roofline.statistics import median

RISE = 1.10  # a plateau less than this above the memory's rate shows no cache
FEWEST = 4
TAIL = 4  # largest sets whose median is the memory's rate


class Cliff(msgspec.Struct, frozen=True, kw_only=True):
    """Where the rate has fallen half-way from the cache's plateau to the memory's rate."""

    bytes_seen: int
    plateau_gbs: float
    memory_gbs: float


def cliff(points: Sequence[tuple[int, float]]) -> Cliff | None:
    """The cliff in (bytes of all tensors, GB/s), by rising size; None when none is seen.

    The memory's rate is the median of the largest sets', the plateau that of the points nearer to
    the highest than to it. Between two sizes the crossing is interpolated over the logarithm.
    """
    if len(points) < FEWEST:
        return None
    highest = max(rate for _, rate in points)
    memory = median([rate for _, rate in points[-min(TAIL, len(points) // FEWEST) :]])
    plateau = median([rate for _, rate in points if rate >= (highest + memory) / 2])
    if plateau < RISE * memory:
        return None
    half = (plateau + memory) / 2
    last = max(i for i, (_, rate) in enumerate(points) if rate >= half)
    if last + 1 == len(points):
        return None
    (size_a, rate_a), (size_b, rate_b) = points[last], points[last + 1]
    share = (rate_a - half) / (rate_a - rate_b)
    size = math.exp(math.log(size_a) + share * (math.log(size_b) - math.log(size_a)))
    return Cliff(bytes_seen=round(size), plateau_gbs=plateau, memory_gbs=memory)


def sweep_bytes(cache_bytes: int, least: int, most: int) -> tuple[int, ...]:
    """Sizes of a sweep: an octave apart, an eighth octave apart around the cache's size."""
    sizes = set()
    size = least
    while size <= most:
        sizes.add(size)
        size *= 2
    if cache_bytes:
        for step in range(-8, 9):  # half the cache to twice it
            sizes.add(round(cache_bytes * 2 ** (step / 8)))
        for step in (-8, -6, 6, 8):  # quarter octaves further out
            sizes.add(round(cache_bytes * 2 ** (step / 4)))
        sizes.add(round(cache_bytes * 0.4))  # both tensors of y = x + 1 fit with room to spare
    return tuple(sorted(s for s in sizes if least <= s <= most))
