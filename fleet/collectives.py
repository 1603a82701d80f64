"""Collectives of torch.distributed over sizes; what a backend lacks is said, never imitated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist

from roofwatch.fleet.collective_sizes import ELEMENT_BYTES, made_of, sizes
from roofwatch.fleet.group_timer import GroupTimer, Together, nothing
from roofwatch.roofline.collectives import (
    ALL_GATHER,
    ALL_REDUCE,
    ALL_TO_ALL,
    BROADCAST,
    REDUCE_SCATTER,
)
from roofwatch.roofline.error_text import first_line
from roofwatch.session.fleet.lines import CollectiveLine

SMALL = 2.0**-100  # below it lies what is summed in place: 228 doublings short of infinity
TOO_LONG_S = 1.0  # after a size that takes so long no larger one is tried
NOT_SUPPORTED = "not_supported"
LACKS = ("not support", "unsupported", "not implement", "no backend", "does not have")


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
            took.append(timer.time(*call_of(op, size, ranks, timer)))
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


def drawn(buffer: Any) -> Any:
    """The buffer with new random values, none as large as ``SMALL``.

    An all-reduce sums in place: with each call its values grow by the number of ranks. Drawn anew
    before each block they stay finite and unlike: of two ranks always, of eight for 76 calls on
    end, so at every size that takes 0.3 ms.
    """
    return buffer.uniform_(0, SMALL)


def call_of(
    op: str, size_bytes: int, ranks: list[int], timer: GroupTimer
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """The call itself, its buffers made (random ones, since zeros may be treated better), and what
    comes before each block of calls, untimed: nothing where the call leaves its input alone."""
    count = size_bytes // ELEMENT_BYTES
    whole = torch.rand(count, device=timer.device)
    part = torch.rand(count // len(ranks), device=timer.device)
    group = timer.group
    if op == ALL_REDUCE:
        return lambda: dist.all_reduce(whole, group=group), lambda: drawn(whole)
    if op == ALL_GATHER:
        return lambda: dist.all_gather_into_tensor(whole, part, group=group), nothing
    if op == REDUCE_SCATTER:
        return lambda: dist.reduce_scatter_tensor(part, whole, group=group), nothing
    if op == ALL_TO_ALL:
        other = torch.empty_like(whole)
        return lambda: dist.all_to_all_single(other, whole, group=group), nothing
    if op == BROADCAST:
        return lambda: dist.broadcast(whole, src=ranks[0], group=group), nothing
    raise ValueError(f"{op!r} is no collective")
