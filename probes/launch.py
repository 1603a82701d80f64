"""What a launch costs: to enqueue, to run alone, behind other work, as a node of a graph.

The kernel is the smallest there is, y = x + 1 of one element, launched as every stream is.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import msgspec
import torch

from roofwatch.probes.device import CudaTarget, EventTimer, GraphTimer, Target
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Launch, Report, Timed, one_by_one
from roofwatch.roofline import workload
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.session.host_cpu import host_cpu, quota, throttling

WARM = 200  # launches: the first ones load the kernel and find Python's caches empty
REPEATS = 20
CALLS = (50, 400)  # of a repetition: few enough for the driver's queue of 1024
ENQUEUED_S = 5e-3  # of the host's time in a repetition
SPIN_OVER = 3.0  # the device must be busy for longer than the host enqueues
SPIN_HZ = 2e9  # of the spin's cycles: a slower clock spins longer, which does no harm
NODES = 1000
STRETCHES, STRETCH_S = 5, 0.1  # of the rate: each as long as a scheduling period of a cgroup
NO_QUEUE = (
    "a CPU works when it is called: what a call costs stands here, there is no queue and no graph"
)


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """The variants ``enqueue`` and ``rate``; on a card ``floor``, ``queued`` and ``graph`` too."""
    target = place.target
    launch = smallest(target)
    group = quota().group
    before = throttling(group)
    if isinstance(target, CudaTarget):
        yield _point("enqueue", enqueue(target.index, launch))
        report(0.2)
        yield _point("rate", _rate(launch, lambda: _wait(target.index), report))
        yield _point("floor", _floor(target.index, launch))
        yield _point("queued", _queued(target.index, launch))
        report(0.9)
        yield _point("graph", _graph(target.index, launch))
    else:
        place.note(NO_QUEUE)
        yield _point("enqueue", called(launch))
        report(0.2)
        yield _point("rate", _rate(launch, lambda: None, report))
    after = throttling(group)
    if before and after:
        periods = after[0] - before[0]
        throttled = min(periods, after[1] - before[1])  # a period may end between the two counters
        place.told_cpu(msgspec.structs.replace(host_cpu(), periods=periods, throttled=throttled))


def smallest(target: Target) -> Launch:
    """A launch of the kernel."""
    x = torch.ones(1, dtype=torch.float32, device=target.torch_device)
    y = torch.empty_like(x)

    def launch() -> None:
        torch.add(x, 1, out=y)

    return launch


def _point(variant: str, timed: Timed) -> Point:
    work = msgspec.structs.replace(workload.add_scalar(1, "fp32"), op="launch")
    return Point(work=work, timed=timed, variant=variant, dtype="fp32")


def _timed(timing: str, once: Callable[[], float], repeats: int = REPEATS) -> Timed:
    """``repeats`` of a repetition that tells its own seconds a launch."""
    return one_by_one(once, timing, repeats, [once()])


def _host_s(launch: Launch, calls: int) -> float:
    """The host's seconds of one of ``calls`` launches in a row."""
    begin = time.perf_counter()
    for _ in range(calls):
        launch()
    return (time.perf_counter() - begin) / calls


def _calls(call_s: float) -> int:
    return max(CALLS[0], min(CALLS[1], int(ENQUEUED_S / call_s)))


def _wait(index: int) -> None:
    torch.cuda.synchronize(index)


def called(launch: Launch) -> Timed:
    """A call where nothing is enqueued: on a CPU its work is done when it returns."""
    call_s = _host_s(launch, WARM)
    return _timed("host", lambda: _host_s(launch, _calls(call_s)))


def enqueue(index: int, launch: Launch) -> Timed:
    """The host's part alone: behind a spin the device takes nothing from the queue meanwhile."""
    _host_s(launch, WARM)
    _wait(index)
    call_s = _host_s(launch, WARM)
    calls = _calls(call_s)
    cycles = int(SPIN_OVER * calls * call_s * SPIN_HZ)

    def once() -> float:
        _wait(index)
        if hasattr(torch.cuda, "_sleep"):
            torch.cuda._sleep(cycles)
        return _host_s(launch, calls)

    timed = _timed("host", once)
    _wait(index)
    return timed


def _rate(launch: Launch, wait: Callable[[], None], report: Report) -> Timed:
    """Launches for half a second on end: what the host pauses for is in it.

    A device that takes longer for each than the host holds it up once its queue is full.
    """
    calls = max(1, int(STRETCH_S / _host_s(launch, WARM)))
    wait()
    done = 0

    def once() -> float:
        nonlocal done
        done += 1
        report(0.2 + 0.6 * done / (STRETCHES + 1))
        return _host_s(launch, calls)

    timed = _timed("host", once, STRETCHES)
    wait()
    return timed


def _floor(index: int, launch: Launch) -> Timed:
    """A pair of events around one kernel on an idle device, as a person would time it."""
    first, second = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def once() -> float:
        _wait(index)
        first.record()
        launch()
        second.record()
        _wait(index)
        return float(first.elapsed_time(second)) / 1e3

    return _timed("event", once)


def _queued(index: int, launch: Launch) -> Timed:
    """The same two events behind a spin, where the kernel waits for no host."""
    timer = EventTimer(index)
    return _timed("event", lambda: timer.times(launch, 3)[1])


def _graph(index: int, launch: Launch) -> Timed:
    """A node of a graph of a thousand, each behind the last."""
    timer = GraphTimer(index, launch, NODES)
    timer.times(launch, 3)
    return _timed(timer.name, lambda: timer.times(launch, 1)[0])
