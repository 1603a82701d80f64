"""What a lowered clock took of a card's compute roof, by what was measured on that card before."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from roofwatch.session.fold import Session
from roofwatch.session.roofs import roofs
from roofwatch.session.saved_session import Saved
from roofwatch.session.sm_clock import sm_clock


class ClockRoof(msgspec.Struct, frozen=True, kw_only=True):
    """A compute roof against the SM clock: the burst, and the sustained one where it was held.

    Between the two clocks a line; below the lower one it falls with the clock; above the burst's it
    stays. The kernel's share of the peak differs along the fall, so that the clock alone would
    not do (docs/architecture.md, From times to reasons).
    """

    peak_key: str
    burst_mhz: float
    burst_tflops: float
    held_mhz: float | None = None
    held_tflops: float | None = None

    def at(self, mhz: float) -> float:
        """TFLOP/s (TOPS for int8) at a clock in MHz."""
        if mhz >= self.burst_mhz:
            return self.burst_tflops
        low_mhz, low_tflops = self.held_mhz, self.held_tflops
        if low_mhz is None or low_tflops is None or not low_mhz < self.burst_mhz:
            return self.burst_tflops * mhz / self.burst_mhz
        if mhz <= low_mhz:
            return low_tflops * mhz / low_mhz
        along = (mhz - low_mhz) / (self.burst_mhz - low_mhz)
        return low_tflops + along * (self.burst_tflops - low_tflops)


class ThrottleCost(msgspec.Struct, frozen=True, kw_only=True):
    """The most that limits took, if all the work had been bound by compute.

    ``tflops`` is the mean loss while a limit held, ``share`` that of the burst roof; ``of_all`` the
    share of the whole time's compute. ``measured_at``: when the roof was measured; ``own``: on this
    very card, not on one of its name.
    """

    peak_key: str
    burst_tflops: float
    tflops: float
    share: float
    of_all: float
    limited_s: float
    limited_mhz: float
    burst_mhz: float
    measured_at: str | None
    own: bool


def clock_roof(session: Session) -> ClockRoof | None:
    """The main precision's roof against the clock; None where no clock was read with it."""
    own = roofs(session)
    flat = own.compute.get(own.main_key or "")
    if flat is None or flat.reached is None or flat.burst_tflops is None:
        return None
    fast = sm_clock(session, flat.reached)
    if fast is None:
        return None
    held = sm_clock(session, flat.sustained) if flat.sustained is not None else None
    return ClockRoof(
        peak_key=flat.peak_key,
        burst_mhz=fast.mhz,
        burst_tflops=flat.burst_tflops,
        held_mhz=held.mhz if held else None,
        held_tflops=flat.sustained_tflops if held else None,
    )


def throttle_cost(
    limited_clock_s: Mapping[int, float], all_s: float, saved: Saved | None
) -> ThrottleCost | None:
    """The cost of ``limited_clock_s`` (seconds at each MHz under a limit) in ``all_s`` seconds.

    None where nothing limited, or no roof of such a card was kept.
    """
    limited_s = sum(limited_clock_s.values())
    roof = clock_roof(saved.session) if saved is not None else None
    if saved is None or roof is None or not limited_s or not all_s:
        return None
    lost = sum((roof.burst_tflops - roof.at(mhz)) * s for mhz, s in limited_clock_s.items())
    return ThrottleCost(
        peak_key=roof.peak_key,
        burst_tflops=roof.burst_tflops,
        tflops=lost / limited_s,
        share=lost / limited_s / roof.burst_tflops,
        of_all=lost / all_s / roof.burst_tflops,
        limited_s=limited_s,
        limited_mhz=sum(mhz * s for mhz, s in limited_clock_s.items()) / limited_s,
        burst_mhz=roof.burst_mhz,
        measured_at=saved.session.started_at,
        own=saved.own,
    )
