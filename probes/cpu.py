"""What a CPU probe must know of the machine: memory it may take, and whether bf16 is fast."""

from __future__ import annotations

from pathlib import Path

import psutil

from roofwatch.session.host_cpu import cpuinfo

CGROUP_MAX = Path("/sys/fs/cgroup/memory.max")
CGROUP_NOW = Path("/sys/fs/cgroup/memory.current")
CGROUP_STAT = Path("/sys/fs/cgroup/memory.stat")


def available_bytes() -> int:
    """Memory that can be taken without swapping, under this container's limit too."""
    available = int(psutil.virtual_memory().available)
    try:
        limit, used = CGROUP_MAX.read_text().strip(), int(CGROUP_NOW.read_text()) - _file_cache()
    except (OSError, ValueError):
        return available
    return min(available, int(limit) - used) if limit.isdigit() else available


def _file_cache() -> int:
    """Bytes of this container's page cache, which the kernel gives back when asked."""
    try:
        fields = dict(line.split() for line in CGROUP_STAT.read_text().splitlines())
        return int(fields["inactive_file"]) + int(fields["active_file"])
    except (OSError, ValueError, KeyError):
        return 0


def has_fast_bf16(root: str = "") -> bool:
    """Whether the CPU multiplies bf16 in hardware (AMX, AVX-512 BF16 or Arm BF16)."""
    _, flags = cpuinfo(root)
    return bool(flags & {"amx_bf16", "avx512_bf16", "bf16"})
