"""The bandwidth probe: y = x + 1 on tensors far beyond the last-level cache (seed, Day 13)."""

from __future__ import annotations

import torch

from roofwatch.probes.device import Target
from roofwatch.probes.timing import Launch, Report, Timed, steady
from roofwatch.roofline.workload import ELEMENT_BYTES, Work, add_scalar

CACHE_MULTIPLE = 20
GPU_TENSOR_BYTES = 2 << 30
CHUNK = 1 << 24
DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "fp64": torch.float64}


def tensor_bytes(target: Target) -> tuple[int, bool]:
    """Bytes of one tensor, and whether that is 20 times the last-level cache.

    A GPU tensor is at least 2 GiB where it fits. A CPU's caches are large and its memory slow:
    there x and y are 20 times the cache together.
    """
    if target.kind == "cpu":
        least = CACHE_MULTIPLE * target.cache_bytes // 2
        wanted = max(least, 256 << 20)
    else:
        least = CACHE_MULTIPLE * target.cache_bytes
        wanted = max(least, GPU_TENSOR_BYTES)
    size = min(-(-wanted // 4096) * 4096, target.free_bytes() // 2 // 4096 * 4096)
    return size, size >= least


def prepare(target: Target, dtype: str, size_bytes: int) -> tuple[Work, Launch]:
    """Allocate x (random normal) and y, and return the work of one launch with the launch."""
    elements = size_bytes // ELEMENT_BYTES[dtype]
    kind = DTYPES[dtype]
    x = torch.empty(elements, dtype=kind, device=target.torch_device)
    fresh = torch.randn(min(CHUNK, elements), device=target.torch_device).to(kind)
    for start in range(0, elements, CHUNK):
        part = x[start : start + CHUNK]
        part.copy_(fresh[: part.numel()])
    y = torch.empty_like(x)
    return add_scalar(elements, dtype), lambda: torch.add(x, 1, out=y)


def measure(target: Target, launch: Launch, report: Report) -> Timed:
    """Warm up until stable, then repeat until settled."""
    timer = target.timer_for(launch)
    if target.kind == "cpu":
        return steady(
            timer, launch, warm_s=0.5, warm_cap_s=2.5, min_count=5, cap_s=2.5, report=report
        )
    return steady(timer, launch, report=report)
