"""Ranks that measured on one card together: each had a part of it, and none the whole."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet


def shared_cards(fleet: Fleet) -> list[tuple[int, ...]]:
    """The ranks of each card that several had, by its UUID, in their order.

    So it comes out where a launcher shows every rank the same card, or fewer cards than ranks.
    """
    ranks: dict[str, list[int]] = {}
    for number, r in sorted(fleet.ranks.items()):
        if r.uuid and r.figures:
            ranks.setdefault(r.uuid, []).append(number)
    return [tuple(each) for each in ranks.values() if len(each) > 1]
