"""What smells about a host link: the other socket, a link below itself, pageable copies."""

from __future__ import annotations

from roofwatch.notebook.finding import Finding
from roofwatch.notebook.host_link import narrow_link, other_node
from roofwatch.notebook.pageable import staged_costs
from roofwatch.roofline.links import pcie_gbs
from roofwatch.session.fold import Session
from roofwatch.session.links import under_load
from roofwatch.session.rates import gbs

PINNED, PAGEABLE = "h2d-pinned", "h2d-pageable"


def link_findings(session: Session) -> list[Finding]:
    """Of the reported run; none where no transfer was measured."""
    rates = {m.probe: gbs(m) for m in session.measured()}
    if PINNED not in rates:
        return []
    cpu, health = session.cpu, under_load(session)
    found = [
        other_node(PINNED, session.device.numa_node, cpu.numa_nodes, cpu.numa_count, rates[PINNED])
    ]
    if health is not None:
        # A slot that has less than the card was sold with is told too: the host's, all the same.
        card = session.nominal
        most = health.pcie_gen_max or 0, health.pcie_lanes_max or 0
        sold = (card.pcie_gen or 0, card.pcie_lanes or 0) if card and not card.c2c_gbs else (0, 0)
        gen_max, lanes_max = max(most[0], sold[0]) or None, max(most[1], sold[1]) or None
        found.append(
            narrow_link(
                PINNED,
                health.pcie_gen,
                health.pcie_lanes,
                gen_max,
                lanes_max,
                pcie_gbs(health.pcie_gen, health.pcie_lanes),
                pcie_gbs(gen_max, lanes_max),
            )
        )
    if PAGEABLE in rates:
        found.append(staged_costs(PAGEABLE, rates[PAGEABLE], rates[PINNED]))
    return [f for f in found if f is not None]
