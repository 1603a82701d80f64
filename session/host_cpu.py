"""What /proc and sysfs say of the host's CPU: read by both instruments, each for its own end.

Every function takes ``root``, so that tests can lay out a machine of their own.
"""

from __future__ import annotations

import re

CPUS = "/sys/devices/system/cpu"


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
