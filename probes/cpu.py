"""What a CPU probe must know of the machine: memory it may take, and whether bf16 is fast."""

from __future__ import annotations

import psutil

from roofwatch.session.cgroups import groups, words_of
from roofwatch.session.host_cpu import cpuinfo

# Of cgroups version 2 and 1: the limit, what is used, and the page cache in it.
MEMORY_FILES = (
    ("memory.max", "memory.current", ("inactive_file", "active_file")),
    (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
)


def available_bytes(root: str = "") -> int:
    """Memory that can be taken without swapping, under every limit of this container too."""
    left = [int(psutil.virtual_memory().available)]
    for group in groups("memory", root):
        for limit_name, used_name, cached in MEMORY_FILES:
            limit, _ = words_of(f"{group}/{limit_name}")
            used, _ = words_of(f"{group}/{used_name}")
            if limit and used and limit[0].isdigit() and used[0].isdigit():
                left.append(int(limit[0]) - int(used[0]) + _file_cache(group, cached))
    return max(0, min(left))


def _file_cache(group: str, names: tuple[str, ...]) -> int:
    """Bytes of the page cache, which the kernel gives back when asked."""
    words, _ = words_of(f"{group}/memory.stat")
    fields = dict(zip(words[::2], words[1::2], strict=False))
    return sum(int(fields[n]) for n in names if fields.get(n, "").isdigit())


def has_fast_bf16(root: str = "") -> bool:
    """Whether the CPU multiplies bf16 in hardware (AMX, AVX-512 BF16 or Arm BF16)."""
    _, flags = cpuinfo(root)
    return bool(flags & {"amx_bf16", "avx512_bf16", "bf16"})
