"""Links between host and card and between cards: what they carry, what a copy should reach."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.expected import Range
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.per_cent import per_cents
from roofwatch.roofline.probe_spec import PAGEABLE, ProbeSpec
from roofwatch.roofline.published import LANE_GBS, link_gbs, published_link

H2D, D2H, DUPLEX = "h2d", "d2h", "duplex"
PEER_DUPLEX = "p2p_duplex"
MEMCPY = "memcpy"
BOTH_WAYS = (DUPLEX, PEER_DUPLEX)
PAGEABLE_SHARE = (0.03, 0.45)  # 1 to 7 of 31.5 GB/s on PCIe 4, H200 19.4 of 63
DUPLEX_LEAST = 0.9  # of one direction's low end: a link that is not full duplex gains nothing


def pcie_gbs(generation: int | None, lanes: int | None) -> float | None:
    """What such a PCIe link carries in one direction, GB/s, after line coding (PCI-SIG).

    8b/10b up to generation 2, 128b/130b from 3 on, flits in 6.
    """
    lane = LANE_GBS.get(generation or 0)
    return lane * lanes if lane and lanes else None


def host_link_gbs(nominal: Nominal, generation: int | None, lanes: int | None) -> float | None:
    """One direction of the host link: as sold, else the most that the driver reports of it."""
    return link_gbs(nominal) or pcie_gbs(generation, lanes)


def expected_transfer(
    spec: ProbeSpec, nominal: Nominal, generation: int | None, lanes: int | None
) -> Range | None:
    """Range in GB/s of a copy over the host link; None where nobody knows what that carries."""
    if not link_gbs(nominal):
        reported = {"pcie_gen": generation, "pcie_lanes": lanes}
        nominal = msgspec.structs.replace(nominal, **reported)
    pinned = published_link(nominal)
    full = link_gbs(nominal)
    if pinned is None or full is None:
        return None
    if spec.variant == PAGEABLE:
        low, high = PAGEABLE_SHARE
        why = f"{per_cents(low, high)} of the link's {full:.1f} GB/s: staged, copied twice"
        return Range(low=low * full, high=high * full, unit="GB/s", why=why)
    if spec.op == DUPLEX:
        why = f"both ways together: from one direction's to twice it; {pinned.why}"
        return Range(low=DUPLEX_LEAST * pinned.low, high=2 * pinned.high, unit="GB/s", why=why)
    return pinned
