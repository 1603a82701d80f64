"""Where a ridge may lie when bandwidth and compute lie anywhere in the ranges expected of them."""

from __future__ import annotations


def ridge_range(
    bandwidth_gbs: tuple[float, float], compute_tflops: tuple[float, float]
) -> tuple[float, float]:
    """Lowest and highest compute over bandwidth, in FLOP/byte (ridge = P / B; seed, Day 15).

    Both usually fall short together, so a card lies well inside.
    """
    (slow, fast), (low, high) = bandwidth_gbs, compute_tflops
    return low * 1e3 / fast, high * 1e3 / slow
