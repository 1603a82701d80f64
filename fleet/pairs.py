"""Which ranks send to each other, round by round, so that in each round nobody has two partners."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.session.fleet.lines import BETWEEN, WITHIN


class Pair(msgspec.Struct, frozen=True):
    """Two ranks that send there and back, and whether their link leaves a node."""

    a: int
    b: int
    group: str


def rounds(nodes: Sequence[Sequence[int]]) -> list[list[Pair]]:
    """Neighbours within each node in a ring, then each rank and its like on the next node.

    All nodes at once, all cards at once: links that share something are seen sharing it.
    """
    out = [
        [Pair(ranks[i], ranks[j], WITHIN) for ranks in nodes for i, j in _at(len(ranks), at)]
        for at in range(max((len(_ring(len(r))) for r in nodes), default=0))
    ]
    for ring in _ring(len(nodes)):
        out.append(
            [Pair(a, b, BETWEEN) for i, j in ring for a, b in zip(nodes[i], nodes[j], strict=False)]
        )
    return [pairs for pairs in out if pairs]


def _at(count: int, at: int) -> list[tuple[int, int]]:
    ring = _ring(count)
    return ring[at] if at < len(ring) else []


def _ring(count: int) -> list[list[tuple[int, int]]]:
    """The edges of a ring in as few rounds as may be: two, or three where its length is odd."""
    if count < 2:
        return []
    if count == 2:
        return [[(0, 1)]]
    edges = [(i, (i + 1) % count) for i in range(count)]
    if count % 2:
        return [edges[0:-1:2], edges[1:-1:2], [edges[-1]]]
    return [edges[0::2], edges[1::2]]
