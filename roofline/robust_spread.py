"""Which of many like figures lies apart: robust spread with a floor, and two groups where it fails.

The median and the median absolute deviation (MAD) are not moved by the outliers they are to find,
as mean and standard deviation are; half of the figures may be wrong before they are.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from statistics import NormalDist

import msgspec

from roofwatch.roofline.statistics import median

SIGMA_OF_MAD = 1.4826  # a normal distribution's standard deviation over its MAD
FARTHEST = 3.5  # deviations that are no outlier yet (Iglewicz and Hoaglin, 1993)
BY_CHANCE = 0.05  # outliers that all figures together may have without a cause
FEWEST = 3  # figures that can tell which of them is wrong
GAP = 2.0  # between two groups, over the wider one's own range
OF_A_GROUP = 2  # figures of each, but where there are two in all


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """Of like figures. ``deviation`` is the robust one, never under its floor; ``limit`` so many
    of them may lie between a figure and the median."""

    count: int
    median: float
    low: float
    high: float
    mad: float
    deviation: float
    limit: float
    floor: float  # share of the median that figures of this kind lie apart without a cause

    def deviations(self, value: float) -> float:
        """Of a value under the median, in robust deviations; negative above it."""
        return (self.median - value) / self.deviation if self.deviation else 0.0

    def under(self, value: float) -> bool:
        """Whether it lies further under the median than spread explains; of two none does."""
        return self.count >= FEWEST and self.deviations(value) > self.limit


class Split(msgspec.Struct, frozen=True, kw_only=True):
    """Two groups with a gap between them. ``slow`` are places in the list that was asked about,
    ``fast_median`` is the others' median."""

    slow: tuple[int, ...]
    fast_median: float


def limit(figures: int) -> float:
    """Deviations that the farthest of so many normal figures stays within, in 19 of 20 fleets.

    Bonferroni's bound; ``FARTHEST`` for few.
    """
    return max(FARTHEST, NormalDist().inv_cdf(1 - BY_CHANCE / max(1, figures)))


def spread_of(values: Sequence[float], floor: float, figures: int = 1) -> Spread:
    """The spread of ``values``; ``floor`` is a share, ``figures`` how many are judged in all.

    A figure within ``floor`` of the median is never an outlier, however close the others lie.
    Raises statistics.StatisticsError where there is no value.
    """
    middle = median(values)
    mad = median([abs(v - middle) for v in values])
    return Spread(
        count=len(values),
        median=middle,
        low=min(values),
        high=max(values),
        mad=mad,
        deviation=max(SIGMA_OF_MAD * mad, floor * abs(middle) / FARTHEST),
        limit=limit(figures),
        floor=floor,
    )


def split_of(values: Sequence[float], floor: float) -> Split | None:
    """Two groups further apart than ``floor`` of the upper one, where a gap parts them.

    For what a median cannot tell: of two figures one, of two nodes' cards half. One alone among
    many is the spread's matter.
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    gaps = [values[b] - values[a] for a, b in itertools.pairwise(order)]
    if not gaps:
        return None
    cut = gaps.index(max(gaps)) + 1
    lower, upper = ([values[i] for i in part] for part in (order[:cut], order[cut:]))
    if len(values) > 2 and min(len(lower), len(upper)) < OF_A_GROUP:
        return None
    if max(gaps) < GAP * max(lower[-1] - lower[0], upper[-1] - upper[0]):
        return None
    slow, fast = median(lower), median(upper)
    if fast <= 0 or 1 - slow / fast <= floor:
        return None
    return Split(slow=tuple(sorted(order[:cut])), fast_median=fast)
