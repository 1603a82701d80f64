"""What other work keeps of the host's CPU: all that its cores do, less what our own processes do.

Read from /proc, so where there is none (macOS) nothing is told. Times are seconds of one core.
"""

from __future__ import annotations

import os
import time
from typing import NamedTuple

from roofwatch.session.host_cpu import read, usable

LEAST_S = 0.3  # between two looks: the kernel counts in hundredths of a second
BUSY = (1, 2, 3, 6, 7, 8)  # of a line of /proc/stat: user, nice, system, irq, softirq, steal
OWN = slice(11, 15)  # behind a process's name: its user and system time, and its ended children's
MOST_OWN = 4096


class Look(NamedTuple):
    """Sums so far: of the cores that we may use, and of our own processes."""

    at_s: float
    busy_s: float
    own_s: float


class OtherWork:
    """Asked again and again; each answer is of the time since the one before.

    ``pid`` is the process that our own ones descend from; it is among them.
    """

    def __init__(self, pid: int, root: str = "") -> None:
        self._pid, self._root = pid, root
        self._before = look(pid, root)

    def cores(self) -> float | None:
        """Cores' worth of other work since the last answer; None where it is not told, or so soon
        that it would say nothing."""
        now, before = look(self._pid, self._root), self._before
        if now is None or before is None:
            self._before = now
            return None
        passed_s = now.at_s - before.at_s
        if passed_s < LEAST_S:
            return None
        self._before = now
        others_s = (now.busy_s - before.busy_s) - (now.own_s - before.own_s)
        return round(max(0.0, others_s / passed_s), 2)


def look(pid: int, root: str = "") -> Look | None:
    """The sums now; None where the kernel does not tell them, or not which processes are ours."""
    at_s = time.monotonic()
    own_s = _own_s(pid, root)
    busy_s = _busy_s(root)
    return None if own_s is None or busy_s is None else Look(at_s, busy_s, own_s)


def _busy_s(root: str) -> float | None:
    """Of the cores that we may use, by the kernel's count since it was started."""
    ours = {f"cpu{cpu}" for cpu in usable()}
    lines = [line.split() for line in (read(f"{root}/proc/stat") or "").splitlines()]
    counted = [words for words in lines if words and words[0] in ours and len(words) > max(BUSY)]
    try:
        ticks = sum(int(words[i]) for words in counted for i in BUSY)
    except ValueError:
        return None
    return ticks / _ticks_a_second() if counted else None


def _own_s(pid: int, root: str) -> float | None:
    """Of a process and all that descend from it, those that have ended and were waited for too."""
    left, ticks, seen = [str(pid)], 0, 0
    while left and seen < MOST_OWN:
        one = left.pop()
        words = (read(f"{root}/proc/{one}/stat") or "").rpartition(")")[2].split()
        children = _children(f"{root}/proc/{one}/task")
        if len(words) < OWN.stop or children is None:
            if not seen:
                return None
            continue  # it has ended meanwhile
        seen += 1
        ticks += sum(int(word) for word in words[OWN])
        left += children
    return ticks / _ticks_a_second()


def _children(tasks: str) -> list[str] | None:
    """Processes that any of its threads started; None where this kernel does not list them."""
    try:
        threads = os.listdir(tasks)
    except OSError:
        return None
    told = [text for thread in threads if (text := read(f"{tasks}/{thread}/children")) is not None]
    return [word for text in told for word in text.split()] if told else None


def _ticks_a_second() -> int:
    return os.sysconf("SC_CLK_TCK")
