"""An elementwise kernel's arithmetic at the clock that it ran at, beside its bytes."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.arithmetic_time import Arithmetic, Cost, arithmetic
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.sm_clock import sm_clock


class AtClock(msgspec.Struct, frozen=True, kw_only=True):
    """The least time of the arithmetic, and the SM clock that it was computed for."""

    arithmetic: Arithmetic
    sm_mhz: float


def elements(m: Measurement) -> int:
    """Elements of an elementwise kernel's result."""
    return m.shape.get("elements") or m.shape.get("rows", 1) * m.shape.get("columns", 1)


def at_clock(
    session: Session, m: Measurement, cost: Cost, count: float | None = None
) -> AtClock | None:
    """Arithmetic of ``count`` elements (all of ``m``) at its clock, else at the card's highest.

    None where SMs, clock or capability are not known; a CPU has none of them.
    """
    device = session.device
    seen = sm_clock(session, m)
    mhz = seen.mhz if seen else device.sm_max_mhz
    if not mhz or not device.sm_count or not device.compute_capability:
        return None
    found = arithmetic(cost, count or elements(m), device.sm_count, mhz, device.compute_capability)
    return AtClock(arithmetic=found, sm_mhz=mhz) if found else None
