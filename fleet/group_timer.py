"""How long something that several ranks do together takes: on the slowest of them, repeated."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import msgspec
import torch
import torch.distributed as dist

from roofwatch.roofline.statistics import iqr, median

WARM = 3  # calls before anything counts: connections are made by the first
BLOCK_S = 0.02  # of calls on end, the mean of which is one repetition
MOST_CALLS = 200
REPETITIONS, FEWEST = 7, 3
LONG_S = 0.3  # a call that takes so long is repeated as rarely as may be


def nothing() -> None:
    """Before a block of calls that needs nothing."""


class Together(msgspec.Struct, frozen=True, kw_only=True):
    """The median of the repetitions' times on the slowest rank, and how they spread."""

    time_s: float
    iqr_s: float
    repetitions: int
    times_s: list[float]


class GroupTimer:
    """Times calls on the ranks of a group, all of which must make the same ones."""

    def __init__(self, device: torch.device, group: Any = None) -> None:
        self.device = device
        self.group = group
        self.timing = "event" if device.type == "cuda" else "host"
        self._one = torch.zeros(1, device=device)

    def time(self, call: Callable[[], object], before: Callable[[], object] = nothing) -> Together:
        """Calls in blocks, each behind a barrier of the group; ``before`` that one comes what a
        block needs, untimed."""
        for _ in range(WARM):
            call()
        guess_s = self._slowest([self._block(call, 1, before)])[0]
        calls = max(1, min(MOST_CALLS, math.ceil(BLOCK_S / max(guess_s, 1e-9))))
        wanted = FEWEST if guess_s > LONG_S else REPETITIONS
        times_s = self._slowest([self._block(call, calls, before) for _ in range(wanted)])
        return Together(
            time_s=median(times_s), iqr_s=iqr(times_s), repetitions=wanted, times_s=times_s
        )

    def _block(self, call: Callable[[], object], calls: int, before: Callable[[], object]) -> float:
        """Seconds a call, of so many on end."""
        before()
        dist.all_reduce(self._one, group=self.group)  # all begin together
        if self.device.type != "cuda":
            began = time.perf_counter()
            for _ in range(calls):
                call()
            return (time.perf_counter() - began) / calls
        torch.cuda.synchronize(self.device)
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        return float(begin.elapsed_time(end)) / 1e3 / calls

    def _slowest(self, times_s: list[float]) -> list[float]:
        held = torch.tensor(times_s, dtype=torch.float64, device=self.device)
        dist.all_reduce(held, op=dist.ReduceOp.MAX, group=self.group)
        return [float(t) for t in held.tolist()]
