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


class Distances(msgspec.Struct, frozen=True, kw_only=True):
    """Three gaps of a point, each as the fraction that is reached (seed, Day 15).

    of_roof: measured over attainable here; what is missing is overhead and kernel efficiency.
    of_ridge: attainable here over the flat; what is missing is arithmetic intensity.
    of_nominal: the flat over the nominal peak; what is missing is the card itself.
    """

    of_roof: float
    of_ridge: float
    of_nominal: float | None


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
