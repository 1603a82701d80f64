"""The slow ones, by node and card, each with its numbers and what its record says of the cause."""

from __future__ import annotations

import msgspec

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.reason import Reason, reason
from roofwatch.session.fleet.spreads import Metric

PAIR = "of two, spread cannot tell which is wrong"
GROUPS = "two groups: the spread cannot tell which is wrong"
HALVED = "half of the best or less, where the spread cannot tell which is wrong"


class Outlier(msgspec.Struct, frozen=True, kw_only=True):
    """A rank that is slow in one figure.

    ``median`` is the others': of all, or of the faster group (or the best of all) where ``doubt``
    says that spread cannot tell; then ``deviations`` is null. ``under`` is a share of it.
    """

    rank: int
    host: str
    node: str
    card: int
    place: str
    metric: str
    value: float
    unit: str
    median: float
    under: float
    deviations: float | None
    limit: float
    reason: Reason
    doubt: str = ""

    @property
    def against(self) -> str:
        """What ``median`` is, in words."""
        return {"": "the median", HALVED: "the best"}.get(self.doubt, "the faster")


def outliers(fleet: Fleet, found: list[Metric]) -> list[Outlier]:
    """All of them: the ranks that lie furthest under first, each with its worst figure first."""
    slow = [each for metric in found if metric.judged for each in _of(fleet, metric)]
    worst: dict[int, float] = {}
    for each in slow:
        worst[each.rank] = max(worst.get(each.rank, 0.0), each.under)
    return sorted(slow, key=lambda o: (-worst[o.rank], o.rank, -o.under))


def _of(fleet: Fleet, metric: Metric) -> list[Outlier]:
    out = []
    for rank in metric.ranks:
        r = fleet.ranks[rank]
        value = r.figures[metric.name].value
        if not metric.slow(rank, value):
            continue
        apart = metric.comparable and metric.spread.under(value)
        middle, doubt = (metric.spread.median, "") if apart else _against(metric, rank)
        out.append(
            Outlier(
                rank=rank,
                host=r.host,
                node=r.node,
                card=r.card,
                place=r.place,
                metric=metric.name,
                value=value,
                unit=metric.unit,
                median=middle,
                under=1 - value / middle,
                deviations=round(metric.spread.deviations(value), 2) if apart else None,
                limit=round(metric.spread.limit, 2),
                reason=reason(fleet, r, metric, 1 - value / middle),
                doubt=doubt,
            )
        )
    return out


def _against(metric: Metric, rank: int) -> tuple[float, str]:
    """What a slow one is held against where the spread names none, and what that leaves open."""
    if metric.split is not None and rank in metric.slow_group and metric.comparable:
        return metric.split.fast_median, PAIR if metric.of_two else GROUPS
    return metric.best or metric.spread.high, PAIR if metric.of_two else HALVED
