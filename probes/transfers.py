"""Copies between the host's memory and a card: each way and both at once, pinned and pageable."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch

from roofwatch.probes.cpu import available_bytes
from roofwatch.probes.device import CudaTarget, EventTimer
from roofwatch.probes.host_timer import HostTimer
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Cancelled, Launch, Report, Timed, Timer
from roofwatch.roofline import workload
from roofwatch.roofline.links import D2H, DUPLEX, H2D
from roofwatch.roofline.probe_spec import PAGEABLE, PINNED, ProbeSpec
from roofwatch.roofline.statistics import median
from roofwatch.roofline.workload import Work

SIZES = tuple(1 << shift for shift in range(16, 31, 2))  # 64 KiB to 1 GiB
HELD_BYTES = 1 << 28
HELD_S = 1.0  # so long that the link is looked at in the middle of it
BLOCK_S = 0.05
REPEATS, LEAST_REPEATS = 15, 5
POINT_S = 0.15  # of one size, but for the least repeats
SHORT_S = 1e-3  # a repetition of shorter copies is many of them between two events
MOST_CALLS = 64
HOST_SHARE = 8  # of the host's memory that can be had: the rest is others'
NO_CARD = "no card: nothing to transfer"


class NotPinned(RuntimeError):
    """The host gives no memory that a card can read by itself."""


def most_bytes(target: CudaTarget) -> int:
    """The largest buffer that neither host nor card is short of."""
    return min(SIZES[-1], available_bytes() // HOST_SHARE, target.free_bytes() // 4)


def on_host(size: int, memory: str) -> torch.Tensor:
    """Bytes of the host's memory, each page touched.

    Raises:
        NotPinned: they were to be pinned, and cannot be.
    """
    try:
        tensor = torch.empty(size, dtype=torch.uint8, pin_memory=memory == PINNED)
    except RuntimeError as error:
        if memory == PINNED:
            raise NotPinned(_why_not(error)) from None
        raise
    return tensor.fill_(1)


def _why_not(error: RuntimeError) -> str:
    """In words of our own: a refusal to pin says nothing of the card's context."""
    said = str(error).splitlines()[0].replace("CUDA error: ", "")
    return f"host memory cannot be pinned: {said}"


class Lane:
    """Buffers at both ends of the link, and launches that copy between them."""

    def __init__(self, target: CudaTarget, size: int, memory: str) -> None:
        self._index = target.index
        self._memory = memory
        self._host = on_host(size, memory)
        self._card = torch.empty(size, dtype=torch.uint8, device=target.torch_device)
        self._back: tuple[torch.Tensor, torch.Tensor] | None = None
        self._target = target

    def launch(self, op: str, size: int) -> Launch:
        """One copy of ``size`` bytes; of ``duplex`` one each way at the same time."""
        host, card = self._host[:size], self._card[:size]
        if op == DUPLEX:
            return self._both(host, card, size)
        there, here = (card, host) if op == H2D else (host, card)
        if self._memory == PINNED:
            return lambda: there.copy_(here, non_blocking=True)

        def staged() -> None:
            there.copy_(here)
            torch.cuda.synchronize(self._index)

        return staged

    def timer(self, calls: int = 1) -> Timer:
        """Events between pinned copies; the host's clock where the host copies itself."""
        if self._memory == PINNED:
            return EventTimer(self._index, calls)
        return HostTimer(stopped=self._target.stopped, calls=calls)

    def _both(self, host: torch.Tensor, card: torch.Tensor, size: int) -> Launch:
        if self._back is None:
            whole = self._host.numel()
            self._back = on_host(whole, self._memory), torch.empty_like(self._card)
        host_back, card_back = (each[:size] for each in self._back)
        up, down = torch.cuda.Stream(self._index), torch.cuda.Stream(self._index)

        def launch() -> None:
            here = torch.cuda.current_stream(self._index)
            for stream in (up, down):
                stream.wait_stream(here)
            with torch.cuda.stream(up):
                card.copy_(host, non_blocking=True)
            with torch.cuda.stream(down):
                host_back.copy_(card_back, non_blocking=True)
            for stream in (up, down):
                here.wait_stream(stream)

        return launch


def held(spec: ProbeSpec, place: Place, report: Report) -> tuple[Work, Timed]:
    """A second of copies of one kind without rest: the figure, and a load on the link.

    Raises:
        NotPinned: the host gives no pinned memory.
        Cancelled: the parent asked to stop.
    """
    target = _card(place)
    size = min(HELD_BYTES, most_bytes(target))
    lane = Lane(target, size, spec.variant)
    launch = lane.launch(spec.op, size)
    timed = back_to_back(lane.timer(), launch, HELD_S, report)
    return workload.transfer(spec.op, size), timed


def back_to_back(
    timer: Timer,
    launch: Launch,
    seconds: float,
    report: Report,
    now: Callable[[], float] = time.monotonic,
) -> Timed:
    """Blocks of launches for ``seconds``; the first block is the warm-up."""
    warmup = timer.times(launch, LEAST_REPEATS)
    count = max(LEAST_REPEATS, int(BLOCK_S / max(median(warmup), 1e-9)))
    begin = now()
    times: list[float] = []
    while (elapsed := now() - begin) < seconds or len(times) < LEAST_REPEATS:
        times += timer.times(launch, count)
        report(min(1.0, elapsed / seconds))
    return Timed(
        times_s=times,
        stop="protocol",
        timing=timer.name,
        begin_s=begin,
        end_s=now(),
        warmup_times_s=warmup,
    )


def points(spec: ProbeSpec, place: Place, report: Report) -> Iterator[Point]:
    """Each kind of copy by size; what is too large for this host or card is left out."""
    target = _card(place)
    most = most_bytes(target)
    sizes = [size for size in SIZES if size <= most]
    if len(sizes) < len(SIZES):
        place.note(f"memory is short: copies of more than {sizes[-1] >> 20} MiB are left out")
    kinds = [(PINNED, op) for op in (H2D, D2H, DUPLEX)] + [(PAGEABLE, op) for op in (H2D, D2H)]
    done = 0
    lanes: dict[str, Lane] = {}
    for memory, op in kinds:
        if memory not in lanes:
            lanes.clear()  # a gigabyte of pinned memory goes before the next is taken
            lanes[memory] = Lane(target, sizes[-1], memory)
        for size in sizes:
            if target.stopped():
                raise Cancelled
            lane = lanes[memory]
            timed = by_size(lane.timer, lane.launch(op, size))
            yield Point(work=workload.transfer(op, size), timed=timed, variant=memory)
            done += 1
            report(done / (len(kinds) * len(sizes)))


def by_size(timer_of: Callable[[int], Timer], launch: Launch) -> Timed:
    """A few repetitions; many short copies share two events, which would drown one."""
    once = timer_of(1)
    first = once.times(launch, LEAST_REPEATS)
    calls = max(1, min(MOST_CALLS, int(SHORT_S / max(median(first), 1e-9))))
    timer = once if calls == 1 else timer_of(calls)
    each_s = max(median(first), 1e-9) * calls
    count = max(LEAST_REPEATS, min(REPEATS, int(POINT_S / each_s)))
    begin = time.monotonic()
    times = timer.times(launch, count)
    return Timed(
        times_s=times,
        stop="protocol",
        timing=timer.name,
        begin_s=begin,
        end_s=time.monotonic(),
        warmup_times_s=first,
    )


def _card(place: Place) -> CudaTarget:
    if not isinstance(place.target, CudaTarget):
        raise RuntimeError(NO_CARD)
    return place.target
