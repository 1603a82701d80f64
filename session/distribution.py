"""How repeated times are spread: quartiles, counts in equal bins, modes, a drift."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.roofline.statistics import (
    FEWEST_DRIFTING,
    FEWEST_MODES,
    Modes,
    drift,
    iqr,
    median,
    modes,
)


class Distribution(NamedTuple):
    """Of ``n`` times in seconds. ``modes`` and ``drift`` are None where too few could show them."""

    n: int
    least_s: float
    lower_s: float  # quartile
    median_s: float
    upper_s: float
    greatest_s: float
    iqr_s: float
    modes: Modes | None
    drift: float | None
    enough: bool  # repetitions for two modes to show


def distribution(times_s: Sequence[float]) -> Distribution:
    """Of at least one time."""
    lower = upper = median(times_s)
    if len(times_s) > 1:
        lower, _, upper = statistics.quantiles(times_s, n=4, method="inclusive")
    return Distribution(
        n=len(times_s),
        least_s=min(times_s),
        lower_s=lower,
        median_s=median(times_s),
        upper_s=upper,
        greatest_s=max(times_s),
        iqr_s=iqr(times_s),
        modes=modes(times_s),
        drift=drift(times_s) if len(times_s) >= FEWEST_DRIFTING else None,
        enough=len(times_s) >= FEWEST_MODES,
    )


def counts(values: Sequence[float], limits: tuple[float, float], bins: int) -> list[int]:
    """How many values lie in each of ``bins`` equal parts of the limits; the ends count as in."""
    found = [0] * max(1, bins)
    low, high = limits
    for value in values:
        share = (value - low) / (high - low) if high > low else 0.5
        found[min(len(found) - 1, max(0, int(share * len(found))))] += 1
    return found
