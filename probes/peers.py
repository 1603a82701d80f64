"""Copies from card to card, every ordered pair that torch sees, each way and both ways at once."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import permutations

import torch

from roofwatch.probes.device import EventTimer, Target
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Cancelled, Launch, Report, Timed
from roofwatch.probes.transfers import by_size
from roofwatch.roofline import workload
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.statistics import median

SIZES = tuple(1 << shift for shift in (16, 18, 20, 22, 24, 26, 28))  # 64 KiB to 256 MiB
BOTH_S = 0.02  # of copies each way in one repetition by the host's clock
BOTH_REPEATS = 7
MOST_BOTH = 256  # copies of a repetition
SHARE = 8  # of a card's free memory that one buffer takes
LEAST_BYTES = SIZES[2]
DIRECT, STAGED = "peer", "staged"  # cards that reach each other, or go through the host
ONE_CARD = "one card is visible: a copy within it is no peer's"


def cannot(target: Target) -> str | None:
    """Why there are no peers, or None."""
    if target.kind != "cuda":
        return "no card: nothing to transfer"
    return ONE_CARD if torch.cuda.device_count() < 2 else None


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """One way by size for each ordered pair, both ways at the largest for each unordered one."""
    count = torch.cuda.device_count()
    most = _most_bytes(count)
    sizes = [size for size in SIZES if size <= most]
    if len(sizes) < 3:
        raise RuntimeError("too little memory is free on one of the cards")
    ends = [_buffers(index, sizes[-1]) for index in range(count)]
    pairs = list(permutations(range(count), 2))
    try:
        for done, (a, b) in enumerate(pairs):
            variant = DIRECT if torch.cuda.can_device_access_peer(a, b) else STAGED
            for size in sizes:
                if place.target.stopped():
                    raise Cancelled
                timed = _one_way(a, ends[a][0][:size], ends[b][1][:size])
                work = workload.peer_copy(size)
                yield Point(work=work, timed=timed, variant=variant, cards=(a, b))
            if a < b:
                there = ends[a][0], ends[b][1]
                back = ends[b][0], ends[a][1]
                timed = _both_ways(a, b, there, back)
                work = workload.peer_copy(sizes[-1], both_ways=True)
                yield Point(work=work, timed=timed, variant=variant, cards=(a, b))
            report((done + 1) / len(pairs))
    finally:
        ends.clear()
        for index in range(count):
            with torch.cuda.device(index):
                torch.cuda.empty_cache()


def _most_bytes(count: int) -> int:
    return min(torch.cuda.mem_get_info(index)[0] for index in range(count)) // SHARE


def _buffers(index: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """One to send from and one to receive in."""
    with torch.cuda.device(index):
        one = torch.ones(size, dtype=torch.uint8, device=f"cuda:{index}")
        return one, torch.zeros_like(one)


def _one_way(index: int, here: torch.Tensor, there: torch.Tensor) -> Timed:
    """By events of the card that sends, on whose stream torch puts the copy."""

    def launch() -> None:
        there.copy_(here, non_blocking=True)

    with torch.cuda.device(index):
        timed = by_size(lambda calls: EventTimer(index, calls), launch)
        torch.cuda.synchronize(index)
    torch.cuda.synchronize(there.device)
    return timed


def _both_ways(
    a: int,
    b: int,
    there: tuple[torch.Tensor, torch.Tensor],
    back: tuple[torch.Tensor, torch.Tensor],
) -> Timed:
    """By the host's clock, since no event tells of two cards: many copies each way, then a wait.

    Each direction has a pair of streams of its own: torch makes both ends' streams wait for a
    copy, so that on the usual ones the second would wait for the first.
    """
    lanes = [
        (torch.cuda.Stream(one), torch.cuda.Stream(other), *ends)
        for one, other, ends in ((a, b, there), (b, a, back))
    ]

    def enqueue() -> None:
        for sends, receives, here, target in lanes:
            with torch.cuda.stream(receives), torch.cuda.stream(sends):
                target.copy_(here, non_blocking=True)

    return timed_by_host(enqueue, lambda: _wait(a, b))


def _wait(a: int, b: int) -> None:
    torch.cuda.synchronize(a)
    torch.cuda.synchronize(b)


def timed_by_host(enqueue: Launch, wait: Launch) -> Timed:
    """Seconds of one launch of many that are waited for together."""

    def once(calls: int) -> float:
        wait()
        begin = time.perf_counter()
        for _ in range(calls):
            enqueue()
        wait()
        return (time.perf_counter() - begin) / calls

    warmup = [once(1) for _ in range(3)]
    calls = max(2, min(MOST_BOTH, int(BOTH_S / max(median(warmup), 1e-9))))
    begin = time.monotonic()
    times = [once(calls) for _ in range(BOTH_REPEATS)]
    return Timed(
        times_s=times,
        stop="protocol",
        timing="host",
        begin_s=begin,
        end_s=time.monotonic(),
        warmup_times_s=warmup,
    )
