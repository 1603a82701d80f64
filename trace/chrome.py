"""From a Chrome trace's events to a ``Recording``."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.roofline.recorded_call import Argument, RecordedCall, Shape
from roofwatch.trace import chrome_events as wire
from roofwatch.trace.identity import identity
from roofwatch.trace.innermost import innermost
from roofwatch.trace.recording import COPY, FILL, KERNEL, Activity, Launch, Recording
from roofwatch.trace.trace_bytes import json_bytes

SOURCE = "PyTorch profiler"
LONGEST_US, FURTHEST_US = 1e12, 8e15
"""Eleven days, and 250 years from the clock's beginning: what is beyond is damaged."""
EXACT_US = 2.0**43  # from here on a product with 1000 loses nanoseconds
LARGEST_ID = 1 << 62
MOST_DIMS, LARGEST_DIM = 32, 1 << 48
_WAITING = ("Synchronize", "cudaMemcpy")
_NOTHING = wire.Args()
_KINDS = {
    **dict.fromkeys(wire.KERNELS, KERNEL),
    **dict.fromkeys(wire.COPIES, COPY),
    **dict.fromkeys(wire.FILLS, FILL),
}
_Call = tuple[str, bytes, bytes, bytes, bytes]


def read_chrome(path: Path) -> Recording:
    """A PyTorch profiler's trace. Raises UnreadableTrace, naming the file and the place in it."""
    found = wire.document(json_bytes(path), path)
    reader = _Reader()
    reader.read(wire.wanted(found))
    reader.cards(found.deviceProperties or [])
    return reader.finished()


class _Reader:
    """Takes events one by one."""

    def __init__(self) -> None:
        self.recording = Recording(source=SOURCE)
        self._seen: dict[_Call, int] = {}
        self._threads: dict[tuple[object, object], int] = {}
        self._names: dict[str, str] = {}
        self._dropped = 0
        self._first_drop: int | None = None
        self._unjoined = 0  # launches that name no operator

    def read(self, events: Iterable[tuple[int, str, wire.Event]]) -> None:
        """All events; one whose times no clock shows is dropped and counted."""
        names, kinds = self._names, _KINDS
        activities, operators = self.recording.activities, self.recording.operators
        call_of, call = self.recording.call_of, self._call
        for row, category, event in events:
            begin, length, args = event.ts, event.dur, event.args or _NOTHING
            if begin is None or length is None:
                self._drop(row)
                continue
            if not (0 <= length < LONGEST_US and -FURTHEST_US < begin < FURTHEST_US):
                self._drop(row)
                continue
            begin_ns = round(begin * 1000) if -EXACT_US < begin < EXACT_US else _nanoseconds(begin)
            end_ns = begin_ns + round(length * 1000)
            operator = args.external if args.external is not None else args.external_old
            if operator.__class__ is not int or operator > LARGEST_ID:
                operator = _number(operator)
            name = event.name or ""
            name = names.setdefault(name, name)  # a trace repeats few names
            kind = kinds.get(category)
            if kind is not None:
                device = _number(args.device if args.device is not None else event.pid)
                stream = _number(args.stream if args.stream is not None else event.tid)
                if device is None or stream is None:
                    self._drop(row)
                    continue
                correlation = _number(args.correlation)
                size = None if kind is KERNEL else _number(args.bytes)
                times = (begin_ns, end_ns, device, stream)
                activities.append(Activity(kind, name, *times, correlation, operator or None, size))
            elif category in wire.OPERATORS:
                number = call(name, args)
                operators.add(begin_ns, end_ns, self._thread(event), number)
                if operator is not None:
                    call_of[operator] = number
            elif (correlation := _number(args.correlation)) is not None:
                self._launched(event, name, begin_ns, end_ns, correlation, operator)

    def cards(self, devices: list[wire.Device]) -> None:
        """The cards that the trace names."""
        for each in devices:
            if each.name:
                capability = None
                if each.computeMajor is not None and each.computeMinor is not None:
                    capability = f"{each.computeMajor}.{each.computeMinor}"
                self.recording.cards[each.id] = identity(
                    each.name, each.numSms, each.totalGlobalMem, capability
                )

    def finished(self) -> Recording:
        """The recording; launches that name no operator get the one around them."""
        found = self.recording
        if self._dropped:
            word = "event has" if self._dropped == 1 else "events have"
            said = f"{self._dropped} {word} times that no clock shows (event {self._first_drop}"
            found.notes.append(f"{said}{' is the first' if self._dropped > 1 else ''}): dropped")
        if self._unjoined and found.activities and len(found.operators):
            innermost(found)
        return found

    def _launched(
        self,
        event: wire.Event,
        name: str,
        begin_ns: int,
        end_ns: int,
        correlation: int,
        operator: int | None,
    ) -> None:
        thread = self._thread(event)
        self._unjoined += not operator
        self.recording.launches[correlation] = Launch(
            name, begin_ns, end_ns, thread, operator or None
        )
        if waits(name):
            self.recording.waits.append((begin_ns, end_ns))

    def _drop(self, row: int) -> None:
        self._dropped += 1
        self._first_drop = row if self._first_drop is None else self._first_drop

    def _thread(self, event: wire.Event) -> int:
        key = (event.pid, event.tid)
        number = self._threads.get(key)
        if number is None:
            told = _number(event.tid)
            taken = self._threads.values()
            number = told if told is not None and told not in taken else -2 - len(self._threads)
            self._threads[key] = number
        return number

    def _call(self, name: str, args: wire.Args) -> int:
        dims, types = bytes(args.dims or args.dims_old), bytes(args.types or args.types_old)
        key = (name, dims, types, bytes(args.values), bytes(args.strides))
        number = self._seen.get(key)
        if number is None:
            found = self.recording
            number = self._seen[key] = len(found.calls)
            found.calls.append(_call(*key))
            found.names.append(name)
            found.shapes = found.shapes or bool(dims)
        return number


