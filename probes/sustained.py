"""Seconds of one matmul without rest: what the card holds once its power budget is spent."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch

from roofwatch.probes.device import Target
from roofwatch.probes.timing import Launch, Timed
from roofwatch.roofline.onset import window_begin_s

CHUNK_S = 0.25  # how often finished launches are reported
AHEAD_S = 0.05  # work queued ahead of the GPU: small, so that a stop is prompt
BLOCK_S = 0.1  # one repetition of the measurement is the mean launch of such a block


def launches_cuda(
    launch: Launch, seconds: float, expect_s: float, cancelled: Callable[[], bool]
) -> Iterator[tuple[float, list[float]]]:
    """Yield (monotonic seconds of the first launch, times) of finished launches, chunk by chunk."""
    depth = max(4, int(AHEAD_S / expect_s))
    torch.cuda.synchronize()
    anchor = torch.cuda.Event(enable_timing=True)
    begin = time.monotonic()
    anchor.record()
    last: Any = anchor
    pending: deque[Any] = deque()
    times: list[float] = []
    chunk_s = 0.0
    chunk_t0 = begin

    def finish_one() -> None:
        nonlocal last, chunk_s
        event = pending.popleft()
        event.synchronize()
        times.append(last.elapsed_time(event) / 1e3)
        chunk_s += times[-1]
        last = event

    while time.monotonic() - begin < seconds and not cancelled():
        launch()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        pending.append(event)
        if len(pending) > depth:
            finish_one()
        if chunk_s > CHUNK_S:
            yield chunk_t0, times
            chunk_t0 += chunk_s
            times, chunk_s = [], 0.0
    while pending:
        finish_one()
    if times:
        yield chunk_t0, times


def launches_cpu(
    launch: Launch, seconds: float, expect_s: float, cancelled: Callable[[], bool]
) -> Iterator[tuple[float, list[float]]]:
    """The same on a CPU, where every launch is waited for."""
    begin = chunk_t0 = time.monotonic()
    times: list[float] = []
    mark = begin
    while mark - begin < seconds and not cancelled():
        launch()
        now = time.monotonic()
        times.append(now - mark)
        mark = now
        if mark - chunk_t0 > CHUNK_S:
            yield chunk_t0, times
            chunk_t0, times = mark, []
    if times:
        yield chunk_t0, times


def launches(
    target: Target, launch: Launch, seconds: float, expect_s: float, cancelled: Callable[[], bool]
) -> Iterator[tuple[float, list[float]]]:
    """Run ``launch`` for ``seconds`` without rest, yielding finished launches as they come."""
    run = launches_cpu if target.kind == "cpu" else launches_cuda
    return run(launch, seconds, expect_s, cancelled)


def settle(t0: float, times_s: list[float], timing: str) -> Timed:
    """Repetitions of the sustained window: mean launch time of each 100 ms block in it.

    ``t0`` is the first launch on the monotonic clock. The window begins two seconds after onset.
    """
    skip = window_begin_s(times_s)
    blocks: list[float] = []
    block: list[float] = []
    clock = 0.0
    begin = None
    for time_s in times_s:
        clock += time_s
        if clock - time_s < skip:
            continue
        begin = clock - time_s if begin is None else begin
        block.append(time_s)
        if sum(block) >= BLOCK_S:
            blocks.append(sum(block) / len(block))
            block = []
    if len(blocks) < 3:  # a slow device: its launches are the repetitions
        blocks = times_s[-max(3, len(blocks)) :]
    return Timed(
        times_s=blocks,
        stop="protocol",
        timing=timing,
        begin_s=t0 + (begin or 0.0),
        end_s=t0 + clock,
    )
