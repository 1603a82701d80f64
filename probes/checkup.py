"""A short look at torch and its device, before money is spent on them: for ``roofwatch doctor``.

What torch says of itself is told before the device is touched. Then, when the parent lets it go,
the device is opened, the smallest kernel launched for half a second, and a card is loaded: a
matmul and a copy to it side by side, so that the parent can look at its clocks and its link.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import torch
from msgspec.structs import replace

from roofwatch.probes import device, launch
from roofwatch.probes.device import CudaTarget, Target
from roofwatch.probes.memory import out_of_memory
from roofwatch.roofline.error_text import first_line
from roofwatch.roofline.statistics import median
from roofwatch.session.events import SessionInfo
from roofwatch.session.health import Checkup
from roofwatch.session.instrument import Instrument

LOAD_S = 1.5
SIZES = ((4096, 64 << 20), (1024, 4 << 20))
"""Side of the matmul and bytes of the copy, the smaller where others hold the memory."""
MATMULS = 16  # behind each copy: the card is not left idle while the link works
OPENING, LAUNCHING = "opening the device", "launching"
PREPARING, LOADING = "preparing the load", "loading"  # the parent looks at the card in the last


def run(
    instrument: Instrument,
    name: str,
    import_s: float,
    wait: Callable[[], object],
    load_s: Callable[[], float],
) -> int:
    """Look; the exit code, which is 0 also where the device cannot be used: that is told.

    ``wait`` returns when the parent lets it go, ``load_s`` then says for how long the load is held.
    """
    told = of_torch()

    def tell(found: Checkup, target: Target | None = None) -> Checkup:
        identity = target.identity() if target is not None else None
        now = instrument.now()
        instrument.write(SessionInfo(t=now, instrument="probes", device=identity, checkup=found))
        return found

    instrument.write(
        SessionInfo(
            t=instrument.now(), instrument="probes", import_s=round(import_s, 3), checkup=told
        )
    )
    instrument.say("waiting")
    wait()
    instrument.say(OPENING)
    try:
        if name != "cpu" and (problem := no_cuda()) is not None:
            told = replace(told, problem=problem)
        target = device.pick(name)
        told = tell(told, target)
        instrument.say(LAUNCHING)
        told = tell(replace(told, enqueue_s=_enqueue_s(target)))
        if isinstance(target, CudaTarget):
            instrument.say(PREPARING)
            tell(_loaded(target, instrument, told, load_s()))
    except device.NoDevice as error:
        tell(replace(told, problem=told.problem or str(error)))
    except Exception as error:  # whatever the driver makes of it is what was asked for
        tell(replace(told, problem=first_line(error)))
    return 0


def of_torch() -> Checkup:
    """What torch says of itself, without a device."""
    cudnn = torch.backends.cudnn.version() if torch.backends.cudnn.is_available() else None
    flags = getattr(torch._C, "_cuda_getArchFlags", None)  # get_arch_list needs a device
    return Checkup(
        torch=str(torch.__version__),
        cuda=torch.version.cuda,
        hip=getattr(torch.version, "hip", None),
        cudnn=None if cudnn is None else _cudnn_said(int(cudnn)),
        architectures=str(flags() or "").split() if flags is not None else [],
        threads=torch.get_num_threads(),
    )


def no_cuda() -> str | None:
    """Why torch has no CUDA device here, in its own words; None where it has one."""
    if torch.cuda.is_available():
        return None
    if torch.version.cuda is None and getattr(torch.version, "hip", None) is None:
        return "this torch was built without CUDA"
    try:
        torch.cuda.init()
    except Exception as error:  # RuntimeError, or an assertion of torch's own
        return first_line(error)
    return "torch sees no device"


def _cudnn_said(version: int) -> str:
    """91002 is 9.10.2, 8907 is 8.9.7."""
    major = 10_000 if version >= 90_000 else 1000
    return f"{version // major}.{version % major // 100}.{version % 100}"


def _enqueue_s(target: Target) -> float:
    smallest = launch.smallest(target)
    if isinstance(target, CudaTarget):
        return median(launch.enqueue(target.index, smallest).times_s)
    return median(launch.called(smallest).times_s)


def _loaded(target: CudaTarget, instrument: Instrument, told: Checkup, seconds: float) -> Checkup:
    for side, copy_bytes in SIZES:
        try:
            return _load(target, instrument, told, seconds, side, copy_bytes)
        except Exception as error:
            if (side, copy_bytes) == SIZES[-1] or not out_of_memory(error):
                raise
        target.clean_up()
    raise AssertionError  # the last size returns or raises


def _load(
    target: CudaTarget,
    instrument: Instrument,
    told: Checkup,
    seconds: float,
    side: int,
    copy_bytes: int,
) -> Checkup:
    """Hold it for so long; the copies are timed on a stream of their own."""
    a, b = (
        torch.randn(side, side, dtype=torch.float16, device=target.torch_device) for _ in range(2)
    )
    c = torch.empty_like(a)
    there = torch.empty(copy_bytes, dtype=torch.uint8, device=target.torch_device)
    here, pinned = _host_memory(copy_bytes)
    copies = torch.cuda.Stream(target.index)
    before, after = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    torch.matmul(a, b, out=c)
    torch.cuda.synchronize(target.index)
    copied, copy_s = 0, 0.0
    instrument.say(LOADING)
    begin_s = instrument.now()
    end_s = time.monotonic() + seconds
    while time.monotonic() < end_s:
        with torch.cuda.stream(copies):
            before.record(copies)
            there.copy_(here, non_blocking=True)
            after.record(copies)
        for _ in range(MATMULS):
            torch.matmul(a, b, out=c)
        torch.cuda.synchronize(target.index)
        copied += copy_bytes
        copy_s += before.elapsed_time(after) / 1e3
    return replace(
        told,
        load_begin_s=begin_s,
        load_end_s=instrument.now(),
        copied_bytes=copied,
        copy_s=copy_s or None,
        pinned=pinned,
    )


def _host_memory(size_bytes: int) -> tuple[torch.Tensor, bool]:
    """Pinned where the host lets us pin any, and whether it is."""
    try:
        return torch.empty(size_bytes, dtype=torch.uint8, pin_memory=True), True
    except RuntimeError:
        return torch.empty(size_bytes, dtype=torch.uint8), False
