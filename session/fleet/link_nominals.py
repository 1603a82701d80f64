"""What a fleet's links were sold as, so that what they carry can be held against it.

The driver's word for a link stands in the file where it was asked. Where it was not, a rate tells:
what no PCIe of that card carries came over NVLink. Of the network between nodes, and of processes
on CPUs, nothing is sold by the card.
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.collectives import ALL_REDUCE
from roofwatch.roofline.links import pcie_gbs
from roofwatch.roofline.nominal import Card, NominalError
from roofwatch.session.cards import load_cards, packaged_cards
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, WITHIN, WORLD, CollectiveLine, LinkLine
from roofwatch.session.fleet.link_figures import collective, link_gbs
from roofwatch.session.link_names import LINK_NAMES, NVLINK, PCIE

SOLD = (NVLINK, PCIE)  # links that a datasheet has a rate of
PAIR = "pair"
BY_DRIVER, BY_RATE, BY_CARD = "driver", "rate", "card"


class LinkNominal(msgspec.Struct, frozen=True, kw_only=True):
    """Of a group's links: the kind, GB/s of one card in one direction by its datasheet, and how the
    kind is known. ``why`` says why there is no figure. ``carried_gbs`` is what it carried at least
    (one card, one direction): the best of the group's collectives and pairs, which ``carried_by``
    names; ``of_nominal`` its share. Null where nothing of the group was timed."""

    group: str
    link: str = ""  # "nvlink" | "pcie"
    gbs: float | None = None
    how: str = ""  # "driver" | "rate" (more than PCIe carries) | "card" (it has no other)
    why: str = ""
    carried_gbs: float | None = None
    carried_by: str = ""  # a collective's name, or "pair"
    of_nominal: float | None = None

    def share(self, gbs: float | None) -> float | None:
        """Of the nominal rate."""
        return gbs / self.gbs if gbs is not None and self.gbs else None


def link_nominals(fleet: Fleet) -> dict[str, LinkNominal]:
    """Of the links within nodes, between them, and of all ranks together."""
    within = _with_carried(_within(fleet), _carried(fleet, WITHIN))
    if len(fleet.nodes) < 2:
        world = msgspec.structs.replace(within, group=WORLD)
    else:
        world = _between(fleet, WORLD)
    between = _with_carried(_between(fleet, BETWEEN), _carried(fleet, BETWEEN))
    return {WITHIN: within, BETWEEN: between, WORLD: world}


def _with_carried(nominal: LinkNominal, best: tuple[float, str] | None) -> LinkNominal:
    if best is None:
        return nominal
    gbs, by = best
    return msgspec.structs.replace(
        nominal, carried_gbs=gbs, carried_by=by, of_nominal=nominal.share(gbs)
    )


def _on_cpus(fleet: Fleet) -> bool:
    return fleet.header.device == "cpu" or any(c.backend == "gloo" for c in fleet.collectives)


def _between(fleet: Fleet, group: str) -> LinkNominal:
    if _on_cpus(fleet):
        return LinkNominal(group=group, why="gloo between processes on CPUs: no card's link")
    return LinkNominal(group=group, why="the network between nodes is no part of a card")


def _within(fleet: Fleet) -> LinkNominal:
    if _on_cpus(fleet):
        return LinkNominal(group=WITHIN, why="gloo between processes on CPUs: no card's link")
    cards = _cards(fleet)
    if not cards:
        return LinkNominal(group=WITHIN, why="the card's links are in no table")
    nvlink = min((c.nvlink_gbs or 0.0 for c in cards), default=0.0)
    pcie = min((pcie_gbs(c.pcie_gen, c.pcie_lanes) or 0.0 for c in cards), default=0.0)
    told = {x.link for x in fleet.links if x.group == WITHIN and x.link in SOLD}
    if len(told) > 1:
        return LinkNominal(group=WITHIN, why="some pairs are joined by NVLink, others by PCIe")
    link, how = next(iter(told), ""), BY_DRIVER
    fastest = best[0] if (best := _carried(fleet, WITHIN)) else 0.0
    if not link and nvlink and pcie and fastest > pcie:
        link, how = NVLINK, BY_RATE
    elif not link and not nvlink:
        link, how = PCIE, BY_CARD
    gbs = {NVLINK: nvlink, PCIE: pcie}.get(link)
    if gbs:
        return LinkNominal(group=WITHIN, link=link, gbs=gbs, how=how)
    if link:
        return LinkNominal(
            group=WITHIN, link=link, why=f"the table has no {LINK_NAMES[link]} of it"
        )
    why = f"by NVLink ({nvlink:.0f} GB/s) or PCIe ({pcie:.0f}): the file does not say which"
    return LinkNominal(group=WITHIN, why=why)


def _cards(fleet: Fleet) -> list[Card]:
    try:
        table = load_cards()[0]
    except NominalError:  # a mistake in the user's own file
        table = packaged_cards()
    keys = {r.nominal_key for r in fleet.in_order}
    return [card for card in table if card.key in keys]


def _carried(fleet: Fleet, group: str) -> tuple[float, str] | None:
    """GB/s that a link of the group carried at least, and by what: of one node, all ranks count."""
    rates = link_gbs(fleet)
    of = {group, WORLD} if group == WITHIN and len(fleet.nodes) < 2 else {group}
    found = [
        (rates[x.a, x.b], PAIR) for x in fleet.links if x.group == group and (x.a, x.b) in rates
    ]
    for c in (collective(line) for line in fleet.collectives if line.group in of):
        # Where a switch sums on the way an all-reduce sends its bytes once, not 2(n-1)/n times.
        own = [s.algorithm_gbs if c.op == ALL_REDUCE else s.bus_gbs for s in c.sizes]
        found += [(gbs, c.op) for gbs in own]
    return max(found, key=lambda each: each[0], default=None)


def of_collective(found: dict[str, LinkNominal], line: CollectiveLine) -> float | None:
    """The share of the nominal rate that a collective's best bus bandwidth is."""
    nominal = found.get(line.group)
    return nominal.share(collective(line).best_bus_gbs) if nominal is not None else None


def of_pair(found: dict[str, LinkNominal], line: LinkLine, gbs: float | None) -> float | None:
    """The share of the nominal rate that a pair carries."""
    nominal = found.get(line.group)
    return nominal.share(gbs) if nominal is not None else None
