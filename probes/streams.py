"""The bandwidth probes: kernels that move bytes beyond the last-level cache (seed, Day 13)."""

from __future__ import annotations

from collections.abc import Callable

import torch

from roofwatch.probes.device import Target
from roofwatch.probes.spin import SpinClock
from roofwatch.probes.timing import Cancelled, Launch, Report, Timed, steady
from roofwatch.roofline import workload
from roofwatch.roofline.workload import ELEMENT_BITS, Work

CACHE_MULTIPLE = 20
GPU_TENSOR_BYTES = 2 << 30
CHUNK = 1 << 24
FILLED = 0.8  # of the room, where it is short: a chunk is drawn beside the tensors
LEAST_BYTES = 1 << 20  # of a tensor: less is no stream
COLUMNS = 4096  # of a read: enough work for a block, enough rows for every SM
STRIDE = 2
DTYPES = {"fp16": torch.float16, "fp32": torch.float32, "fp64": torch.float64}
THREE = ("triad",)  # ops of three tensors


def tensor_bytes(target: Target, op: str) -> tuple[int, bool]:
    """Bytes of one tensor, and whether that is 20 times the last-level cache.

    Raises RuntimeError where not even a mebibyte is free.

    A GPU tensor is at least 2 GiB where it fits. A CPU's caches are large and its memory slow:
    there all tensors are 20 times the cache together.
    """
    tensors = 3 if op in THREE else 2
    if target.kind == "cpu":
        least = CACHE_MULTIPLE * target.cache_bytes // tensors
        wanted = max(least, 256 << 20)
    else:
        least = CACHE_MULTIPLE * target.cache_bytes
        wanted = max(least, GPU_TENSOR_BYTES)
    room = int(FILLED * target.free_bytes()) // tensors
    size = min(-(-wanted // 4096) * 4096, room // 4096 * 4096)
    if size < LEAST_BYTES:
        raise RuntimeError(f"too little memory is free: {max(0, target.free_bytes())} bytes")
    return size, size >= least


def random_normal(target: Target, elements: int, dtype: str) -> torch.Tensor:
    """Random normal elements, drawn in chunks: a whole draw would need twice the memory.

    Raises Cancelled between two chunks: the first touch of a gigabyte takes a CPU its time.
    """
    x = torch.empty(elements, dtype=DTYPES[dtype], device=target.torch_device)
    drawn = max(1, min(CHUNK, -(-elements // 16)))
    fresh = torch.randn(drawn, dtype=torch.float32, device=target.torch_device).to(x.dtype)
    _each_chunk(target, x, lambda part: part.copy_(fresh[: part.numel()]), drawn)
    return x


def touched(target: Target, elements: int, dtype: str) -> torch.Tensor:
    """Zeros, each page touched, so that no launch waits for the system's first touch."""
    y = torch.empty(elements, dtype=DTYPES[dtype], device=target.torch_device)
    _each_chunk(target, y, lambda part: part.zero_())
    return y


def _each_chunk(
    target: Target,
    tensor: torch.Tensor,
    fill: Callable[[torch.Tensor], object],
    chunk: int | None = None,
) -> None:
    step = chunk or CHUNK
    for start in range(0, tensor.numel(), step):
        if target.stopped():
            raise Cancelled
        fill(tensor[start : start + step])


def prepare(target: Target, op: str, dtype: str, size_bytes: int) -> tuple[Work, Launch]:
    """Allocate the tensors of ``op``, each of ``size_bytes``; the work of a launch, the launch."""
    elements = size_bytes * 8 // ELEMENT_BITS[dtype]
    x = random_normal(target, elements, dtype)
    if op == "read":
        return reading(x, dtype, 1)
    if op == "strided":
        half = x[::STRIDE]
        y = touched(target, half.numel(), dtype)
        return workload.strided(half.numel(), dtype), lambda: torch.add(half, 1, out=y)
    y = touched(target, elements, dtype)
    if op == "copy":
        return workload.copy(elements, dtype), lambda: y.copy_(x)
    if op == "fill":
        return workload.fill(elements, dtype), lambda: y.fill_(1.5)
    if op == "triad":
        z = touched(target, elements, dtype)
        y.copy_(x)
        return workload.triad(elements, dtype), lambda: torch.add(x, y, alpha=3.0, out=z)
    return workload.add_scalar(elements, dtype), lambda: torch.add(x, 1, out=y)


def reading(x: torch.Tensor, dtype: str, passes: int) -> tuple[Work, Launch]:
    """The read-only stream over ``x``: its rows are summed, ``passes`` times in one launch.

    Rows are summed apart, so no block waits for another; a small x is read several times over, so
    that a launch is longer than its start.
    """
    rows = x.numel() // COLUMNS
    table = x[: rows * COLUMNS].view(1, rows, COLUMNS).expand(passes, rows, COLUMNS)
    sums = torch.empty(passes, rows, dtype=x.dtype, device=x.device)
    work = workload.read(rows, COLUMNS, dtype, passes)
    return work, lambda: torch.sum(table, 2, out=sums)


def measure(target: Target, launch: Launch, clock: SpinClock | None, report: Report) -> Timed:
    """Warm up until stable, then repeat until settled."""
    timer = target.timer_for(launch)
    if target.kind == "cpu":
        return steady(
            timer, launch, warm_s=0.5, warm_cap_s=2.5, min_count=5, cap_s=2.5, report=report
        )
    return steady(timer, launch, clock=clock if timer.name == "event" else None, report=report)
