"""The SM clock read on the device: how long a kernel of known cycles took.

NVML renews its clock every 100 ms; a fall under load is over by then. The kernel spins on the
SM's own cycle counter, so its length in seconds tells the clock at that moment.
"""

from __future__ import annotations

import torch

from roofwatch.probes.device import Target
from roofwatch.probes.timing import Launch, Timer
from roofwatch.roofline.statistics import median

CYCLES = 60_000  # 30 us at 2 GHz: shorter, the event's half microsecond shows; longer, it cools
LEAD_CYCLES = 10_000
LONG_CYCLES = 400_000
REPEATS = 9
MOST_OVERHEAD_S = 20e-6
PLAUSIBLE_MHZ = (100.0, 5000.0)


class NoSpin(Exception):
    """This torch or device cannot read its clock so; the message is the status to record."""


class SpinClock:
    """Reads one device's SM clock. Raises NoSpin where it cannot."""

    # A kernel behind a busy one starts late by a time that nobody knows: a short spin takes that
    # on itself, and the reading behind it costs what it cost when the overhead was measured.
    lead: Launch = staticmethod(lambda: torch.cuda._sleep(LEAD_CYCLES))
    launch: Launch = staticmethod(lambda: torch.cuda._sleep(CYCLES))

    def __init__(self, timer: Timer) -> None:
        if not hasattr(torch.cuda, "_sleep") or torch.version.hip is not None:
            raise NoSpin("not_supported")
        short = self._behind_lead(timer, self.launch)
        long = self._behind_lead(timer, lambda: torch.cuda._sleep(LONG_CYCLES))
        # What a launch costs besides its cycles: both lengths see the same clock at rest.
        self.overhead_s = short - (long - short) * CYCLES / (LONG_CYCLES - CYCLES)
        if not 0.0 <= self.overhead_s <= MOST_OVERHEAD_S:
            raise NoSpin("error")

    def _behind_lead(self, timer: Timer, launch: Launch) -> float:
        """Median time of a launch in the place that it has between others: behind the lead."""
        return median(timer.each([self.lead, launch] * REPEATS)[1::2])

    def mhz(self, seconds: float) -> float | None:
        """The clock, from how long the kernel took; None for what no SM's clock is."""
        spun = seconds - self.overhead_s
        if spun <= 0.0:
            return None
        mhz = CYCLES / spun / 1e6
        return mhz if PLAUSIBLE_MHZ[0] < mhz < PLAUSIBLE_MHZ[1] else None


def spin_clock(target: Target) -> tuple[SpinClock | None, str]:
    """The clock of a card; else None, and why there is none."""
    if target.kind != "cuda":
        return None, "not_supported"
    try:
        return SpinClock(target.timer()), ""
    except NoSpin as why:
        return None, str(why)
