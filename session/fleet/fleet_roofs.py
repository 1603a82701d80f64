"""What a fleet's ranks measured of their card, as the roofs of one."""

from __future__ import annotations

from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.roofs import ComputeRoof, Roofs

HELD = "matmul-{}-sustained"


def device_names(fleet: Fleet) -> list[str]:
    """The cards of its ranks by name, each once."""
    return list(dict.fromkeys(r.device for r in fleet.in_order if r.device and r.figures))


def fleet_roofs(fleet: Fleet, card: str) -> Roofs:
    """The median of its ranks on such cards: of the bandwidth, and of each precision's flats.

    Of one kind of card all ranks count, whatever the table calls it.
    """
    kinds = device_names(fleet)
    ranks = [r for r in fleet.in_order if len(kinds) == 1 or r.device == card]
    rates = [r.bandwidth_gbs for r in ranks if r.bandwidth_gbs]
    keys = dict.fromkeys(key for r in ranks for key in r.peaks_tflops)
    return Roofs(
        bandwidth_gbs=median(rates) if rates else None,
        bandwidth=None,
        nominal_gbs=None,
        held_gbs=None,
        compute={key: _flats(ranks, key) for key in keys},
    )


def _flats(ranks: list[RankFigures], key: str) -> ComputeRoof:
    name = HELD.format(key)
    held = [r.figures[name].value for r in ranks if name in r.figures]
    return ComputeRoof(
        peak_key=key,
        burst_tflops=median([r.peaks_tflops[key] for r in ranks if key in r.peaks_tflops]),
        sustained_tflops=median(held) if held else None,
    )
