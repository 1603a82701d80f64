"""Copies within the host's memory by size: what the host itself reaches beside its links."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch

from roofwatch.probes.cpu import available_bytes
from roofwatch.probes.host_timer import HostTimer, host_timer_for
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Report, Timed
from roofwatch.probes.transfers import HOST_SHARE, LEAST_REPEATS, POINT_S, REPEATS, SIZES
from roofwatch.roofline import workload
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.statistics import median


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """By size: by one thread, as a driver stages pageable memory, and by as many as torch takes."""
    most = min(SIZES[-1], available_bytes() // HOST_SHARE)
    sizes = [size for size in SIZES if size <= most] or list(SIZES[:1])
    x = torch.empty(sizes[-1], dtype=torch.uint8).fill_(1)
    y = torch.empty_like(x).fill_(0)
    threads = torch.get_num_threads()
    ways = [("one thread", 1)] + ([("all threads", threads)] if threads > 1 else [])
    done = 0
    try:
        for variant, count in ways:
            torch.set_num_threads(count)
            for size in sizes:
                timed = _timed(x[:size], y[:size], place.target.stopped)
                yield Point(work=workload.memcpy(size), timed=timed, variant=variant)
                done += 1
                report(done / (len(ways) * len(sizes)))
    finally:
        torch.set_num_threads(threads)


def _timed(here: torch.Tensor, there: torch.Tensor, stopped: Callable[[], bool]) -> Timed:
    def launch() -> None:
        there.copy_(here)

    timer = host_timer_for(launch, HostTimer(stopped=stopped), stopped)
    first = timer.times(launch, LEAST_REPEATS)
    count = max(LEAST_REPEATS, min(REPEATS, int(POINT_S / (median(first) * timer.calls))))
    begin = time.monotonic()
    return Timed(
        times_s=timer.times(launch, count),
        stop="protocol",
        timing=timer.name,
        begin_s=begin,
        end_s=time.monotonic(),
        warmup_times_s=first,
    )
