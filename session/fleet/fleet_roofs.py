"""What a fleet's ranks measured of their card, as the roofs of one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import msgspec

from roofwatch.roofline.probe_spec import held_key, matmul_key
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import RankFigures
from roofwatch.session.fleet.typical import typical
from roofwatch.session.roofs import ComputeRoof, Roofs


def device_names(fleet: Fleet) -> list[str]:
    """The cards of its ranks by name, each once."""
    return list(dict.fromkeys(r.device for r in fleet.in_order if r.device and r.figures))


CPU = "cpu"  # the kind of a device that is the host itself
Pick = Callable[[list[float]], float]


def fleet_roofs(fleet: Fleet, card: str) -> Roofs:
    """The median of its ranks on such cards, of two the slower: of the bandwidth, and of each
    precision's flats."""
    return _of_ranks(fleet, card, typical)


def slowest_roofs(fleet: Fleet, card: str) -> Roofs:
    """As ``fleet_roofs``, but the least: a step over several cards waits for the slowest.

    It is a figure that some rank measured, and says of how many it is the least.
    """
    own = _of_ranks(fleet, card, min)
    ranks = ranks_of(fleet, card)
    compute = {
        key: msgspec.structs.replace(c, slowest_of=sum(key in r.peaks_tflops for r in ranks))
        for key, c in own.compute.items()
    }
    slowest_of = sum(bool(r.bandwidth_gbs) for r in ranks)
    return msgspec.structs.replace(own, compute=compute, slowest_of=slowest_of)


def least_memory_bytes(fleet: Fleet, card: str) -> float | None:
    """What the drivers of its ranks on such cards report, the least: each has to hold its share."""
    return min((r.memory_bytes for r in ranks_of(fleet, card) if r.memory_bytes), default=None)


def ranks_of_a_host(fleet: Fleet, card: str) -> int:
    """Its ranks on such "cards" that are processes of one host's CPU and share its memory: the most
    of any host, 0 where each has a card of its own."""
    hosts = Counter(r.node or r.host for r in ranks_of(fleet, card) if r.figures and r.kind == CPU)
    most = max(hosts.values(), default=0)
    return most if most > 1 else 0


def ranks_of(fleet: Fleet, card: str) -> list[RankFigures]:
    """Its ranks on such cards; of one kind of card all, whatever the table calls it."""
    kinds = device_names(fleet)
    return [r for r in fleet.in_order if len(kinds) == 1 or r.device == card]


def _of_ranks(fleet: Fleet, card: str, pick: Pick) -> Roofs:
    ranks = ranks_of(fleet, card)
    rates = [r.bandwidth_gbs for r in ranks if r.bandwidth_gbs]
    keys = dict.fromkeys(key for r in ranks for key in r.peaks_tflops)
    return Roofs(
        bandwidth_gbs=pick(rates) if rates else None,
        bandwidth=None,
        nominal_gbs=None,
        held_gbs=None,
        compute={key: _flats(ranks, key, pick) for key in keys},
    )


def _flats(ranks: list[RankFigures], key: str, pick: Pick) -> ComputeRoof:
    name = held_key(matmul_key(key))
    held = [r.figures[name].value for r in ranks if name in r.figures]
    return ComputeRoof(
        peak_key=key,
        burst_tflops=pick([r.peaks_tflops[key] for r in ranks if key in r.peaks_tflops]),
        sustained_tflops=pick(held) if held else None,
    )
