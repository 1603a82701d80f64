"""What a collective's time says of the links: bandwidth by the convention of nccl-tests, latency.

Sizes are those of nccl-tests: of all-gather the whole that each rank ends up with, of
reduce-scatter and all-to-all the whole that each begins with. Bytes in, seconds in, GB/s (1e9) out.
Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.statistics import median

ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST = OPS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "broadcast",
)
ROUNDS = 20  # of reweighting; it settles in fewer
NEAR = 0.02  # relative residual that counts in full


def bus_factor(op: str, ranks: int) -> float:
    """Bytes that must pass a rank's link, over the size: 2(n-1)/n, (n-1)/n, of broadcast 1.

    A ring's all-reduce sends no fewer (Patarasuk and Yuan, 2009).

    Raises:
        ValueError: no such collective.
    """
    if op not in OPS:
        raise ValueError(f"{op!r} is none of {', '.join(OPS)}")
    if op == BROADCAST:
        return 1.0
    return (2 if op == ALL_REDUCE else 1) * (ranks - 1) / ranks


def algorithm_gbs(size_bytes: float, time_s: float) -> float:
    """Size over time: what a program sees."""
    return size_bytes / time_s / 1e9


def bus_gbs(op: str, ranks: int, size_bytes: float, time_s: float) -> float:
    """What each link carries, which does not depend on the number of ranks."""
    return algorithm_gbs(size_bytes, time_s) * bus_factor(op, ranks)


class Fit(msgspec.Struct, frozen=True, kw_only=True):
    """t = alpha + size / beta. ``beta_gbs`` None: time does not grow with size.

    ``residual`` is the median, ``worst`` the greatest distance of a time from the line, as a share
    of that time: one line does not hold where a library changes its protocol with the size.
    """

    alpha_s: float
    beta_gbs: float | None
    residual: float
    worst: float
    points: int


def fit(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> Fit | None:
    """Latency and bandwidth of a line through times of sizes; None for fewer than three.

    Weighted least squares in relative distances, so that 8 B and 1 GiB count alike, reweighted
    until single points that lie far off count little (absolute distances, in effect). Neither
    term is negative.
    """
    if len(sizes_bytes) < 3 or min(times_s) <= 0:
        return None
    points = list(zip(sizes_bytes, times_s, strict=True))
    weights = [1 / t**2 for t in times_s]
    alpha, slope = 0.0, 0.0
    for _ in range(ROUNDS):
        alpha, slope = _line(points, weights)
        off = [abs(alpha + slope * s - t) / t for s, t in points]
        weights = [1 / t**2 / max(NEAR, r) for (_, t), r in zip(points, off, strict=True)]
    off = [abs(alpha + slope * s - t) / t for s, t in points]
    return Fit(
        alpha_s=alpha,
        beta_gbs=1 / slope / 1e9 if slope > 0 else None,
        residual=median(off),
        worst=max(off),
        points=len(points),
    )


def _line(points: Sequence[tuple[float, float]], weights: Sequence[float]) -> tuple[float, float]:
    """Intercept and slope by weighted least squares, none below zero."""
    w = sum(weights)
    mean_s = sum(g * s for g, (s, _) in zip(weights, points, strict=True)) / w
    mean_t = sum(g * t for g, (_, t) in zip(weights, points, strict=True)) / w
    pairs = list(zip(weights, points, strict=True))
    across = sum(g * (s - mean_s) * (t - mean_t) for g, (s, t) in pairs)
    along = sum(g * (s - mean_s) ** 2 for g, (s, _) in pairs)
    slope = across / along if along else 0.0
    if slope <= 0:
        return mean_t, 0.0
    alpha = mean_t - slope * mean_s
    if alpha >= 0:
        return alpha, slope
    through = sum(g * s * t for g, (s, t) in pairs) / sum(g * s * s for g, (s, _) in pairs)
    return 0.0, through
