"""Which kernel a launch really ran, and how long it took by the profiler's own clock."""

from __future__ import annotations

from collections import defaultdict

import msgspec
import torch
from torch.profiler import ProfilerActivity, profile

from roofwatch.probes.device import Target
from roofwatch.probes.timing import Launch
from roofwatch.roofline.statistics import median

LAUNCHES = 5
LONGEST_NAME = 300


class Profiled(msgspec.Struct, frozen=True, kw_only=True):
    """The longest kernel of a launch by name, and the launch's time in all its kernels."""

    kernel: str | None = None
    time_s: float | None = None
    status: str | None = None  # why there is no name


def wake(target: Target) -> None:
    """Load the profiler: its first use costs seconds, which no probe should seem to take."""
    if target.kind == "cuda":
        profiled(target, lambda: torch.empty(16, device=target.torch_device).zero_())


def profiled(target: Target, launch: Launch) -> Profiled:
    """Run a few launches under torch's profiler. Never raises: a card may forbid profiling."""
    if target.kind != "cuda":
        return Profiled(status="not_supported")
    try:
        with profile(activities=[ProfilerActivity.CUDA]) as trace:
            for _ in range(LAUNCHES):
                launch()
            torch.cuda.synchronize()
        events = [
            e
            for e in trace.events() or ()
            if e.device_type.name == "CUDA" and not e.name.startswith("Memset")
        ]
    except Exception:  # torch raises what it likes where its build cannot profile
        return Profiled(status="error")
    if not events:  # the driver reserves its counters for an administrator
        return Profiled(status="no_permission")
    by_name: dict[str, list[float]] = defaultdict(list)
    for event in events:
        by_name[event.name].append(event.time_range.elapsed_us() / 1e6)
    main = max(by_name, key=lambda name: sum(by_name[name]))
    # Several kernels of one name may make one launch; a launch's time is all of them.
    time_s = sum(median(times) * len(times) / LAUNCHES for times in by_name.values())
    return Profiled(kernel=main[:LONGEST_NAME], time_s=time_s)
