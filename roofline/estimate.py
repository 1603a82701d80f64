"""A figure with the interval in which it is known, and the ratio of two of them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from roofwatch.roofline.statistics import median, median_interval


class Estimate(NamedTuple):
    """A positive figure and its 95 % interval; None where too few values were taken to tell."""

    value: float
    interval: tuple[float, float] | None = None


def estimate(values: Sequence[float], of: Callable[[float], float] = float) -> Estimate | None:
    """The median of repeated values with its interval; ``of`` makes the figure of a value.

    ``of`` may turn the order round, as from a time to a rate. None where the figure is not finite
    and above zero, which no rate, time or clock is.
    """
    if not values:
        return None
    around = median_interval(values)
    found = [of(median(values)), *(of(end) for end in around or ())]
    if not all(_usable(v) for v in found):
        return None
    return Estimate(found[0], (min(found), max(found)) if around else None)


def over(above: Estimate, below: Estimate) -> Estimate | None:
    """``above`` over ``below``, two that were measured independently of each other.

    The interval is MOVER's (Zou and Donner, 2008) on logarithms: at either end the distances of
    both figures to the ends of their own intervals, added as squares.
    """
    ratio = above.value / below.value
    if not _usable(ratio):
        return None
    if above.interval is None or below.interval is None:
        return Estimate(ratio)
    down = math.hypot(
        math.log(above.value / above.interval[0]), math.log(below.interval[1] / below.value)
    )
    up = math.hypot(
        math.log(above.interval[1] / above.value), math.log(below.value / below.interval[0])
    )
    ends = ratio * math.exp(-min(down, FARTHEST)), ratio * math.exp(min(up, FARTHEST))
    return Estimate(ratio, ends) if all(map(_usable, ends)) else Estimate(ratio)


FARTHEST = 600.0  # of a logarithm: exp stays a float


def _usable(value: float) -> bool:
    return math.isfinite(value) and value > 0
