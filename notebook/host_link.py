"""The way between host and card: a process on the other socket, a link below what it could be."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import SUSPECT, Finding, finding


def other_node(
    subject: str,
    card_node: int | None,
    own_nodes: Sequence[int] | None,
    node_count: int | None,
    gbs: float | None,
) -> Finding | None:
    """A process none of whose CPUs is of the NUMA node that its card hangs on.

    ``gbs`` is what a pinned copy to the card reached. None where the host has one node, or does
    not tell.
    """
    if card_node is None or not own_nodes or (node_count or 1) < 2 or card_node in own_nodes:
        return None
    return finding(
        "host-bound",
        "other_node",
        severity=SUSPECT,
        subject=subject,
        card_node=card_node,
        own_nodes=", ".join(map(str, own_nodes)),
        gbs=gbs,
    )


def narrow_link(
    subject: str,
    generation: int | None,
    lanes: int | None,
    generation_max: int | None,
    lanes_max: int | None,
    carries_gbs: float | None,
    could_gbs: float | None,
) -> Finding | None:
    """A PCIe link that under load stays below what card and slot have together.

    Rates are of one direction in GB/s, of the link as read and as it could be.
    """
    known = generation and lanes and generation_max and lanes_max and carries_gbs and could_gbs
    if not known or not carries_gbs or not could_gbs or carries_gbs >= could_gbs:
        return None
    return finding(
        "host-bound",
        "narrow_link",
        severity=SUSPECT,
        subject=subject,
        generation=generation,
        lanes=lanes,
        generation_max=generation_max,
        lanes_max=lanes_max,
        carries_gbs=carries_gbs,
        could_gbs=could_gbs,
    )
