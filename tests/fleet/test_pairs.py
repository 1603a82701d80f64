"""Rounds of pairs: every neighbour once, nobody twice in a round."""

from __future__ import annotations

import pytest

from roofwatch.fleet.pairs import Pair, rounds
from roofwatch.session.fleet.lines import BETWEEN, WITHIN


@pytest.mark.parametrize("sizes", [[1], [2], [3], [8], [2, 2], [8, 8, 8], [4, 3], [1, 1, 1, 1]])
def test_nobody_has_two_partners_at_once_and_all_neighbours_are_met(sizes: list[int]) -> None:
    nodes, at = [], 0
    for size in sizes:
        nodes.append(list(range(at, at + size)))
        at += size
    met: set[Pair] = set()
    for pairs in rounds(nodes):
        ranks = [r for p in pairs for r in (p.a, p.b)]
        assert len(ranks) == len(set(ranks))
        met |= set(pairs)
    inside = {frozenset((p.a, p.b)) for p in met if p.group == WITHIN}
    ring = {
        frozenset((node[i], node[(i + 1) % len(node)]))
        for node in nodes
        for i in range(len(node))
        if len(node) > 1
    }
    assert inside == ring
    across = [p for p in met if p.group == BETWEEN]
    if len(nodes) > 1:
        assert {r for p in across for r in (p.a, p.b)} >= {node[0] for node in nodes}
    else:
        assert not across


def test_few_rounds() -> None:
    assert len(rounds([list(range(8))])) == 2
    assert len(rounds([[0, 1, 2]])) == 3
