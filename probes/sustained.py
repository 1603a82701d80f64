"""Seconds of one matmul without rest: what the card holds once its power budget is spent."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import msgspec
import torch

from roofwatch.probes.device import Target
from roofwatch.probes.timing import (
    CLOCK_EVERY_S,
    MIN_LAUNCHES,
    Clock,
    ClockReading,
    Launch,
    Timed,
)
from roofwatch.roofline.onset import window_begin_s

CHUNK_S = 0.25  # how often finished launches are reported
AHEAD_S = 0.05  # work queued ahead of the GPU: small, so that a stop is prompt
BLOCK_S = 0.1  # one repetition of the measurement is the mean launch of such a block


class Chunk(msgspec.Struct, frozen=True, kw_only=True):
    """Finished launches: when the first began (monotonic clock), their times, clock readings.

    They follow each other but for the clock readings, 30 us every 5 ms.
    """

    t0_s: float
    times_s: list[float]
    clock: list[ClockReading] = []


def launches_cuda(
    launch: Launch,
    seconds: float,
    expect_s: float,
    clock: Clock | None,
    cancelled: Callable[[], bool],
) -> Iterator[Chunk]:
    """Yield finished launches, chunk by chunk, the clock read every 5 ms between them."""
    depth = max(4, int(AHEAD_S / expect_s))
    torch.cuda.synchronize()
    anchor = torch.cuda.Event(enable_timing=True)
    begin = time.monotonic()
    anchor.record()
    last: Any = anchor
    pending: deque[tuple[Any, Launch]] = deque()
    times: list[float] = []
    readings: list[ClockReading] = []
    at_s = t0_s = begin
    queued_s = 0.0  # of launches since the last reading: the first must find a filled queue

    def finish_one() -> None:
        nonlocal last, at_s
        event, what = pending.popleft()
        event.synchronize()
        time_s = last.elapsed_time(event) / 1e3
        if what is launch:
            times.append(time_s)
        elif clock is not None and what is clock.launch and (mhz := clock.mhz(time_s)):
            readings.append(ClockReading(at_s, mhz))
        at_s += time_s
        last = event

    def enqueue(what: Launch) -> None:
        what()
        event = torch.cuda.Event(enable_timing=True)
        event.record()
        pending.append((event, what))

    while time.monotonic() - begin < seconds and not cancelled():
        if clock is not None and queued_s >= CLOCK_EVERY_S:
            enqueue(clock.lead)
            enqueue(clock.launch)
            queued_s = 0.0
        enqueue(launch)
        queued_s += expect_s
        while len(pending) > depth:
            finish_one()
        if at_s - t0_s > CHUNK_S and times:
            yield Chunk(t0_s=t0_s, times_s=times, clock=readings)
            t0_s, times, readings = at_s, [], []
    while pending:
        finish_one()
    if times:
        yield Chunk(t0_s=t0_s, times_s=times, clock=readings)


def launches_cpu(launch: Launch, seconds: float, cancelled: Callable[[], bool]) -> Iterator[Chunk]:
    """The same on a CPU, where every launch is waited for."""
    begin = t0_s = mark = time.monotonic()
    times: list[float] = []
    while mark - begin < seconds and not cancelled():
        launch()
        now = time.monotonic()
        times.append(now - mark)
        mark = now
        if mark - t0_s > CHUNK_S:
            yield Chunk(t0_s=t0_s, times_s=times)
            t0_s, times = mark, []
    if times:
        yield Chunk(t0_s=t0_s, times_s=times)


def launches(
    target: Target,
    launch: Launch,
    seconds: float,
    expect_s: float,
    clock: Clock | None,
    cancelled: Callable[[], bool],
) -> Iterator[Chunk]:
    """Run ``launch`` for ``seconds`` without rest, yielding finished launches as they come."""
    if target.kind == "cpu":
        return launches_cpu(launch, seconds, cancelled)
    return launches_cuda(launch, seconds, expect_s, clock, cancelled)


def settle(chunks: Sequence[Chunk], timing: str) -> Timed:
    """Repetitions of the sustained window: mean launch time of each 100 ms block in it.

    The window begins two seconds after onset.

    Raises:
        RuntimeError: there are too few.
    """
    if sum(len(c.times_s) for c in chunks) < MIN_LAUNCHES:
        raise RuntimeError(f"fewer than {MIN_LAUNCHES} launches finished in time")
    launched: list[tuple[float, float]] = []  # begin of each launch, its time
    for chunk in chunks:
        at_s = chunk.t0_s
        for time_s in chunk.times_s:
            launched.append((at_s, time_s))
            at_s += time_s
    from_s = launched[0][0] + window_begin_s([time_s for _, time_s in launched])
    inside = [(at_s, time_s) for at_s, time_s in launched if at_s >= from_s]
    if len(inside) < MIN_LAUNCHES:
        inside = launched[-MIN_LAUNCHES:]
    blocks = _blocks([time_s for _, time_s in inside])
    if len(blocks) < MIN_LAUNCHES:  # a slow device: its launches are the repetitions
        blocks = [time_s for _, time_s in inside]
    begin_s = inside[0][0]
    return Timed(
        times_s=blocks,
        stop="protocol",
        timing=timing,
        begin_s=begin_s,
        end_s=inside[-1][0] + inside[-1][1],
        clock=[r for chunk in chunks for r in chunk.clock if r.t_s >= begin_s],
    )


def _blocks(times_s: Sequence[float]) -> list[float]:
    """Mean time of each 100 ms of launches; what is left over at the end is dropped."""
    blocks: list[float] = []
    block: list[float] = []
    for time_s in times_s:
        block.append(time_s)
        if sum(block) >= BLOCK_S:
            blocks.append(sum(block) / len(block))
            block = []
    return blocks
