"""What a collective's time says of the links: bandwidth by the convention of nccl-tests.

Sizes are those of nccl-tests: of all-gather the whole that each rank ends up with, of
reduce-scatter and all-to-all the whole that each begins with. Bytes in, seconds in, GB/s (1e9) out.
Source: NVIDIA/nccl-tests, doc/PERFORMANCE.md.
"""

from __future__ import annotations

ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, ALL_TO_ALL, BROADCAST = OPS = (
    "all_reduce",
    "all_gather",
    "reduce_scatter",
    "all_to_all",
    "broadcast",
)


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
