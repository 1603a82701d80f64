"""There and back between two ranks, while the other pairs of the round do the same."""

from __future__ import annotations

import time
from typing import Any

import torch
import torch.distributed as dist

from roofwatch.fleet.pairs import Pair
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.lines import LinkLine

SIZE_BYTES = {"cuda": 64 << 20, "cpu": 2 << 20}
SMALL_BYTES = 8
WARM, REPETITIONS, SMALL_REPETITIONS = 2, 5, 20


def pair_line(pair: Pair, rank: int, device: torch.device) -> LinkLine | None:
    """Both of a pair call it; the first of them tells how long it took, the second None."""
    size = SIZE_BYTES[device.type]
    small_s = _there_and_back(pair, rank, device, SMALL_BYTES, SMALL_REPETITIONS)
    large_s = _there_and_back(pair, rank, device, size, REPETITIONS)
    if rank != pair.a:
        return None
    return LinkLine(
        a=pair.a,
        b=pair.b,
        group=pair.group,
        size_bytes=size,
        time_s=large_s / 2,
        latency_s=small_s / 2,
    )


def _there_and_back(
    pair: Pair, rank: int, device: torch.device, size_bytes: int, repetitions: int
) -> float:
    buffer = torch.rand(size_bytes // 4, device=device)
    times_s = [_once(pair, rank, buffer) for _ in range(WARM + repetitions)]
    return median(times_s[WARM:])


def _once(pair: Pair, rank: int, buffer: Any) -> float:
    first, other = rank == pair.a, pair.b if rank == pair.a else pair.a
    if buffer.is_cuda:
        torch.cuda.synchronize(buffer.device)
    began = time.perf_counter()
    if first:
        dist.send(buffer, other)
        dist.recv(buffer, other)
    else:
        dist.recv(buffer, other)
        dist.send(buffer, other)
    if buffer.is_cuda:
        torch.cuda.synchronize(buffer.device)
    return time.perf_counter() - began
