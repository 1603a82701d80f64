"""The unit in which a fleet's rates of arithmetic have digits: TFLOP/s, of slow ones GFLOP/s."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.rate_scale import FROM_TERA, RateScale, scale_of


def fleet_scale(fleet: Fleet) -> RateScale:
    """One for all its ranks, by the fastest of them. For text: files and JSON keep TFLOP/s."""
    figures = (f for r in fleet.ranks.values() for f in r.figures.values())
    return scale_of([f.value for f in figures if f.unit in FROM_TERA])
