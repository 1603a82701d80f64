"""A fleet of H200s as one would have been measured: simulated ranks, and links of given rates."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
from simulated_ranks import CARDS, one, template

from roofwatch.roofline.collectives import OPS
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import (
    BETWEEN,
    SCHEMA,
    SILENT,
    WITHIN,
    AnyLine,
    CollectiveLine,
    EndLine,
    Header,
    LinkLine,
    OverlapLine,
    RankLine,
)

SIZES = [8**k for k in range(1, 11)]
INSIDE, ACROSS = 380.0, 45.0  # GB/s of a pair, within and between nodes


@cache
def _template() -> dict[str, Any]:
    return template()


def fleet_lines(ranks: int, lost: tuple[int, ...] = (), links: bool = True) -> Iterator[AnyLine]:
    """The lines of its file; ranks of ``lost`` went silent."""
    yield Header(
        schema=SCHEMA,
        id="abc",
        started_at="2026-11-30T12:00:00Z",
        world=ranks,
        suite="quick",
        device="cuda",
        launcher="torchrun",
    )
    for rank in range(ranks):
        made = one(_template(), rank, ranks)
        line = msgspec.structs.replace(made, node=made.host)
        if rank in lost:
            why = "silent for 20 s; last word: measuring matmul-bf16 40 %"
            line = RankLine(
                rank=rank, host=made.host, node=made.host, card=made.card, state=SILENT, why=why
            )
        yield line
    if links:
        yield from _links(ranks)
    yield EndLine(complete=not lost)


def _links(ranks: int) -> Iterator[AnyLine]:
    for op in OPS:
        times_s = [20e-6 + size / 250e9 for size in SIZES]
        yield CollectiveLine(
            op=op, ranks=ranks, backend="nccl", sizes_bytes=SIZES, times_s=times_s, timing="event"
        )
    yield OverlapLine(ranks=ranks, compute_s=3e-3, link_s=3.1e-3, together_s=3.6e-3)
    for rank in range(ranks - 1):
        group = WITHIN if (rank + 1) % CARDS else BETWEEN
        rate = INSIDE if group == WITHIN else ACROSS
        size = 64 << 20
        yield LinkLine(
            a=rank,
            b=rank + 1,
            group=group,
            size_bytes=size,
            time_s=size / rate / 1e9,
            latency_s=8e-6,
        )


def made_fleet(ranks: int, lost: tuple[int, ...] = (), links: bool = True) -> Fleet:
    """The fold of them."""
    fleet = Fleet()
    for line in fleet_lines(ranks, lost, links):
        fleet.add(line)
    return fleet
