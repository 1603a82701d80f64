"""The spread of each figure over the cards of one kind."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.robust_spread import FEWEST, Split, Spread, split_of, spread_of
from roofwatch.session.differences import apart_of
from roofwatch.session.fleet.doubted import doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import BETTER, CLOCK_HELD, RankFigures
from roofwatch.session.noise import ON_HOST

HALF = 0.5  # of the best one: no two cards of a kind lie so far apart
FAR = 5.0  # times what like cards differ by: a limit beyond that is no spread of like cards


class Metric(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of all ranks of a kind. ``split`` is told where ``spread`` cannot judge."""

    name: str
    unit: str
    device: str  # the kind of card
    spread: Spread
    split: Split | None
    ranks: tuple[int, ...]  # in the order of the values, which ``split`` names by place
    judged: bool  # whether a low one is a slow card
    far: float  # share under the median that a limit may be, and still tell anything
    of_kind: int  # ranks with such a card
    comparable: bool  # two ranks at least, and believed what the slow ones are held against
    best: float | None = None  # of the figures that no record doubts
    excused: tuple[int, ...] = ()  # ranks whose clock may be low: their rate at it is not
    rate_too_far: bool = False  # the rate that a clock counts with cannot tell who is slow
    values: tuple[float, ...] = ()  # as ``ranks``

    @property
    def slow_group(self) -> tuple[int, ...]:
        """Ranks of the slower of two groups."""
        found = tuple(self.ranks[i] for i in self.split.slow) if self.split else ()
        return tuple(rank for rank in found if rank not in self.excused)

    @property
    def of_two(self) -> bool:
        """Whether two ranks alone have it: between them lies a mean that no card has."""
        return self.spread.count == 2

    @property
    def against(self) -> float:
        """What a rank's value is held against: the median; of two the faster, which is the higher
        one, of power and heat too."""
        return self.spread.high if self.of_two else self.spread.median

    @property
    def slow_under(self) -> float | None:
        """Share under the median from which a rank is slow; of two ranks, under the faster one.
        None where there is nothing to compare, or where ranks lie too far apart for a limit."""
        s = self.spread
        if not self.judged or not s.median or s.count < 2:
            return None
        if self.rate_too_far and any(map(s.under, self.values)):
            return None
        if s.count < FEWEST:
            return s.floor
        share = s.limit * s.deviation / abs(s.median)
        return share if share <= self.far or any(map(s.under, self.values)) else None

    @property
    def apart(self) -> float | None:
        """How far the lowest lies under the highest, as a share of that."""
        return 1 - self.spread.low / self.spread.high if self.spread.high > 0 else None

    @property
    def too_far(self) -> bool:
        """Whether ranks lie so far apart that no one of them can be called slow, and none is."""
        return (
            self.comparable
            and (self.rate_too_far or not set(self.ranks) <= set(self.excused))
            and self.slow_under is None
            and not any(self.slow(r, v) for r, v in zip(self.ranks, self.values, strict=False))
        )

    def half_of_best(self, value: float) -> bool:
        """Whether a value is half of the best believed one, or less."""
        return self.best is not None and self.best > 0 and value <= HALF * self.best

    def slow(self, rank: int, value: float) -> bool:
        """Whether this value of a rank makes it a slow one."""
        if not self.judged or rank in self.excused:
            return False
        if self.half_of_best(value):
            return True
        return self.comparable and (rank in self.slow_group or self.spread.under(value))


def floor_of(unit: str, kind: str | None) -> float:
    """Share by which like cards differ without a cause: as several H200s did, assumed on a CPU."""
    return apart_of(unit) if kind == "cuda" else ON_HOST


def metrics(fleet: Fleet) -> list[Metric]:
    """Each figure's spread, in the order of measuring; of cards of two kinds each apart."""
    found = []
    doubts = doubted_figures(doubted(fleet))
    for device, ranks in kinds(fleet).items():
        names = [name for name in fleet.metrics() if any(name in r.figures for r in ranks)]
        in_all = sum(name in r.figures for name in names for r in ranks)
        of_kind = {name: _metric(name, device, ranks, in_all, doubts) for name in names}
        found += [_with_its_rate(m, of_kind, ranks) for m in of_kind.values()]
    return found


def _with_its_rate(metric: Metric, beside: dict[str, Metric], ranks: list[RankFigures]) -> Metric:
    """A clock counts with the rate it belongs to: who works harder clocks lower at one limit."""
    if metric.name != CLOCK_HELD:
        return metric
    excused, too_far = [], False
    for r in ranks:
        rate = beside.get(r.held_probe)
        if rate is None or r.held_probe not in r.figures:
            continue
        if not rate.slow(r.rank, r.figures[r.held_probe].value):
            excused.append(r.rank)
        too_far = too_far or rate.too_far
    return msgspec.structs.replace(metric, excused=tuple(excused), rate_too_far=too_far)


def kinds(fleet: Fleet) -> dict[str, list[RankFigures]]:
    """Ranks with figures by the name of their card."""
    found: dict[str, list[RankFigures]] = {}
    for r in fleet.in_order:
        if r.figures:
            found.setdefault(r.device or r.kind or "unknown", []).append(r)
    return found


def _metric(
    name: str,
    device: str,
    ranks: list[RankFigures],
    in_all: int,
    doubts: set[tuple[int, str]],
) -> Metric:
    having = [r for r in ranks if name in r.figures]
    unit, kind = having[0].figures[name].unit, having[0].kind
    values = [r.figures[name].value for r in having]
    floor = floor_of(unit, kind)
    spread = spread_of(values, floor, in_all)
    judged = unit in BETTER
    alone = judged and not any(spread.under(v) for v in values)
    doubted = {r.rank for r in having if (r.rank, name) in doubts}
    believed = [v for r, v in zip(having, values, strict=True) if r.rank not in doubted]
    split = split_of(values, floor) if alone else None
    fast = _fast(values, split)
    doubts_there = sum(having[i].rank in doubted for i in fast)
    return Metric(
        name=name,
        unit=unit,
        device=device,
        spread=spread,
        split=split,
        ranks=tuple(r.rank for r in having),
        judged=judged,
        far=FAR * floor_of("", kind),
        of_kind=len(ranks),
        comparable=judged
        and len(values) > 1
        and bool(spread.median)
        and doubts_there < len(fast)
        and 2 * doubts_there <= len(fast),
        best=max(believed, default=None) if len(values) > 1 else None,
        values=tuple(values),
    )


def _fast(values: list[float], split: Split | None) -> list[int]:
    """Places of the figures that the slow ones are held against."""
    every = range(len(values))
    if split is not None:
        return [i for i in every if i not in split.slow]
    return [values.index(max(values))] if len(values) == 2 else list(every)
