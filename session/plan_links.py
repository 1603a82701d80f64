"""Measured links between cards in place of nominal ones, for a plan over several cards."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE, bus_factor
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import WITHIN, WORLD
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
    reduced = next((c for fleet in fleets for c in _reduces(fleet)), None)
    if reduced is not None:
        return _by_reduce(q, reduced)
    for session in sessions:
        found = [x for x in links(session) if x.kind == PEERS and x.direction == ONE_WAY]
        if found:
            return _by_copies(q, [x.gbs for x in found], _late(found))
    for fleet in fleets:
        pairs = _pairs(fleet)
        rates = [rate for pair, rate in link_gbs(fleet).items() if pair in pairs]
        if rates:
            late = [x.latency_s for x in fleet.links if x.latency_s and (x.a, x.b) in pairs]
            return _by_copies(q, rates, late)
    return q


def _reduces(fleet: Fleet) -> Iterable[Collective]:
    """The slowest all-reduce within a node that has a fit; of one node that of all its ranks."""
    within = WORLD if len(fleet.nodes) <= 1 else WITHIN
    lines = [c for c in fleet.collectives if (c.op, c.group) == (ALL_REDUCE, within)]
    fitted = [c for c in map(collective, lines) if c.fit is not None and c.fit.beta_gbs]
    return sorted(fitted, key=lambda c: c.best_bus_gbs or 0.0)[:1]


def _pairs(fleet: Fleet) -> set[tuple[int, int]]:
    """Within a node, where there are such; else all."""
    inside = {(x.a, x.b) for x in fleet.links if x.group == WITHIN}
    return inside or {(x.a, x.b) for x in fleet.links}


def _late(found: Iterable[Link]) -> list[float]:
    return [x.latency_s for x in found if x.latency_s is not None]


def _by_reduce(q: Question, c: Collective) -> Question:
    """By the line through an all-reduce's times: alpha as it is, beta as bus bandwidth.

    Where its times are scattered alpha may lie under all of them: no exchange takes less than the
    shortest. A latency that is given stands without that.
    """
    assert c.fit is not None
    assert c.fit.beta_gbs is not None
    changed: dict[str, object] = {
        "peer_gbs": c.fit.beta_gbs * bus_factor(ALL_REDUCE, c.ranks),
        "peer_source": MEASURED,
        "peer_said": f"measured: an all-reduce of {c.ranks} ranks by {c.backend or 'a library'}",
        "peer_off": c.fit.residual,
    }
    if q.peer_latency_s is None:
        changed |= {"peer_latency_s": min(c.fit.alpha_s, LATEST_S), "peer_ranks": c.ranks}
        changed["peer_least_s"] = min(LATEST_S, *(size.time_s for size in c.sizes))
    return msgspec.structs.replace(q, **changed)


def _by_copies(q: Question, rates: Sequence[float], late: Sequence[float]) -> Question:
    """By the median copy; an all-reduce waits for as many of its latencies as its ring has hops."""
    changed: dict[str, object] = {"peer_gbs": median(list(rates)), "peer_source": MEASURED}
    said = COPIES
    if q.peer_latency_s is None and late:
        changed["peer_hop_s"] = min(median(list(late)), LATEST_S)
        said += ", the latency too: a collective's own is longer (python -m roofwatch.fleet)"
    return msgspec.structs.replace(q, **changed, peer_said=said)
