"""What a CPU probe must know of the machine: its last-level cache and the memory it may take."""

from __future__ import annotations

from pathlib import Path

import psutil

CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
CPUINFO = Path("/proc/cpuinfo")
CGROUP_MAX = Path("/sys/fs/cgroup/memory.max")
CGROUP_NOW = Path("/sys/fs/cgroup/memory.current")


def last_level_cache_bytes(caches: Path = CACHES) -> int:
    """Size of the highest cache level from sysfs; 0 where the kernel does not say."""
    sizes: dict[int, int] = {}
    for index in sorted(caches.glob("index*")):
        try:
            level = int((index / "level").read_text())
            text = (index / "size").read_text().strip()
        except (OSError, ValueError):
            continue
        scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:], 1)
        digits = text.rstrip("KMG")
        if digits.isdigit():
            sizes[level] = int(digits) * scale
    return sizes[max(sizes)] if sizes else 0


def available_bytes() -> int:
    """Memory that can be taken without swapping, under this container's limit too."""
    available = int(psutil.virtual_memory().available)
    try:
        limit, used = CGROUP_MAX.read_text().strip(), int(CGROUP_NOW.read_text())
    except (OSError, ValueError):
        return available
    return min(available, int(limit) - used) if limit.isdigit() else available


def has_fast_bf16(cpuinfo: Path = CPUINFO) -> bool:
    """Whether the CPU multiplies bf16 in hardware (AMX, AVX-512 BF16 or Arm BF16)."""
    try:
        text = cpuinfo.read_text()
    except OSError:
        return False
    flags = {
        word
        for line in text.splitlines()
        if line.startswith(("flags", "Features"))
        for word in line.split()
    }
    return bool(flags & {"amx_bf16", "avx512_bf16", "bf16"})
