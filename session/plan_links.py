"""Measured links between cards in place of nominal ones, for a plan over several cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, bus_factor
from roofwatch.roofline.parallel import Peers
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, GROUPS, WITHIN, WORLD
from roofwatch.session.fleet.link_figures import Collective, collective, link_gbs
from roofwatch.session.fold import Session
from roofwatch.session.links import ONE_WAY, PEERS, Link, links
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
            return _by_copies(q, [x.gbs for x in copies], _late(copies))
    for fleet in fleets:
        pairs = _pairs(fleet, q.tp)
        rates = [rate for pair, rate in link_gbs(fleet).items() if pair in pairs]
        if rates:
            late = [x.latency_s for x in fleet.links if x.latency_s and (x.a, x.b) in pairs]
            return _by_copies(q, rates, late)
    return q


class Reduced(NamedTuple):
    """The all-reduce that a plan's cards wait for: that of a node where they share one, else that
    of all ranks. ``other`` is the one of the two that it is not; of a node are ``node_cards``."""

    here: Collective
    other: Collective | None = None
    node_cards: int = 0


def _reduces(fleet: Fleet, cards: int) -> Reduced | None:
    """None where no all-reduce of this fleet has a fit."""
    world = _slowest(fleet, WORLD)
    inside = _slowest(fleet, WITHIN) if len(fleet.nodes) > 1 else None
    if world is None or inside is None:
        alone = world or inside
        return Reduced(alone) if alone is not None else None
    if cards <= inside.ranks:
        return Reduced(inside, world, inside.ranks)
    return Reduced(world, inside, inside.ranks)


def _slowest(fleet: Fleet, group: str) -> Collective | None:
    lines = [c for c in fleet.collectives if (c.op, c.group) == (ALL_REDUCE, group)]
    fitted = [c for c in map(collective, lines) if c.fit is not None and c.fit.beta_gbs]
    return min(fitted, key=lambda c: c.best_bus_gbs or 0.0, default=None)


def _pairs(fleet: Fleet, cards: int) -> set[tuple[int, int]]:
    """Within a node, where there are such and the cards share one; else between nodes."""
    of = {group: {(x.a, x.b) for x in fleet.links if x.group == group} for group in GROUPS}
    node = max((len(ranks) for ranks in fleet.nodes.values()), default=1)
    inside, across = of[WITHIN], of[BETWEEN]
    return inside if inside and (cards <= node or not across) else across


def _late(found: Iterable[Link]) -> list[float]:
    return [x.latency_s for x in found if x.latency_s is not None]


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
        within = q.tp <= node_cards
        changed |= {"peer_most": node_cards} if within else {"peer_fewest": node_cards + 1}
        changed |= {"peer_other": _peers(q, other), "peer_other_ranks": other.ranks}
    return msgspec.structs.replace(q, **changed)


def _peers(q: Question, c: Collective) -> Peers:
    assert c.fit is not None
    assert c.fit.beta_gbs is not None
    late_s = q.peer_latency_s
    return Peers(
        link_gbs=c.fit.beta_gbs * bus_factor(ALL_REDUCE, c.ranks),
        latency_s=min(c.fit.alpha_s, LATEST_S) if late_s is None else late_s,
        least_s=0.0 if late_s is not None else min(LATEST_S, *(size.time_s for size in c.sizes)),
    )


def _by_copies(q: Question, rates: Sequence[float], late: Sequence[float]) -> Question:
    """By the median copy; an all-reduce waits for as many of its latencies as its ring has hops."""
    changed: dict[str, object] = {"peer_gbs": median(list(rates)), "peer_source": MEASURED}
    said = COPIES
    if q.peer_latency_s is None and late:
        changed["peer_hop_s"] = min(median(list(late)), LATEST_S)
        said += ", the latency too: a collective's own is longer (python -m roofwatch.fleet)"
    return msgspec.structs.replace(q, **changed, peer_said=said)
