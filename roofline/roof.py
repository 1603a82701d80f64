"""The roof: attainable = min(P, B x I), its ridge, and the three distances of a point under it."""

from __future__ import annotations

import msgspec


class Roof(msgspec.Struct, frozen=True, kw_only=True):
    """One slope and one flat: bandwidth in GB/s (1e9), peak in TFLOP/s (1e12)."""

    bandwidth_gbs: float
    peak_tflops: float

    @property
    def ridge(self) -> float:
        """Intensity at which both are busy, in FLOP per byte: P / B."""
        return self.peak_tflops * 1e3 / self.bandwidth_gbs

    def attainable_tflops(self, intensity: float) -> float:
        """Height of the roof over ``intensity`` FLOP per byte (Williams et al., 2009)."""
        return min(self.peak_tflops, self.bandwidth_gbs * intensity / 1e3)


class Distances(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Three gaps of a point, each as the fraction that is reached (seed, Day 15).

    of_roof: measured over attainable here; what is missing is overhead and kernel efficiency.
    of_ridge: attainable here over the flat; what is missing is arithmetic intensity.
    of_nominal: the flat over the nominal peak; what is missing is the card itself.
    """

    of_roof: float
    of_ridge: float
    of_nominal: float | None = None


STOP = 0.90  # seed: at 90 % of the measured roof, look at another kernel

STOP_HERE = "stop here"
KERNEL = "overhead and kernel"
INTENSITY = "stop here; only intensity helps"
LIBRARY = "another library or kernel"


def distances(
    intensity: float, tflops: float, roof: Roof, nominal_tflops: float | None
) -> Distances:
    """Split what separates a point (FLOP per byte, TFLOP/s) from the nominal peak."""
    attainable = roof.attainable_tflops(intensity)
    return Distances(
        of_roof=tflops / attainable,
        of_ridge=attainable / roof.peak_tflops,
        of_nominal=roof.peak_tflops / nominal_tflops if nominal_tflops else None,
    )


def work_on(gaps: Distances) -> str:
    """Which of the three distances a point's owner should work on (seed, Day 15).

    Under 90 % of the roof it is the kernel and what surrounds it; from there on it says stop, and
    left of the ridge only a higher intensity still helps.
    """
    if gaps.of_roof < STOP:
        return KERNEL
    return STOP_HERE if gaps.of_ridge >= STOP else INTENSITY


def mfu(tflops: float, nominal_tflops: float) -> float:
    """Model FLOP utilisation: what the formula needs over the time, by the nominal peak."""
    return tflops / nominal_tflops


def mfu_ceiling(intensity: float, nominal_ridge: float) -> float:
    """The highest MFU at an intensity: on the slope it is intensity over ridge (seed, Day 17)."""
    return min(1.0, intensity / nominal_ridge)