def _nanoseconds(us: float) -> int:
    """Whole nanoseconds; exact below 2^43 us, beyond that as exact as the number was written."""
    if us.__class__ is int or -EXACT_US < us < EXACT_US:
        return round(us * 1000)
    whole = int(us)
    return whole * 1000 + round((us - whole) * 1000)


def waits(name: str) -> bool:
    """Whether a call of the runtime returns only when the device has done something."""
    return _WAITING[0] in name or (name.startswith(_WAITING[1]) and "Async" not in name)


def _number(value: int | float | str | None) -> int | None:
    """A number that joins; old writers set it between quotes. None for what is none."""
    if value is None or (value.__class__ is int and -LARGEST_ID < value < LARGEST_ID):
        return value
    if isinstance(value, str):
        value = int(value) if value.isascii() and value.isdigit() and len(value) < 19 else None
    if isinstance(value, float):
        value = int(value) if value.is_integer() and abs(value) < LARGEST_ID else None
    return value if value is not None and abs(value) < LARGEST_ID else None


def _call(name: str, dims: bytes, types: bytes, values: bytes, strides: bytes) -> RecordedCall:
    """An operator with what was recorded of its arguments; what is damaged counts as missing."""
    namespace, _, short = name.rpartition("::")
    shapes, kinds = _list(dims), _list(types)
    texts, steps = _list(values), _list(strides)
    found = []
    for i, shape in enumerate(shapes if len(shapes) <= 64 else ()):
        kind = kinds[i] if i < len(kinds) else ""
        text = texts[i] if i < len(texts) else ""
        step = _shape(steps[i]) if i < len(steps) else None
        held = _shape(shape)
        parts: tuple[Shape, ...] = ()
        if held is None and isinstance(shape, list):
            each = [_shape(part) for part in shape]
            parts = tuple(part for part in each if part is not None)
            if len(parts) != len(each):
                parts = ()
        if held is None and not parts:
            kind = ""
        text = text if isinstance(text, str) else str(text)
        kind = kind if isinstance(kind, str) else ""
        found.append(Argument(kind, held or (), step, text[:200], parts))
    return RecordedCall(namespace, short, tuple(found))


def _list(raw: bytes) -> list[Any]:
    if not raw:
        return []
    try:
        found = msgspec.json.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return []
    return found if isinstance(found, list) else []


def _shape(value: object) -> Shape | None:
    """Sizes of dimensions; None for what is no list of them."""
    if not isinstance(value, list) or len(value) > MOST_DIMS:
        return None
    if not all(isinstance(n, int) and 0 <= n < LARGEST_DIM for n in value):
        return None
    if math.prod(value) > LARGEST_ID:
        return None  # more elements than any memory holds
    return tuple(value)
