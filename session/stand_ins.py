"""What stands for a host's name or a UUID that is not told: equal ones stay equal."""

from __future__ import annotations

import re

STAND_IN = re.compile(r"(?:MIG-)?removed-\d+")
REMOVED = "removed"  # the status of a field that is not told
SLICE = "MIG-"  # a slice's UUID begins so, which says what it is and not which


class StandIns:
    """Of each name one, in all sessions that share these; upper and lower case are one name."""

    def __init__(self) -> None:
        self._of: dict[str, str] = {}

    def of(self, name: str) -> str:
        """What stands for it."""
        kind = SLICE if name.startswith(SLICE) else ""
        return self._of.setdefault(name.lower(), f"{kind}removed-{len(self._of) + 1}")


def is_stand_in(name: str | None) -> bool:
    """Whether a name is none of a host or a card, but stands for one."""
    return name is not None and STAND_IN.fullmatch(name) is not None


def unless_stand_in(name: str | None) -> str | None:
    """The name, where it is one; what stands for it is nothing that others know it by."""
    return None if is_stand_in(name) else name
