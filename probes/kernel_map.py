"""The kernels of a transformer, each timed alone (seed, Day 17)."""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

import msgspec
import torch

from roofwatch.probes import kernels, operands
from roofwatch.probes.device import CudaTarget, GraphTimer
from roofwatch.probes.graph_nodes import graph_nodes
from roofwatch.probes.map_kernels import (
    MATMUL,
    SHORT,
    MapKernel,
    Sizes,
    kernels_of,
    sizes_for,
)
from roofwatch.probes.on_cuda import mend
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Launch, Report, Timed, burst, one_by_one, steady
from roofwatch.roofline.error_text import first_line
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.workload import Work

KERNELS = 15  # to tell how far it has come
CALLED = 100  # calls between two waits, of a kernel timed as it is called
GRAPH_NODES = 64  # calls in the graph of a short kernel
REPEATS = 20
WARM = 10
CACHE_MULTIPLE = 4  # less than so many times the last-level cache, and a part is found there
EAGER, GRAPH = "eager", "graph"


def points(
    spec: ProbeSpec, place: Place, report: Report, sizes: Sizes | None = None
) -> Iterator[Point]:
    """Each kernel as it is measured; a short one as it is called and as a graph replays it."""
    target = place.target
    sizes = sizes or sizes_for(target)
    operands.set_math(spec)
    if 2 * sizes.tensor_bytes < CACHE_MULTIPLE * target.cache_bytes:
        place.note(
            f"tensors of {sizes.tensor_bytes / 2**20:.0f} MiB are partly found in the last-level "
            f"cache of {target.cache_bytes / 2**20:.0f} MiB: rates may lie over the memory's"
        )
    done = itertools.count(1)
    for kernel in kernels_of(target, spec.dtype, sizes):
        yield from _points(place, kernel)
        report(min(1.0, next(done) / KERNELS))
        del kernel  # its memory must be free before the next one takes some
        target.clean_up()


def _points(place: Place, kernel: MapKernel) -> Iterator[Point]:
    target, launch = place.target, kernel.launch
    if kernel.timing == SHORT and isinstance(target, CudaTarget):
        yield from _both_ways(place, target, kernel)
        return
    if kernel.timing == MATMUL and isinstance(target, CudaTarget):
        (timed,) = burst(target.timer(), [launch], clock=place.clock, sleep=place.rest)
    else:
        timed = _settled(place, launch)
    on_card = isinstance(target, CudaTarget)
    nodes = graph_nodes(launch) if kernel.counted and on_card else None
    yield Point(
        work=_shaped(kernel, nodes),
        timed=timed,
        profile=kernels.profiled(target, launch) if kernel.named and on_card else None,
    )


def _both_ways(place: Place, target: CudaTarget, kernel: MapKernel) -> Iterator[Point]:
    """As called from Python, and in a graph; what cannot be captured has the first alone."""
    as_called = _as_called(target, kernel.launch)
    timer: GraphTimer | None = None
    try:
        timer = GraphTimer(target.index, kernel.launch, GRAPH_NODES, "thread_local")
    except Exception as error:  # it ran before: what it raises now is the capture's
        mend(target.index)
        place.note(f"{kernel.work.op} cannot be captured in a CUDA graph: {first_line(error)}")
    nodes = graph_nodes(kernel.launch) if timer is not None else None
    work = _shaped(kernel, nodes)
    yield Point(work=work, timed=as_called, variant=EAGER)
    if timer is not None:
        timed = steady(timer, kernel.launch, warm_s=0.1, warm_cap_s=0.5, cap_s=0.3)
        yield Point(work=work, timed=timed, variant=GRAPH)


def _settled(place: Place, launch: Launch) -> Timed:
    """Warm until two blocks agree, shorter than a roof's stream: there are many of them."""
    timer = place.target.timer_for(launch)
    if place.target.kind == "cpu":
        return steady(timer, launch, warm_s=0.0, warm_cap_s=0.1, min_count=3, cap_s=0.15)
    clock = place.clock if timer.name == "event" else None
    return steady(timer, launch, warm_s=0.1, warm_cap_s=0.5, min_count=10, cap_s=0.3, clock=clock)


def _as_called(target: CudaTarget, launch: Launch) -> Timed:
    """Seconds of a call in a row of calls, by the host's clock, until the device is done too."""

    def once() -> float:
        begin = time.perf_counter()
        for _ in range(CALLED):
            launch()
        torch.cuda.synchronize(target.index)
        return (time.perf_counter() - begin) / CALLED

    return one_by_one(once, "host", REPEATS, [once() for _ in range(WARM)])


def _shaped(kernel: MapKernel, nodes: int | None) -> Work:
    """The work with what else is known of its launches in its shape."""
    shape = dict(kernel.work.shape)
    if kernel.copies > 1:
        shape["copies"] = kernel.copies
    if nodes:
        shape["kernels"] = nodes
    return msgspec.structs.replace(kernel.work, shape=shape)
