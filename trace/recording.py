"""What a profiler recorded, whichever wrote it: activities of devices, launches, operators."""

from __future__ import annotations

from array import array
from typing import NamedTuple

import msgspec

from roofwatch.roofline.lookup import Identity
from roofwatch.roofline.recorded_call import RecordedCall

KERNEL, COPY, FILL = "kernel", "copy", "fill"
HOST = -1  # the device of a thread's own time, where no other device was recorded


class Activity(NamedTuple):
    """One stretch of work of a device's stream, in whole nanoseconds.

    ``correlation`` leads to its launch, ``operator`` to the operator that was running then;
    ``bytes`` is recorded for copies and fills alone.
    """

    kind: str
    name: str
    begin_ns: int
    end_ns: int
    device: int
    stream: int
    correlation: int | None = None
    operator: int | None = None
    bytes: int | None = None


class Launch(NamedTuple):
    """A call of the runtime on a thread of the host."""

    name: str
    begin_ns: int
    end_ns: int
    thread: int
    operator: int | None = None


class Operators:
    """Operators in the order of the file, in columns: a trace holds a million of them."""

    __slots__ = ("begin_ns", "call", "end_ns", "thread")

    def __init__(self) -> None:
        self.begin_ns = array("q")
        self.end_ns = array("q")
        self.thread = array("q")
        self.call = array("q")  # which of ``Recording.calls``

    def add(self, begin_ns: int, end_ns: int, thread: int, call: int) -> None:
        """One more."""
        self.begin_ns.append(begin_ns)
        self.end_ns.append(end_ns)
        self.thread.append(thread)
        self.call.append(call)

    def __len__(self) -> int:
        return len(self.begin_ns)


class Recording(msgspec.Struct, kw_only=True):
    """A trace as it was read.

    ``calls`` are the distinct operators, ``call_of`` which of them an operator's number is;
    ``names`` are as recorded, with their namespace. ``waits`` are stretches in which the host
    waited for a device. ``shapes`` says whether any operator has its shapes.
    """

    source: str
    activities: list[Activity] = []
    launches: dict[int, Launch] = {}
    calls: list[RecordedCall] = []
    names: list[str] = []
    call_of: dict[int, int] = {}
    operators: Operators = msgspec.field(default_factory=Operators)
    waits: list[tuple[int, int]] = []
    cards: dict[int, Identity] = {}
    shapes: bool = False
    notes: list[str] = []

    @property
    def has_device(self) -> bool:
        """Whether a device's work was recorded, not the host's alone."""
        return bool(self.activities)
