"""What a session's host link should carry: as sold, or as the driver says it could."""

from __future__ import annotations

from roofwatch.roofline.links import BOTH_WAYS, host_link_gbs
from roofwatch.roofline.lookup import Nominal
from roofwatch.session.fold import Session


def nominal_link_gbs(session: Session, op: str) -> float | None:
    """GB/s of the host link for such a copy, both directions together where it goes both ways."""
    device = session.device
    nominal = session.nominal or Nominal(origin="none")
    one = host_link_gbs(nominal, device.pcie_gen_max, device.pcie_lanes_max)
    return one * (2 if op in BOTH_WAYS else 1) if one else None
