"""Matmuls with an all-reduce behind them on another stream: each alone, then both."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from roofwatch.fleet.collectives import drawn
from roofwatch.fleet.group_timer import GroupTimer
from roofwatch.roofline.workload import matmul
from roofwatch.session.fleet.lines import OverlapLine

KEY = {"cuda": "bf16", "cpu": "fp32"}
SIDE = {"cuda": 8192, "cpu": 512}
SIZE_BYTES = {"cuda": 256 << 20, "cpu": 4 << 20}
MOST_MATMULS = 200


def overlap(timer: GroupTimer, ranks: int) -> OverlapLine:
    """As many matmuls as take about as long as the all-reduce, so that all of it could hide."""
    kind = timer.device.type
    dtype = {"bf16": torch.bfloat16, "fp32": torch.float32}[KEY[kind]]
    side, size = SIDE[kind], SIZE_BYTES[kind]
    a, b, c = (torch.rand(side, side, dtype=dtype, device=timer.device) for _ in range(3))
    gradients = torch.empty(size // dtype.itemsize, dtype=dtype, device=timer.device)

    def draw() -> None:
        drawn(gradients)

    def send() -> Any:
        return dist.all_reduce(gradients, group=timer.group, async_op=True)

    def compute(times: int) -> None:
        for _ in range(times):
            torch.mm(a, b, out=c)

    def both(times: int) -> None:
        work = send()
        compute(times)
        work.wait()

    draw()
    link = timer.time(lambda: send().wait(), draw)
    one = timer.time(lambda: compute(1))
    times = max(1, min(MOST_MATMULS, round(link.time_s / one.time_s)))
    alone = timer.time(lambda: compute(times))
    together = timer.time(lambda: both(times), draw)
    return OverlapLine(
        ranks=ranks,
        compute_s=alone.time_s,
        link_s=link.time_s,
        together_s=together.time_s,
        flop=matmul(side, side, side, KEY[kind]).flop * times,
        size_bytes=size,
        repetitions=together.repetitions,
    )
