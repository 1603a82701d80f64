"""Whose part of the links failed: what each rank says of its own, and what rank 0 makes of it.

When one rank's process dies the libraries of all others complain, of a connection that broke; the
one that dies itself says nothing. So each rank tells how its own process ended, and rank 0 waits
for that before it names anybody.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import msgspec

from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.meeting import Meeting
from roofwatch.fleet.store_words import in_words

KILLED, SILENT, SAID, BROKEN = CAUSES = ("killed", "silent", "said", "broken")
"""By a signal; without a sign of life; by an error of its own; by a connection that broke. The
first of these is what the others come from."""
SILENT_S = 20.0  # a process beats twice a second; importing torch from a slow disk holds it up
FAULTS = "links/failed"  # counts the ranks that have said one
MOST_TEXT = 160
_PLACE = re.compile(r"\[[^\]\s]*\.(?:cc|cpp|cu|h|hpp):\d+\]\s*")
_LOG = re.compile(r"^\[[EWIF]\d[^\]]*\]\s*")  # torch's own: level, date, file
_ADVICE = re.compile(r"\.? (This is typically|This may|Exception raised|Check the logs).*", re.S)
_BROKEN = re.compile(
    r"connection|closed by peer|reset by|broken pipe|timed? ?out|unhandled system|remote process"
    r"|not all ranks came|socket|store",
    re.I,
)


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """How a rank's process of the links ended, or hangs."""

    cause: str
    how: str
    at: int = 0  # the how-manieth to say so


def not_started(error: OSError) -> Fault:
    """Of one that the system did not start."""
    return Fault(cause=SAID, how=f"its process cannot be started: {error.strerror or error}")


def fault_of(process: LinksProcess) -> Fault | None:
    """Of one that has ended badly, or gives no sign of life; None of any other."""
    if not process.over():
        if process.silent_s <= SILENT_S:
            return None
        how = f"no sign of life for {process.silent_s:.0f} s at {process.doing}"
        return Fault(cause=SILENT, how=f"{how}: stopped, or it hangs")
    how = process.how()
    if not how:
        return None
    if process.killed:
        return Fault(cause=KILLED, how=how)
    return Fault(cause=BROKEN if _BROKEN.search(how) else SAID, how=shortened(how))


def shortened(text: str) -> str:
    """A library's complaint without its source files, its advice and its pictures."""
    at = ""
    if found := re.search(r" \(at [^()]*\)$", text):
        text, at = text[: found.start()], found[0]
    text = in_words(text)
    text = _ADVICE.sub("", _PLACE.sub("", _LOG.sub("", text)))
    text = " ".join("".join(c for c in text if c.isprintable() and ord(c) < 0x2600).split())
    return f"{text[:MOST_TEXT]}{at}"


def say_fault(meeting: Meeting, rank: int, fault: Fault) -> None:
    """For rank 0."""
    numbered = msgspec.structs.replace(fault, at=meeting.count(FAULTS, 1))
    meeting.say(f"links/{rank}", msgspec.json.encode(numbered).decode())


def faults_heard(meeting: Meeting, members: Sequence[int]) -> dict[int, Fault]:
    """What the ranks have said so far; what cannot be read is one's own fault."""
    found: dict[int, Fault] = {}
    for rank in members:
        said = meeting.said(f"links/{rank}")
        if said is not None:
            try:
                found[rank] = msgspec.json.decode(said, type=Fault)
            except (msgspec.DecodeError, RecursionError):
                found[rank] = Fault(cause=SAID, how="ended")
    return found


def culprit(faults: Mapping[int, Fault]) -> tuple[int, Fault] | None:
    """The rank whose end the others' come from: the nearest to a cause, then the first to say."""

    def order(rank: int) -> tuple[int, int]:
        fault = faults[rank]
        near = CAUSES.index(fault.cause) if fault.cause in CAUSES else CAUSES.index(SAID)
        return near, fault.at

    return min(((rank, faults[rank]) for rank in faults), key=lambda f: order(f[0]), default=None)


def certain(fault: Fault) -> bool:
    """Whether nothing that others may still say would explain more."""
    return fault.cause in (KILLED, SILENT)
