"""The card's own roofs, burst and sustained, from what a run measured."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.roof import Roof
from roofwatch.roofline.statistics import HELD_OVER
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops, value, working_set_bytes

WHICH = ("nominal", "burst", "sustained")
STREAMS = ("add_scalar", "copy", "add", "triad")  # of two or three tensors: what work does
DRAM_SIZED = 4  # times the last-level cache: below, part of a set is still found there


class ComputeRoof(msgspec.Struct, frozen=True, kw_only=True):
    """One precision's flats in TFLOP/s (TOPS for int8).

    What is held for seconds can be reached in a moment: where it is over 3 % faster than the short
    run, that was disturbed, and the held rate is the burst flat too (``lifted``).
    """

    peak_key: str
    burst_tflops: float | None = None
    sustained_tflops: float | None = None
    nominal_tflops: float | None = None
    burst: Measurement | None = None
    sustained: Measurement | None = None
    slowest_of: int = 0  # ranks of a fleet; 0: one card's own

    def flat(self, which: str) -> float | None:
        """The ``nominal``, ``burst`` or ``sustained`` flat in TFLOP/s."""
        flats = {
            "nominal": self.nominal_tflops,
            "burst": self.burst_tflops,
            "sustained": self.sustained_tflops,
        }
        return flats[which]

    @property
    def lifted(self) -> bool:
        """Whether the burst flat is as held, since the burst itself was slower."""
        return self.burst is not None and (self.burst_tflops or 0.0) > tflops(self.burst)

    @property
    def reached(self) -> Measurement | None:
        """What the burst flat's figure is of: the burst, or what was held where that is faster."""
        return self.sustained if self.lifted else self.burst

    @property
    def one(self) -> bool:
        """Whether burst and held are one roof: what is held is no slower."""
        if self.burst_tflops is None or self.sustained_tflops is None:
            return False
        return self.sustained_tflops >= self.burst_tflops

    def drawn(self, which: str) -> float | None:
        """A flat's height in a picture: what is held has the burst's line where they are one."""
        return self.burst_tflops if which == "sustained" and self.one else self.flat(which)

    @property
    def best_tflops(self) -> float | None:
        """Burst where there is one, else sustained."""
        return self.burst_tflops or self.sustained_tflops


class Roofs(msgspec.Struct, frozen=True, kw_only=True):
    """One slope and a flat a precision; ``nominal_gbs`` and peaks are the datasheet's."""

    bandwidth_gbs: float | None
    bandwidth: Measurement | None
    nominal_gbs: float | None
    held_gbs: float | None  # the slope as held for seconds; None where no stream was held
    compute: dict[str, ComputeRoof]
    slowest_of: int = 0  # ranks of a fleet that the bandwidth is the least of; 0: one card's own

    @property
    def main_key(self) -> str | None:
        """The precision that stands for the card: the one held, else the first measured."""
        flats = [c for c in self.compute.values() if c.best_tflops]
        main = next((c for c in flats if c.sustained_tflops), flats[0] if flats else None)
        return main.peak_key if main else None

    def slope_gbs(self, which: str) -> float | None:
        """The slope of a roof; the sustained one as held, else as measured."""
        if which == "nominal":
            return self.nominal_gbs
        return (self.held_gbs if which == "sustained" else None) or self.bandwidth_gbs

    def roof(self, peak_key: str, which: str) -> Roof | None:
        """The ``nominal``, ``burst`` or ``sustained`` roof, when both its lines are known."""
        of_key = self.compute.get(peak_key)
        peak = of_key.flat(which) if of_key else None
        slope = self.slope_gbs(which)
        if peak is None or slope is None:
            return None
        return Roof(bandwidth_gbs=slope, peak_tflops=peak)


def _reached(burst: Measurement, held: Measurement | None) -> Measurement:
    """Of two that are within 3 % the burst: they are one roof."""
    if held is None or value(held) <= (1 + HELD_OVER) * value(burst):
        return burst
    return held


def _holds_stream(m: Measurement) -> bool:
    return m.protocol == "sustained" and m.op in STREAMS


def roofs(session: Session) -> Roofs:
    """Roofs of the reported run.

    The slope is the best stream of two or three tensors beyond the cache; controls count as well,
    and one that was held where it is over 3 % faster than all short ones: they were disturbed.
    """
    measured = session.measured()
    nominal = session.nominal
    cache = session.device.l2_bytes or 0
    streams = [m for m in measured if m.protocol == "stream" and m.op in STREAMS]
    beyond = [m for m in streams if working_set_bytes(m) >= DRAM_SIZED * cache]
    streams = beyond or streams  # where memory is short there is no other
    best = max(streams, key=gbs, default=None)
    held_stream = max((m for m in measured if _holds_stream(m)), key=gbs, default=None)
    best = _reached(best, held_stream) if best else None
    keys = [s.peak_key for s in session.specs if s.peak_key and not s.mistake]
    compute: dict[str, ComputeRoof] = {}
    for key in dict.fromkeys(keys):
        of_key = [m for m in measured if m.peak_key == key]
        burst = next((m for m in of_key if m.protocol == "burst"), None)
        held = next((m for m in of_key if m.protocol == "sustained"), None)
        peak = nominal.peaks_tflops.get(key) if nominal else None
        if burst is None and held is None and peak is None:
            continue
        compute[key] = ComputeRoof(
            peak_key=key,
            burst_tflops=tflops(_reached(burst, held)) if burst else None,
            sustained_tflops=tflops(held) if held else None,
            nominal_tflops=peak,
            burst=burst,
            sustained=held,
        )
    return Roofs(
        bandwidth_gbs=gbs(best) if best else None,
        bandwidth=best,
        nominal_gbs=nominal.bandwidth_gbs if nominal else None,
        held_gbs=gbs(held_stream) if held_stream else None,
        compute=compute,
    )
