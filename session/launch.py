"""What a launch costs on this host and card, beside what the host may use of its CPU."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.statistics import median
from roofwatch.session.events import HostCpu, Measurement
from roofwatch.session.fold import Session

LAUNCH = "launch"  # key, protocol and op of the probe
ENQUEUE, RATE, FLOOR, QUEUED, GRAPH = "enqueue", "rate", "floor", "queued", "graph"
UNTOLD = "not_measured"


class LaunchCosts(msgspec.Struct, frozen=True, kw_only=True):
    """Seconds of one launch of the smallest kernel; ``status`` says why something is None.

    ``enqueue_s`` is the host's part, from Python, while the device is busy (on a CPU the whole
    call: its work is done when it returns). ``floor_s`` lies between two events around one kernel
    on an idle device, ``queued_s`` between the same two behind other work. ``graph_node_s`` is a
    node of a graph of many. ``launches_per_s`` is what one core launches over half a second, with
    every pause that the host makes. ``cpu_cores`` are those of our affinity, ``cpu_limit`` the
    cgroup's quota in cores, ``throttled_share`` the share of its periods, during the probe, in
    which the quota was used up.
    """

    enqueue_s: float | None = None
    floor_s: float | None = None
    queued_s: float | None = None
    graph_node_s: float | None = None
    launches_per_s: float | None = None
    cpu_model: str | None = None
    cpu_cores: int | None = None
    cpu_limit: float | None = None
    throttled_share: float | None = None
    status: dict[str, str] = {}


def launch_costs(session: Session, run: int | None = None) -> LaunchCosts | None:
    """The costs in one run (the reported one by default); None where no launch was measured."""
    points = {m.variant: m for m in session.group(LAUNCH, run)}
    if not points:
        return None
    why = "not_supported" if session.device.kind == "cpu" else "not_measured"
    rate = points.get(RATE)
    found = {
        "enqueue_s": _median(points.get(ENQUEUE)),
        "floor_s": _median(points.get(FLOOR)),
        "queued_s": _median(points.get(QUEUED)),
        "graph_node_s": _median(points.get(GRAPH)),
        "launches_per_s": len(rate.times_s) / sum(rate.times_s) if rate else None,
    }
    cpu = session.cpu
    host = {
        "cpu_model": (cpu.name, "name"),
        "cpu_cores": (cpu.cores, "cores"),
        "cpu_limit": (cpu.limit_cores, "limit_cores"),
        "throttled_share": (_throttled(cpu), "throttled"),
    }
    status = {name: why for name, value in found.items() if value is None}
    status |= {
        name: cpu.status.get(field, UNTOLD)
        for name, (value, field) in host.items()
        if value is None
    }
    return LaunchCosts(
        **found,
        cpu_model=cpu.name,
        cpu_cores=cpu.cores,
        cpu_limit=cpu.limit_cores,
        throttled_share=_throttled(cpu),
        status=status,
    )


def _median(m: Measurement | None) -> float | None:
    return median(m.times_s) if m else None


def _throttled(cpu: HostCpu) -> float | None:
    """Share of the periods; None where no period passed or nobody counts them."""
    return cpu.throttled / cpu.periods if cpu.periods and cpu.throttled is not None else None
