"""Compared rates of arithmetic in the one unit in which the fastest of them has digits."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from roofwatch.session.compare import Comparison, Pair
from roofwatch.session.rate_scale import FROM_TERA, RateScale, scale_of
from roofwatch.session.side_by_side import SideBySide

PER_WATT = "/W"


def comparison_shown(told: Comparison) -> Comparison:
    """Two sessions as they are shown: TFLOP/s, of slow ones GFLOP/s. Ratios stay as they are."""
    return _in(told, _scale([told]))


def side_by_side_shown(told: SideBySide) -> SideBySide:
    """The same of several: one unit for all, since A's figure stands once."""
    scale = _scale([other.told for other in told.others])
    others = [msgspec.structs.replace(o, told=_in(o.told, scale)) for o in told.others]
    return msgspec.structs.replace(told, others=others)


def _scale(every: Iterable[Comparison]) -> RateScale:
    pairs = [p for told in every for p in told.pairs if p.unit in FROM_TERA]
    return scale_of([side for p in pairs for side in (p.a, p.b)])


def _in(told: Comparison, scale: RateScale) -> Comparison:
    return msgspec.structs.replace(told, pairs=[_pair(p, scale) for p in told.pairs])


def _pair(p: Pair, scale: RateScale) -> Pair:
    rate = p.unit.removesuffix(PER_WATT)
    times = scale.factor_of(rate)
    unit = scale.named(rate) + p.unit[len(rate) :]
    return msgspec.structs.replace(p, a=p.a * times, b=p.b * times, unit=unit)
