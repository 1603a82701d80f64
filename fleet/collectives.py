"""Collectives of torch.distributed over sizes; what a backend lacks is said, never imitated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from roofwatch.fleet.group_timer import GroupTimer, Together
from roofwatch.roofline.collectives import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE_SCATTER,
)
from roofwatch.roofline.error_text import first_line
from roofwatch.session.fleet.lines import CollectiveLine

ELEMENT_BYTES = 4  # fp32, as nccl-tests
STEP = 8  # from one size to the next
LEAST_BYTES = 8
MOST_BYTES = {"cuda": 1 << 30, "cpu": 1 << 24}
TOO_LONG_S = 1.0  # after a size that takes so long no larger one is tried
NOT_SUPPORTED = "not_supported"
LACKS = ("not support", "unsupported", "not implement", "no backend", "does not have")


def sizes(most_bytes: int) -> list[int]:
    """8 B, 64 B and so on, and ``most_bytes`` itself at the end."""
    out = [LEAST_BYTES]
    while out[-1] * STEP <= most_bytes:
        out.append(out[-1] * STEP)
    return out if out[-1] >= most_bytes else [*out, most_bytes]


def made_of(size_bytes: int, ranks: int) -> int:
    """The next size down that every rank has an equal part of, and at least an element each."""
    part = ranks * ELEMENT_BYTES
    return max(part, size_bytes // part * part)


def over_sizes(
    op: str, timer: GroupTimer, ranks: list[int], most_bytes: int, told: Callable[[str], None]
) -> CollectiveLine:
    """One collective among the ranks of a group, from 8 B up."""
    tried: list[int] = []
    took: list[Together] = []
    status = ""
    backend = dist.get_backend(timer.group)
    for size in dict.fromkeys(made_of(s, len(ranks)) for s in sizes(most_bytes)):
        told(f"{op} {size} B")
        try:
            took.append(timer.time(call_of(op, size, ranks, timer)))
        except (RuntimeError, NotImplementedError, ValueError) as error:
            lacks = any(word in str(error).lower() for word in LACKS)
            if not lacks or tried:
                raise
            status = f"{NOT_SUPPORTED}: {first_line(error)[:120]}"
            break
        tried.append(size)
        if took[-1].time_s > TOO_LONG_S:
            break
    return CollectiveLine(
        op=op,
        ranks=len(ranks),
        backend=backend,
        sizes_bytes=tried,
        times_s=[t.time_s for t in took],
        iqr_s=[t.iqr_s for t in took],
        repetitions=[t.repetitions for t in took],
        timing=timer.timing,
        status=status,
    )


def call_of(op: str, size_bytes: int, ranks: list[int], timer: GroupTimer) -> Callable[[], Any]:
    """The call itself, its buffers made: random ones, since zeros may be treated better."""
    count = size_bytes // ELEMENT_BYTES
    whole = torch.rand(count, device=timer.device)
    part = torch.rand(count // len(ranks), device=timer.device)
    group = timer.group
    if op == ALL_REDUCE:
        return lambda: dist.all_reduce(whole, group=group)
    if op == ALL_GATHER:
        return lambda: dist.all_gather_into_tensor(whole, part, group=group)
    if op == REDUCE_SCATTER:
        return lambda: dist.reduce_scatter_tensor(part, whole, group=group)
    if op == ALL_TO_ALL:
        other = torch.empty_like(whole)
        return lambda: dist.all_to_all_single(other, whole, group=group)
    if op == BROADCAST:
        return lambda: dist.broadcast(whole, src=ranks[0], group=group)
    raise ValueError(f"{op!r} is no collective")
