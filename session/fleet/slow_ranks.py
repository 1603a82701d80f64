"""The slow figures put together as a person tells them: a whole node, or a rank with its worst."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.outliers import Outlier

FEWEST_OF_NODE = 2


class Slow(msgspec.Struct, frozen=True, kw_only=True):
    """Who is slow: one rank, or all of a node; its worst figure, and what else is slow of it."""

    who: str
    ranks: tuple[int, ...]
    worst: Outlier  # of a node the middle one of that figure
    others: tuple[Outlier, ...]  # one a figure, the worst first


def slow_ranks(fleet: Fleet, found: list[Outlier]) -> list[Slow]:
    """In the order of ``found``; a node of which every rank is slow in one figure stands once."""
    whole = _whole_nodes(fleet, found)
    out, seen = [], set()
    for each in found:
        key = each.node if each.node in whole else each.rank
        if key in seen:
            continue
        seen.add(key)
        of = [o for o in found if (o.node if each.node in whole else o.rank) == key]
        if each.node in whole:
            ranks = tuple(sorted({o.rank for o in of}))
            figures = [_middle([o for o in of if o.metric == m]) for m in _names(of)]
            who = f"{each.node}, all {len(ranks)} of it"
        else:
            ranks, figures = (each.rank,), sorted(of, key=lambda o: -o.under)
            who = f"{each.place} (rank {each.rank})"
        out.append(Slow(who=who, ranks=ranks, worst=figures[0], others=tuple(figures[1:])))
    return out


def _names(of: list[Outlier]) -> list[str]:
    worst: dict[str, float] = {}
    for o in of:
        worst[o.metric] = max(worst.get(o.metric, 0.0), o.under)
    return sorted(worst, key=lambda name: -worst[name])


def _middle(of: list[Outlier]) -> Outlier:
    middle = median([o.value for o in of])
    return min(of, key=lambda o: abs(o.value - middle))


def _whole_nodes(fleet: Fleet, found: list[Outlier]) -> set[str]:
    """Nodes of which every rank that has a figure is slow in it, where there are others too."""
    nodes = fleet.nodes
    out = set()
    for node in {o.node for o in found}:
        ranks = [r for r in nodes.get(node, []) if r.figures]
        if len(ranks) < FEWEST_OF_NODE or len(nodes) < 2:
            continue
        for metric in {o.metric for o in found if o.node == node}:
            if {o.rank for o in found if o.metric == metric} >= {r.rank for r in ranks}:
                out.add(node)
    return out
