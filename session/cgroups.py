"""The control groups that this process is in, as folders, and small files in them."""

from __future__ import annotations

import os
from collections.abc import Iterator

from roofwatch.session.events import Status

CGROUPS = "/sys/fs/cgroup"


def groups(controller: str, root: str = "") -> Iterator[str]:
    """Folders that may hold what a controller limits, of both versions, from the root down.

    A container sees its own group as the root, yet may be told the host's path: all are tried.
    """
    for line in _text(f"{root}/proc/self/cgroup")[0].splitlines():
        hierarchy, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if hierarchy == "0" and not controllers:
            bases = [f"{root}{CGROUPS}", f"{root}{CGROUPS}/unified"]
        elif controller in controllers.split(","):
            bases = [f"{root}{CGROUPS}/{controller}", f"{root}{CGROUPS}/{controllers}"]
        else:
            continue
        parts = [part for part in path.split("/") if part]
        for depth in range(len(parts) + 1):
            for base in dict.fromkeys(bases):
                yield "/".join([base, *parts[:depth]])


def mounted(controller: str, root: str = "") -> bool:
    """Whether cgroups can be looked at here at all."""
    return any(os.path.isdir(group) for group in groups(controller, root))


def words_of(path: str) -> tuple[list[str], Status]:
    """The words of a small file; of one that cannot be read none, and why."""
    text, why = _text(path)
    return text.split(), why


def oom_kills(root: str = "") -> int:
    """Processes that the kernel has ended in our groups because their memory was used up."""
    count = 0
    for group in groups("memory", root):
        for name in ("memory.events", "memory.oom_control"):
            words, _ = words_of(f"{group}/{name}")
            fields = dict(zip(words[::2], words[1::2], strict=False))
            count += int(fields["oom_kill"]) if fields.get("oom_kill", "").isdigit() else 0
    return count


def _text(path: str) -> tuple[str, Status]:
    try:
        with open(path) as file:
            return file.read(), "error"
    except PermissionError:
        return "", "no_permission"
    except FileNotFoundError:
        return "", "not_supported"
    except (OSError, UnicodeDecodeError):
        return "", "error"
