"""Who the host's CPU is: cores that we may use, vector width, caches, from /proc and sysfs.

Every function takes ``root``, so that tests can lay out a machine of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import psutil

from roofwatch.session.events import Device, Status
from roofwatch.session.host_cpu import CPUS, cpuinfo, last_level_cache, quota, read, usable

T = TypeVar("T")

GPU_ONLY = ("uuid", "compute_capability", "sm_count", "power_limit_w", "power_default_w")
"""Fields of a record's device that no CPU has."""


def quiet(ask: Callable[[], T]) -> T | None:
    """psutil's answer, or None: what it lacks on a platform, it says by any of these."""
    try:
        return ask()
    except (AttributeError, NotImplementedError, OSError, RuntimeError, ValueError):
        return None


def core_count(root: str = "") -> int:
    """Whole cores that this process may use at once: affinity and cgroup quota, at least 1."""
    limit = quota(root).cores
    cores = len(usable())
    return cores if limit is None else max(1, min(cores, int(limit)))


def vector_bits(flags: frozenset[str]) -> int:
    """Width of the widest vector register; 128 (SSE, NEON) where nothing wider is named."""
    return 512 if "avx512f" in flags else 256 if "avx2" in flags else 128


def fma_units(flags: frozenset[str]) -> int:
    """Vector FMA units a core is assumed to have: a guess, the flags do not tell."""
    return 2 if "avx512f" in flags or {"avx2", "fma"} <= flags else 1


def max_mhz(root: str = "") -> float | None:
    """The highest clock that the host says a core can run at."""
    khz = read(f"{root}{CPUS}/cpu0/cpufreq/cpuinfo_max_freq")
    if khz and khz.isdigit() and int(khz) > 0:
        return int(khz) / 1e3
    frequency = quiet(lambda: psutil.cpu_freq())
    return frequency.max if frequency and frequency.max > 0 else None


def identify(now_mhz: float | None) -> Device:
    """The host's CPU as a device; ``now_mhz`` stands in for a maximum that nobody tells."""
    name, flags = cpuinfo()
    if name is None:
        import platform

        name = platform.processor() or platform.machine() or None
    memory = quiet(lambda: psutil.virtual_memory().total)
    cache = last_level_cache()
    mhz = max_mhz() or now_mhz
    seen = {"name": name, "memory_bytes": memory, "l2_bytes": cache, "sm_max_mhz": mhz}
    status: dict[str, Status] = dict.fromkeys(GPU_ONLY, "not_supported")
    status |= {key: "not_supported" for key, value in seen.items() if value is None}
    return Device(
        kind="cpu",
        name=name,
        core_count=core_count(),
        vector_bits=vector_bits(flags),
        fma_units=fma_units(flags),
        memory_bytes=memory,
        l2_bytes=cache,
        sm_max_mhz=mhz,
        status=status,
    )
