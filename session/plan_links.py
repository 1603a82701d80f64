"""Measured links between cards in place of nominal ones, for a plan over several cards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, bus_factor
from roofwatch.roofline.parallel import Peers
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD
from roofwatch.session.fleet.link_figures import Collective, collective, link_gbs
from roofwatch.session.fold import Session
from roofwatch.session.links import ONE_WAY, PEERS, links
from roofwatch.session.plan import MEASURED, Question

LATEST_S = 1.0  # the longest latency that a question takes
COPIES = "measured by copies between the cards"


def with_links(
    question: Question, sessions: Sequence[Session], fleets: Sequence[Fleet] = ()
) -> Question:
    """The question with what was measured between cards, where anything was.

    What was given stands. An all-reduce that a fleet timed goes before single copies: it is what a
    step waits for, with all that a library adds. Of several files the first that has it counts.
    """
    q = question
    if q.tp == 1 or q.peer_gbs is not None:
        return q
    reduced = next((found for fleet in fleets if (found := _reduces(fleet, q.tp))), None)
    if reduced is not None:
        return _by_reduce(q, reduced)
    for session in sessions:
        copies = [x for x in links(session) if x.kind == PEERS and x.direction == ONE_WAY]
        if copies:
            late = [x.latency_s for x in copies if x.latency_s is not None]
            return _by_copies(q, Copies([x.gbs for x in copies], late))
    for fleet in fleets:
        of = {group: _copies(fleet, group) for group in (WITHIN, BETWEEN)}
        inside, across = of[WITHIN], of[BETWEEN]
        node = max((len(ranks) for ranks in fleet.nodes.values()), default=1)
        if inside.rates and across.rates:
            pair = (inside, across) if q.tp <= node else (across, inside)
            return _by_copies(q, *pair, node)
        if inside.rates or across.rates:
            return _by_copies(q, inside if inside.rates else across)
    return q


class Reduced(NamedTuple):
    """The all-reduce that a plan's cards wait for: the slowest of a node that has so many, else
    that of all ranks. ``other`` is the one of the two that it is not; the largest node has
    ``node_cards``."""

    here: Collective
    other: Collective | None = None
    node_cards: int = 0


def _reduces(fleet: Fleet, cards: int) -> Reduced | None:
    """None where no all-reduce of this fleet has a fit."""
    world = _slowest(_fitted(fleet, WORLD))
    inside = _fitted(fleet, WITHIN) if len(fleet.nodes) > 1 else []
    node = max((c.ranks for c in inside), default=0)
    shared = _slowest([c for c in inside if c.ranks >= min(cards, node)])
    if world is None or shared is None:
        alone = world or shared
        return Reduced(alone) if alone is not None else None
    return Reduced(shared, world, node) if cards <= node else Reduced(world, shared, node)


def _fitted(fleet: Fleet, group: str) -> list[Collective]:
    lines = [c for c in fleet.collectives if (c.op, c.group) == (ALL_REDUCE, group)]
    return [c for c in map(collective, lines) if c.fit is not None and c.fit.beta_gbs]


def _slowest(found: Sequence[Collective]) -> Collective | None:
    return min(found, key=lambda c: c.best_bus_gbs or 0.0, default=None)


class Copies(NamedTuple):
    """Copies between pairs of cards: GB/s and seconds of latency."""

    rates: Sequence[float]
    late: Sequence[float]

    @property
    def hop_s(self) -> float:
        """Of the median pair; 0 where no latency is known."""
        return min(median(list(self.late)), LATEST_S) if self.late else 0.0


def _copies(fleet: Fleet, group: str) -> Copies:
    pairs = {(x.a, x.b) for x in fleet.links if x.group == group}
    rates = [rate for pair, rate in link_gbs(fleet).items() if pair in pairs]
    late = [x.latency_s for x in fleet.links if x.latency_s and (x.a, x.b) in pairs]
    return Copies(rates, late)


def _by_reduce(q: Question, reduced: Reduced) -> Question:
    """By the line through an all-reduce's times: alpha as it is, beta as bus bandwidth.

    Where its times are scattered alpha may lie under all of them: no exchange takes less than the
    shortest. A latency that is given stands without that.
    """
    c, other, node_cards = reduced
    assert c.fit is not None
    peers = _peers(q, c)
    changed: dict[str, object] = {
        "peer_gbs": peers.link_gbs,
        "peer_source": MEASURED,
        "peer_said": f"measured: an all-reduce of {c.ranks} ranks by {c.backend or 'a library'}",
        "peer_off": c.fit.residual,
    }
    if q.peer_latency_s is None:
        changed |= {"peer_latency_s": peers.latency_s, "peer_ranks": c.ranks}
        changed["peer_least_s"] = peers.least_s
    if other is not None:
        changed |= _beyond(q, node_cards, _peers(q, other), other.ranks)
    return msgspec.structs.replace(q, **changed)


def _beyond(q: Question, node_cards: int, other: Peers, ranks: int = 0) -> dict[str, object]:
    """For which cards the link holds, and what stands in for it elsewhere."""
    holds = {"peer_most": node_cards} if q.tp <= node_cards else {"peer_fewest": node_cards + 1}
    return {**holds, "peer_other": other, "peer_other_ranks": ranks}


def _peers(q: Question, c: Collective) -> Peers:
    assert c.fit is not None
    assert c.fit.beta_gbs is not None
    late_s = q.peer_latency_s
    return Peers(
        link_gbs=c.fit.beta_gbs * bus_factor(ALL_REDUCE, c.ranks),
        latency_s=min(c.fit.alpha_s, LATEST_S) if late_s is None else late_s,
        least_s=0.0 if late_s is not None else min(LATEST_S, *(size.time_s for size in c.sizes)),
    )


def _by_copies(
    q: Question, here: Copies, other: Copies | None = None, node_cards: int = 0
) -> Question:
    """By the median copy; an all-reduce waits for as many of its latencies as its ring has hops."""
    changed: dict[str, object] = {"peer_gbs": median(list(here.rates)), "peer_source": MEASURED}
    said, late_s = COPIES, q.peer_latency_s
    if other is not None:
        hop_s = other.hop_s if late_s is None else 0.0
        link = Peers(link_gbs=median(list(other.rates)), latency_s=late_s or 0.0, hop_s=hop_s)
        changed |= _beyond(q, node_cards, link)
    if late_s is None and here.hop_s:
        changed["peer_hop_s"] = here.hop_s
        said += ", the latency too: a collective's own is longer (python -m roofwatch.fleet)"
    return msgspec.structs.replace(q, **changed, peer_said=said)
