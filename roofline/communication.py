"""The third roof: what cards say to each other, in FLOP per byte sent.

The H100 note of the seeds: beyond one card there is a third thing to move, over NVLink within a
machine (450 GB/s each way) or InfiniBand between machines (about 50 GB/s, nine times slower). The
judgement stays: what takes longer, computing or moving, is the bottleneck. The treatment is to move
less, or to compute while it moves (overlap).
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.collectives import bus_factor
from roofwatch.roofline.roof import Roof

NVLINK_GBS, INFINIBAND_GBS = 450.0, 50.0  # the seed's, of an H100, each way
NINE_TIMES = NVLINK_GBS / INFINIBAND_GBS  # "about nine times slower"
COMPUTE, MEMORY, LINKS = "compute", "memory", "communication"


class ThreeRoofs(msgspec.Struct, frozen=True, kw_only=True):
    """A card's own roof and the links' rate in GB/s each way (of a collective: bus bandwidth)."""

    roof: Roof
    link_gbs: float

    @property
    def link_ridge(self) -> float:
        """FLOP per byte sent at which computing takes as long as sending: P / N."""
        return self.roof.peak_tflops * 1e3 / self.link_gbs

    def attainable_tflops(self, intensity: float, link_intensity: float) -> float:
        """min(P, B x I, N x I_comm), where all three overlap; FLOP per byte of each kind."""
        return min(self.roof.attainable_tflops(intensity), self.link_gbs * link_intensity / 1e3)

    def bound(self, intensity: float, link_intensity: float) -> str:
        """Which of the three takes longest."""
        linked = self.link_gbs * link_intensity / 1e3
        if linked < self.roof.attainable_tflops(intensity):
            return LINKS
        return MEMORY if intensity < self.roof.ridge else COMPUTE


def sent_bytes(op: str, ranks: int, size_bytes: float) -> float:
    """Bytes that pass a rank's link in a collective of that size, each way."""
    return size_bytes * bus_factor(op, ranks)


def link_intensity(flop: float, op: str, ranks: int, size_bytes: float) -> float:
    """FLOP of a rank per byte that it sends."""
    return flop / sent_bytes(op, ranks, size_bytes)


def step_s(compute_s: float, link_s: float, hidden: float = 1.0) -> float:
    """Time of a step of both. All hidden, the longer one; nothing hidden, their sum."""
    return compute_s + link_s - hidden * min(compute_s, link_s)


def hidden_share(compute_s: float, link_s: float, together_s: float) -> float:
    """Share of the shorter one that passes under the longer one: 1 is the seed's rule.

    Negative where both together take longer than one after the other. Measured, so it may pass 1
    by the noise of three times.
    """
    return (compute_s + link_s - together_s) / min(compute_s, link_s)
