"""The third roof: what cards say to each other, in FLOP per byte sent.

The H100 note of the seeds: beyond one card there is a third thing to move, over NVLink within a
machine (450 GB/s each way) or InfiniBand between machines (about 50 GB/s, nine times slower). The
judgement stays: what takes longer, computing or moving, is the bottleneck (of a step over several
cards ``PlanPoint.bound``). The treatment is to move less, or to compute while it moves (overlap).
"""

from __future__ import annotations

NVLINK_GBS, INFINIBAND_GBS = 450.0, 50.0  # the seed's, of an H100, each way
NINE_TIMES = NVLINK_GBS / INFINIBAND_GBS  # "about nine times slower"


def link_ridge(peak_tflops: float, link_gbs: float) -> float:
    """FLOP per byte sent at which computing takes as long as sending: P / N.

    ``link_gbs`` is GB/s each way, of a collective its bus bandwidth.
    """
    return peak_tflops * 1e3 / link_gbs


def hidden_share(compute_s: float, link_s: float, together_s: float) -> float:
    """Share of the shorter one that passes under the longer one: 1 is the seed's rule.

    Negative where both together take longer than one after the other. Measured, so it may pass 1
    by the noise of three times.
    """
    return (compute_s + link_s - together_s) / min(compute_s, link_s)
