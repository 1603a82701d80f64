"""How the time of a message splits into a latency and a rate: a line through times of sizes.

Bytes and seconds in, seconds and GB/s (1e9) out; for a collective, a copy and a message alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.statistics import median

FEWEST = 3  # sizes that tell a line from a point
ROUNDS = 20  # of reweighting; it settles in fewer
NEAR = 0.02  # relative residual that counts in full


class LineFit(msgspec.Struct, frozen=True, kw_only=True):
    """t = alpha + size / beta: a latency in seconds and a rate in GB/s.

    ``beta_gbs`` None: time does not grow with size.

    ``residual`` is the median, ``worst`` the greatest distance of a time from the line, as a share
    of that time: one line does not hold where a library changes its protocol with the size.
    """

    alpha_s: float
    beta_gbs: float | None
    residual: float
    worst: float
    points: int


def line_fit(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> LineFit | None:
    """Latency and bandwidth of a line through times of sizes; None for fewer than three sizes.

    Weighted least squares in relative distances, so that 8 B and 1 GiB count alike, reweighted
    until single points that lie far off count little (absolute distances, in effect). Neither
    term is negative.
    """
    if len(set(sizes_bytes)) < FEWEST or min(times_s) <= 0:
        return None
    points = list(zip(sizes_bytes, times_s, strict=True))
    weights = [1 / t**2 for t in times_s]
    alpha, slope = 0.0, 0.0
    for _ in range(ROUNDS):
        alpha, slope = _line(points, weights)
        off = [abs(alpha + slope * s - t) / t for s, t in points]
        weights = [1 / t**2 / max(NEAR, r) for (_, t), r in zip(points, off, strict=True)]
    off = [abs(alpha + slope * s - t) / t for s, t in points]
    return LineFit(
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
