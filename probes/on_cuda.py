"""A caller's function on a CUDA device: what it does there, and the timer that this leaves."""

from __future__ import annotations

import contextlib
import os
import time
from typing import NamedTuple

import msgspec
import torch

from roofwatch.probes.device import CudaTarget, EventTimer, GraphTimer, NoDevice
from roofwatch.probes.function import Taken, settled
from roofwatch.probes.operands import math_flags
from roofwatch.probes.spin import NoSpin, SpinClock
from roofwatch.probes.timing import GRAPH_BELOW_S, Launch, Timer
from roofwatch.roofline.statistics import median

SPIN_HZ = 2e9  # of the spin's cycles: a slower clock spins longer, which does no harm
SPIN_S = (0.005, 0.5)
SPIN_OVER_CALL = 3.0  # the device must be busy for longer than the host's part of a call takes
LOOKS = 3
MOST_CALLS = 20  # behind one spin: of a single short kernel an event's own error is too much
NOTHING_S = 3e-7  # of device time: no kernel starts and ends in less
OUTLIVES_S = 1e-4  # of work behind a call that no event of this stream has seen


class OtherStream(ValueError):
    """The function's work is not on the current stream, where events would see it."""


class Looked(msgspec.Struct, frozen=True, kw_only=True):
    """What one call does, seen while the device was kept busy before it."""

    device_s: float  # between the events around it
    waited: bool  # it came back only when the device was done
    works: bool  # something was enqueued on the current stream


class OnCuda:
    """A function on one CUDA device. The caller's current device stays what it was."""

    def __init__(self, index: int, launch: Launch) -> None:
        self._index = index
        self._launch = launch
        with torch.cuda.device(index):
            self._target = CudaTarget(index)
            self.device = self._target.identity()
            self.looked = look(index, launch)
            self._timer = self._choose() if self.looked.works else None
        uuid = self.device.uuid
        # Bare, telemetry finds a whole card or a slice by it.
        name = uuid.removeprefix("GPU-") if uuid else f"cuda:{index}"
        self.telemetry = ["--source", "auto", "--device", name]

    @property
    def works(self) -> bool:
        """Whether the function uses the device at all."""
        return self._timer is not None

    def take(self, seconds: float) -> Taken:
        """See Place."""
        assert self._timer is not None
        with torch.cuda.device(self._index):
            clock, why = self._clock(self._timer)
            taken = settled("cuda", self._timer, self._launch, seconds, clock)
        return msgspec.structs.replace(taken, no_clock=why)

    def _clock(self, timer: Timer) -> tuple[SpinClock | None, str]:
        if timer.name != "event":
            return None, "not_measured"  # no room for a reading between its launches
        try:
            return SpinClock(self._target.timer()), ""
        except NoSpin as why:
            return None, str(why)

    def _choose(self) -> Timer:
        """Events; for a short call a graph, or where none can be had many calls between two."""
        short = self.looked.device_s < 2 * GRAPH_BELOW_S
        calls = self._target.calls_for(self._launch) if short else 1
        if calls == 1:
            return self._target.timer()
        # A call that waits cannot be captured, and a capture that fails leaves marks.
        if not self.looked.waited:
            try:
                return GraphTimer(self._index, self._launch, calls, "thread_local")
            except Exception:  # it ran before: what it raises now is the capture's
                mend(self._index)
        return EventTimer(self._index, calls)


def chosen_index(device: str | None) -> int | None:
    """The ordinal of ``cuda`` or ``cuda:N``; without a name the current one, None without CUDA.

    Raises:
        NoDevice: what was named is absent.
    """
    if not torch.cuda.is_available():
        if device is None:
            return None
        raise NoDevice(f"torch {torch.__version__} sees no CUDA device")
    number = (device or "").partition(":")[2]
    index = int(number) if number else torch.cuda.current_device()
    if index >= torch.cuda.device_count():
        raise NoDevice(f"there is no cuda:{index}; torch sees {torch.cuda.device_count()}")
    return index


