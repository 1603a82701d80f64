"""What the host says of itself without a card or torch: CPU, memory, disk, its kernel's log.

Every function takes ``root``, so that tests can lay out a machine of their own.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from roofwatch.session.cgroups import groups, words_of
from roofwatch.session.doctor.kernel_log import KernelLog, kernel_log
from roofwatch.session.events import HostCpu
from roofwatch.session.host_cpu import host_cpu, quota, read, throttling

T = TypeVar("T")
PATIENCE_S = 1.5  # a file system that is gone answers never
UNLIMITED_BYTES = 1 << 60  # version 1 of the cgroups says so with a huge number
NVIDIA, DISPLAY = "0x10de", "0x03"  # of PCI: the vendor, and the class of display controllers


class Disk(msgspec.Struct, frozen=True, kw_only=True):
    """A folder and the bytes that a user may still write there; else why that is not known."""

    path: str
    free_bytes: int | None = None
    problem: str | None = None


class Machine(msgspec.Struct, frozen=True, kw_only=True):
    """The host. None is a reading that could not be had; ``periods`` are the CPU quota's so far."""

    cards_on_bus: int | None = None  # NVIDIA's, whatever the driver says
    cpu: HostCpu = HostCpu()
    cores: int | None = None  # of the machine, ours or not
    periods: int | None = None
    throttled: int | None = None
    memory_bytes: int | None = None
    memory_limit_bytes: int | None = None  # of our cgroups
    shm_bytes: int | None = None  # the size of /dev/shm
    disks: Mapping[str, Disk] = {}
    log: KernelLog = KernelLog(problem="not read")


def machine(environ: Mapping[str, str], root: str = "") -> Machine:
    """Look at the host. Takes milliseconds; a disk or a log that does not answer is left alone."""
    folders = {"here": os.curdir, "home": home_of(environ), "temporary": temporary_of(environ)}
    limit = quota(root)
    seen = throttling(limit.group)
    return Machine(
        cards_on_bus=cards_on_bus(root),
        cpu=host_cpu(root),
        cores=os.cpu_count(),
        periods=seen[0] if seen else None,
        throttled=seen[1] if seen else None,
        memory_bytes=memory_bytes(root),
        memory_limit_bytes=memory_limit_bytes(root),
        shm_bytes=in_time(lambda: _size_bytes(f"{root}/dev/shm"), None),
        disks={name: disk(path) for name, path in folders.items()},
        log=in_time(kernel_log, KernelLog(problem="the kernel's log did not answer")),
    )


def home_of(environ: Mapping[str, str]) -> str:
    """Where models are kept unless somebody says otherwise."""
    return environ.get("HOME") or os.path.expanduser("~")


def temporary_of(environ: Mapping[str, str]) -> str:
    """Where compilers write."""
    return environ.get("TMPDIR") or "/tmp"


def disk(path: str) -> Disk:
    """What is free in a folder."""

    def look() -> Disk:
        try:
            told = os.statvfs(path)
        except (OSError, ValueError) as error:
            why = error.strerror if isinstance(error, OSError) else None
            return Disk(path=path, problem=why or "cannot be looked at")
        return Disk(path=path, free_bytes=told.f_bavail * told.f_frsize)

    return in_time(look, Disk(path=path, problem="does not answer"))


def memory_bytes(root: str = "") -> int | None:
    """The machine's memory."""
    found = re.search(r"^MemTotal:\s+(\d{1,15}) kB", read(f"{root}/proc/meminfo") or "", re.M)
    return int(found[1]) * 1024 if found else None


def memory_limit_bytes(root: str = "") -> int | None:
    """The tightest limit of our cgroups, of version 2 (memory.max) or 1; None where none is set."""
    limits = []
    for group in groups("memory", root):
        for name in ("memory.max", "memory.limit_in_bytes"):
            words, _ = words_of(f"{group}/{name}")
            if words and words[0].isdigit() and int(words[0]) < UNLIMITED_BYTES:
                limits.append(int(words[0]))
    return min(limits, default=None)


def cards_on_bus(root: str = "") -> int | None:
    """NVIDIA's display controllers on the PCI bus, with a driver or without."""
    folder = f"{root}/sys/bus/pci/devices"
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    return sum(
        read(f"{folder}/{name}/vendor") == NVIDIA
        and (read(f"{folder}/{name}/class") or "").startswith(DISPLAY)
        for name in names
    )


def in_time(look: Callable[[], T], otherwise: T, patience_s: float = PATIENCE_S) -> T:
    """What ``look`` returns, or ``otherwise`` where it does not return in time."""
    answers: list[T] = []
    thread = threading.Thread(target=lambda: answers.append(look()), name="look", daemon=True)
    thread.start()
    thread.join(patience_s)
    return answers[0] if answers else otherwise


def _size_bytes(path: str) -> int | None:
    try:
        told = os.statvfs(path)
    except OSError:
        return None
    return told.f_blocks * told.f_frsize
