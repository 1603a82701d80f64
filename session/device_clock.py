"""The SM clock as read on the device, told in one figure."""

from __future__ import annotations

from roofwatch.roofline.statistics import median
from roofwatch.session.fold import Session


def device_clock_mhz(session: Session, begin_s: float, end_s: float) -> float | None:
    """Of the probe that was held last until ``end_s``: the median of its measurement, before there
    is one of its newest readings.

    So it is the clock of the fall's sentence. None where nothing was read since ``begin_s``.
    """
    series = [s for s in session.series if s.clock_mhz and s.t0 < end_s and s.t >= begin_s]
    if not series:
        return None
    last = series[-1]
    held = next((m for m in session.measured(last.run) if m.probe == last.probe), None)
    if held is not None and held.clock_mhz and held.t <= end_s:
        return median(held.clock_mhz)
    return median(last.clock_mhz)
