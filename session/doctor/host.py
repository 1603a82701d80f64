"""The host under the card: cores, memory, what a launch costs, disks."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.time_said import time_said
from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.said import Checks, Said, fail, ok, unknown, warn
from roofwatch.session.doctor.words import many, value

FEW_CORES = 4
THROTTLED = 0.05  # of the quota's periods
LAUNCH_S, CALL_S = 15e-6, 15e-6  # a kernel's launch from torch, a CPU's smallest operator
SHM_BYTES = 1 << 30
CONTAINER_SHM_BYTES = 64 << 20
FREE_BYTES = 20 << 30  # a model of 7 billion weights in 16 bits, and room to write
NO_FREE_BYTES = 1 << 30
OF_CARD = 0.5  # of the card's memory: what a checkpoint passes through
LEAST_BYTES = 4 << 30
LARGER = "rent a larger slice of the host; only the host can give more"


def _cores(facts: Facts) -> Said:
    """There are CPU cores beside the card."""
    cores, there = facts.machine.cpu.cores, facts.machine.cores
    if cores is None:
        return unknown("the cores are not told")
    name = f", {facts.machine.cpu.name}" if facts.machine.cpu.name else ""
    of = f" of {there}" if there and there != cores else ""
    found = f"{many(cores, 'core')}{of}{name}"
    if cores < FEW_CORES and facts.device is not None:
        return warn(found, f"{FEW_CORES} for a card", LARGER)
    return ok(found)


def _cpu_limit(facts: Facts) -> Said:
    """No quota holds them back."""
    cpu, machine = facts.machine.cpu, facts.machine
    limit = cpu.limit_cores
    if limit is None:
        why = cpu.status.get("limit_cores", "not_supported")
        if why == "unlimited":
            return ok("none")
        if why == "not_supported":
            return ok("none seen: no cgroup here sets one")
        return unknown("the cgroup's quota cannot be read")
    share = machine.throttled / machine.periods if machine.periods and machine.throttled else 0.0
    used_up = f"; used up in {per_cent(share)} of its periods" if share else ""
    found = f"{limit:.3g} cores by the cgroup{used_up}"
    if share > THROTTLED:
        return warn(found, "a quota that is not used up", LARGER)
    if limit < min(FEW_CORES, cpu.cores or FEW_CORES):
        return warn(found, f"{FEW_CORES} cores' worth", LARGER)
    return ok(found)


def _launch_rate(facts: Facts) -> Said:
    """Launching a small kernel from torch takes microseconds, not more."""
    told = facts.checkup
    if told is None or told.enqueue_s is None:
        why = "torch does not tell" if told is None else told.problem or facts.torch_problem
        return unknown(f"not measured: {why or 'nothing was heard of it'}")
    on_card = facts.torch_device is not None and facts.torch_device.kind == "cuda"
    most_s, what = (LAUNCH_S, "launch") if on_card else (CALL_S, "call of the smallest operator")
    found = f"{time_said(told.enqueue_s)} a {what}"
    expected = f"under {time_said(most_s)}"
    if told.enqueue_s > most_s:
        do = "CUDA graphs or torch.compile; a host with a faster core, or an idle one"
        return warn(found, expected, do)
    return ok(found, expected)


def _memory(facts: Facts) -> Said:
    """A checkpoint fits through it."""
    return _enough(facts, facts.machine.memory_bytes, "the host does not tell")


def _memory_limit(facts: Facts) -> Said:
    """The cgroup leaves enough of it."""
    limit = facts.machine.memory_limit_bytes
    if limit is None:
        return ok("none seen: no cgroup here sets one")
    return _enough(facts, limit, "")


def _enough(facts: Facts, given: int | None, why: str) -> Said:
    if given is None:
        return unknown(why)
    card = facts.device.memory_bytes if facts.device else None
    least = OF_CARD * card if card else LEAST_BYTES
    said = f"{size_said(least)}, half of the card's" if card else size_said(least)
    if given < least:
        return warn(size_said(given), said, LARGER)
    return ok(size_said(given), f"at least {said}")


def _shared_memory(facts: Facts) -> Said:
    """DataLoader's workers hand batches over through it."""
    given = facts.machine.shm_bytes
    do = "docker run --shm-size=16g (or --ipc=host); until then DataLoader(num_workers=0)"
    if given is None:
        return unknown("there is no /dev/shm", size_said(SHM_BYTES), do)
    if given < SHM_BYTES:
        by = ", what a container gets by itself" if given == CONTAINER_SHM_BYTES else ""
        found = f"{size_said(given)}{by}: DataLoader's workers die of it"
        return warn(found, f"at least {size_said(SHM_BYTES)}", do)
    return ok(size_said(given), f"at least {size_said(SHM_BYTES)}")


def _disk(name: str, facts: Facts) -> Said:
    """There is room to write."""
    disk = facts.machine.disks.get(name)
    if disk is None or disk.free_bytes is None:
        return unknown(f"{value(disk.path)}: {disk.problem}" if disk else "not looked at")
    where = "" if disk.path == "." else f" in {value(disk.path)}"
    found = f"{size_said(disk.free_bytes)} free{where}"
    expected = f"{size_said(FREE_BYTES)} for a model"
    if disk.free_bytes < NO_FREE_BYTES:
        return fail(found, expected, "make room, or rent a larger disk")
    if disk.free_bytes < FREE_BYTES:
        return warn(found, expected, "make room, or rent a larger disk")
    return ok(found, expected)


CHECKS: Checks = {
    "host-cpu": _cores,
    "cpu-limit": _cpu_limit,
    "launch-rate": _launch_rate,
    "host-memory": _memory,
    "memory-limit": _memory_limit,
    "shared-memory": _shared_memory,
    "disk-here": partial(_disk, "here"),
    "disk-home": partial(_disk, "home"),
    "disk-temporary": partial(_disk, "temporary"),
}