def fp32_math() -> str:
    """What torch makes of an fp32 matmul on CUDA as its switches stand: ``ieee`` or ``tf32``."""
    override = os.environ.get("NVIDIA_TF32_OVERRIDE")
    if override in ("0", "1"):  # cuBLAS obeys it whatever torch asks for
        return "tf32" if override == "1" else "ieee"
    flags = math_flags()
    tf32 = flags.get("fp32_precision") == "tf32" or flags.get("allow_tf32") == "true"
    return "tf32" if tf32 else "ieee"


def look(index: int, launch: Launch) -> Looked:
    """Call it a few times behind a spin, so that its own part of the device's time shows.

    Raises:
        OtherStream: the device works for it, but not on the current stream.
    """
    launch()  # what is loaded or compiled on the way is no part of it
    torch.cuda.synchronize(index)
    call_s, behind_s = _apart(index, launch)
    if not hasattr(torch.cuda, "_sleep"):  # nothing keeps the device busy: events and no graph
        return Looked(device_s=call_s + behind_s, waited=True, works=True)
    calls = max(1, min(MOST_CALLS, int(SPIN_S[0] / SPIN_OVER_CALL / call_s)))
    spin_s = min(max(SPIN_S[0], SPIN_OVER_CALL * call_s), SPIN_S[1])
    looks = [_behind_spin(index, launch, calls, int(spin_s * SPIN_HZ)) for _ in range(LOOKS)]
    unwaited = [each for each in looks if not each.waited]
    device_s = median([each.busy_s for each in unwaited or looks]) / calls
    nothing_s = median([each.empty_s for each in looks])
    works = not unwaited or device_s - nothing_s / calls > NOTHING_S
    if not works and _outlives(index, launch, call_s):
        raise OtherStream(
            "fn leaves work on another stream than the current one, where it cannot be timed: "
            'call measure() under torch.cuda.stream(...), or give device="cpu"'
        )
    return Looked(device_s=device_s, waited=len(unwaited) < LOOKS, works=works)


def _apart(index: int, launch: Launch) -> tuple[float, float]:
    """Seconds of one call, and seconds that the device goes on behind it."""
    begin = time.perf_counter()
    launch()
    call_s = time.perf_counter() - begin
    torch.cuda.synchronize(index)
    return call_s, time.perf_counter() - begin - call_s


def _outlives(index: int, launch: Launch, call_s: float) -> bool:
    """Whether the device goes on behind a call for longer than behind an equally long pause."""

    def pause() -> None:  # after 20 ms without work a bare synchronise took 0.1 ms
        time.sleep(min(call_s, SPIN_S[1]))

    behind_s, idle_s = (
        min(_apart(index, each)[1] for _ in range(LOOKS)) for each in (launch, pause)
    )
    return behind_s - idle_s > OUTLIVES_S


class _Behind(NamedTuple):
    """Seconds between the events around the calls and around nothing; whether a call waited."""

    busy_s: float
    empty_s: float
    waited: bool


def _behind_spin(index: int, launch: Launch, calls: int, cycles: int) -> _Behind:
    first, second, third = (torch.cuda.Event(enable_timing=True) for _ in range(3))
    torch.cuda._sleep(cycles)
    first.record()
    second.record()
    for _ in range(calls):
        launch()
    waited = first.query()
    third.record()
    torch.cuda.synchronize(index)
    return _Behind(second.elapsed_time(third) / 1e3, first.elapsed_time(second) / 1e3, waited)


def mend(index: int) -> None:
    """Undo what a failed capture leaves: the random generator believes itself captured still."""
    with contextlib.suppress(Exception):
        torch.cuda.synchronize(index)
        ones = torch.ones(1, device=f"cuda:{index}")
        with torch.cuda.graph(torch.cuda.CUDAGraph(), capture_error_mode="thread_local"):
            ones.add_(1)
