"""What /proc and sysfs say of the host's CPU: read by both instruments, each for its own end.

Every function takes ``root``, so that tests can lay out a machine of their own.
"""

from __future__ import annotations

import os
import re

import msgspec

from roofwatch.session.cgroups import groups, mounted, words_of
from roofwatch.session.events import HostCpu, Status

CPUS = "/sys/devices/system/cpu"
NODES = "/sys/devices/system/node"
MOST_NODES = 4096
UNLIMITED = "unlimited"


def read(path: str) -> str | None:
    """A small file's text, stripped; None where it cannot be read."""
    try:
        with open(path) as file:
            return file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None


def cpuinfo(root: str = "") -> tuple[str | None, frozenset[str]]:
    """Model name and feature flags of the first CPU."""
    text = read(f"{root}/proc/cpuinfo") or ""
    name = re.search(r"^model name\s*:\s*(.+)$", text, re.MULTILINE)
    flags = re.search(r"^(?:flags|Features)\s*:\s*(.+)$", text, re.MULTILINE)
    return name[1] if name else None, frozenset(flags[1].split() if flags else ())


def last_level_cache(root: str = "") -> int | None:
    """Bytes of the highest cache level that CPU 0 sees."""
    levels = []
    for index in range(10):
        folder = f"{root}{CPUS}/cpu0/cache/index{index}"
        level = read(f"{folder}/level")
        size = re.fullmatch(r"(\d+)([KMG]?)", read(f"{folder}/size") or "")
        if level and level.isdigit() and size:
            unit = 1 << {"": 0, "K": 10, "M": 20, "G": 30}[size[2]]
            levels.append((int(level), int(size[1]) * unit))
    return max(levels)[1] if levels else None


def usable() -> list[int]:
    """The CPUs on which this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """CPUs' worth of time that the tightest cgroup above us allows; else the reason for None."""

    cores: float | None = None
    group: str | None = None  # its folder
    status: Status | None = None  # "unlimited", "not_supported", "no_permission" or "error"


def quota(root: str = "") -> Quota:
    """The tightest CPU quota of our cgroups, of version 2 (cpu.max) or 1 (cpu.cfs_quota_us)."""
    found: list[Quota] = []
    for group in groups("cpu", root):
        both, why = words_of(f"{group}/cpu.max")  # "200000 100000" or "max 100000"
        if not both and why == "not_supported":
            ours, why = words_of(f"{group}/cpu.cfs_quota_us")
            period, _ = words_of(f"{group}/cpu.cfs_period_us")
            both = ours + period
        found.append(_share(both, group) if both else Quota(status=why))
    limited = [q for q in found if q.cores is not None]
    if limited:
        return min(limited, key=lambda q: q.cores or 0.0)
    said = [q.status for q in found]
    # A group without the files has no limit of its own; a refused or unreadable one may hide ours.
    for why in ("no_permission", "error", UNLIMITED):
        if why in said:
            return Quota(status=why)
    return Quota(status=UNLIMITED if mounted("cpu", root) else "not_supported")


def throttling(group: str | None) -> tuple[int, int] | None:
    """Scheduling periods of a cgroup so far, and those in which its quota was used up."""
    words, _ = words_of(f"{group}/cpu.stat") if group else ([], None)
    fields = dict(zip(words[::2], words[1::2], strict=False))
    try:
        return int(fields["nr_periods"]), int(fields["nr_throttled"])
    except (KeyError, ValueError):
        return None


def host_cpu(root: str = "") -> HostCpu:
    """Who the host's CPU is, and how much of it this process may use."""
    name, _ = cpuinfo(root)
    limit = quota(root)
    status: dict[str, Status] = {} if name else {"name": "not_supported"}
    if limit.status is not None:
        status |= dict.fromkeys(("limit_cores", "periods", "throttled"), limit.status)
    nodes = numa_nodes(root)
    ours = set(usable())
    if not nodes:
        status |= dict.fromkeys(("numa_nodes", "numa_count"), "not_supported")
    return HostCpu(
        name=name,
        cores=len(ours),
        limit_cores=limit.cores,
        numa_nodes=[node for node, cpus in nodes.items() if cpus & ours] if nodes else None,
        numa_count=len(nodes) or None,
        status=status,
    )


def numa_nodes(root: str = "") -> dict[int, set[int]]:
    """The CPUs of each of the host's NUMA nodes; a node of memory alone has none."""
    online = _listed(read(f"{root}{NODES}/online"))
    return {n: _listed(read(f"{root}{NODES}/node{n}/cpulist")) for n in sorted(online)}


def card_node(bus_id: str, root: str = "") -> int | None:
    """The NUMA node that a PCI device hangs on; None where the kernel does not say (it writes -1).

    ``bus_id`` as sysfs names it: ``0000:18:00.0``.
    """
    said = read(f"{root}/sys/bus/pci/devices/{bus_id}/numa_node") or ""
    return int(said) if said.isdigit() and int(said) < MOST_NODES else None


def _listed(text: str | None) -> set[int]:
    """``0-3,8`` as the kernel lists CPUs and nodes; empty where it is none."""
    found: set[int] = set()
    for part in (text or "").split(","):
        ends = re.fullmatch(r"(\d{1,6})(?:-(\d{1,6}))?", part.strip())
        if ends:
            found |= set(range(int(ends[1]), int(ends[2] or ends[1]) + 1))
    return found


def _share(both: list[str], group: str) -> Quota:
    """A quota and its period in microseconds as cores; version 1 says -1 for no limit."""
    if both[0] == "max":
        return Quota(status=UNLIMITED)
    try:
        allowed, period = float(both[0]), float(both[1])
    except (IndexError, ValueError):
        return Quota(status="error")
    if allowed < 0:
        return Quota(status=UNLIMITED)
    if not (allowed > 0 and period > 0 and allowed / period < 1e6):
        return Quota(status="error")
    return Quota(cores=allowed / period, group=group)
