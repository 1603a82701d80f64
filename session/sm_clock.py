"""The SM clock that a number was made at: read on the device where it can be, else NVML's."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.statistics import median
from roofwatch.session.conditions import conditions
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session

SPIN, NVML = "spin", "nvml"


class SmClock(msgspec.Struct, frozen=True, kw_only=True):
    """A clock in MHz, and who read it: "spin" on the device, "nvml"; None by the host's sysfs."""

    mhz: float
    source: str | None


def sm_clock(session: Session, m: Measurement) -> SmClock | None:
    """The clock inside a measurement; None where nobody could read it."""
    if m.clock_mhz:
        return SmClock(mhz=round(median(m.clock_mhz), 1), source=SPIN)
    seen = conditions(session, m).sm_mhz
    source = NVML if session.telemetry_source == NVML else None
    return SmClock(mhz=seen, source=source) if seen else None  # no SM runs at 0 MHz
