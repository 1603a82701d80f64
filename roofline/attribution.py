"""Where the rest went (seed, Day 17): nominal, at the clock seen, in whole waves, measured.

The terms are signed and add up to what was measured. The clock and the wave term each rest on a
measurement of their own (the clock inside the probe; the kernel's tile), only the last is a rest.
"""

from __future__ import annotations

import math

import msgspec


class Attribution(msgspec.Struct, frozen=True, kw_only=True):
    """TFLOP/s; ``nominal + clock + waves + remainder`` is what was measured.

    ``clock`` may be a gain: a burst runs above the datasheet's clock. ``remainder`` is what neither
    explains: prologue, epilogue, operand traffic, the kernel's own pipeline, and in a burst what a
    clock that is read between two launches cannot see inside one.
    """

    nominal: float
    clock: float
    waves: float
    remainder: float

    @property
    def efficiency(self) -> float:
        """Measured over the peak at this clock in these waves: the kernel's own share."""
        reachable = self.nominal + self.clock + self.waves
        return (reachable + self.remainder) / reachable

    def of_nominal(self) -> dict[str, float]:
        """The three terms as fractions of nominal."""
        return {
            name: getattr(self, name) / self.nominal for name in ("clock", "waves", "remainder")
        }


def tiles(m: int, n: int, tile: tuple[int, int]) -> int:
    """Tiles that cover an output of m x n."""
    return math.ceil(m / tile[0]) * math.ceil(n / tile[1])


def wave_share(m: int, n: int, tile: tuple[int, int], units: int) -> float:
    """Share of the SMs' tile slots that hold work: tiles over whole waves of ``units`` tiles.

    NVIDIA, Matrix Multiplication Background User's Guide, "Wave quantization". An estimate: a
    kernel that splits K or steals work loses less.
    """
    count = tiles(m, n, tile)
    return count / (math.ceil(count / units) * units)


def attribute(
    measured_tflops: float,
    nominal_tflops: float,
    sm_mhz: float,
    nominal_mhz: float,
    share: float,
) -> Attribution:
    """Split one figure. ``nominal_mhz`` is the clock at which the nominal peak holds."""
    at_clock = nominal_tflops * sm_mhz / nominal_mhz
    in_waves = at_clock * share
    return Attribution(
        nominal=nominal_tflops,
        clock=at_clock - nominal_tflops,
        waves=in_waves - at_clock,
        remainder=measured_tflops - in_waves,
    )


class BandwidthAttribution(msgspec.Struct, frozen=True, kw_only=True):
    """GB/s; ``nominal + clock + turnaround + remainder`` is what was measured.

    ``clock`` is the memory clock against the printed figure (a gain where the datasheet rounds
    down). ``turnaround`` is what the best read-only stream reaches above the roof: the bus changes
    direction less. ``remainder`` is refresh, row changes, and ECC where the memory carries it.
    """

    nominal: float
    clock: float
    turnaround: float
    remainder: float


def attribute_bandwidth(
    measured_gbs: float,
    nominal_gbs: float,
    at_clock_gbs: float,
    read_gbs: float | None,
) -> BandwidthAttribution:
    """Split the bandwidth roof; without a read-only stream the turnaround is in the remainder."""
    turnaround = min(0.0, measured_gbs - read_gbs) if read_gbs else 0.0
    return BandwidthAttribution(
        nominal=nominal_gbs,
        clock=at_clock_gbs - nominal_gbs,
        turnaround=turnaround,
        remainder=measured_gbs - at_clock_gbs - turnaround,
    )
