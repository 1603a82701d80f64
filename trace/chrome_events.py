"""A PyTorch profiler's Chrome trace: the wire types of its events, and the events one by one.

The writer's words have changed with the years: categories were capitalised and ``Operator`` was
what is ``cpu_op`` now, numbers of operators stood as ``external id``, times were whole microseconds.
Some versions wrote ``nan`` and ``inf``, which are no JSON: they are read as null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

from roofwatch.trace.refusal import UnreadableTrace

Number = int | float
OPERATORS = frozenset({"cpu_op", "operator"})
KERNELS = frozenset({"kernel"})
COPIES = frozenset({"gpu_memcpy", "memcpy"})
FILLS = frozenset({"gpu_memset", "memset"})
LAUNCHES = frozenset({"cuda_runtime", "cuda_driver", "runtime", "hip_runtime", "driver"})
WANTED = OPERATORS | KERNELS | COPIES | FILLS | LAUNCHES
_NO_JSON = re.compile(rb"([:\[,]\s*)-?(?:nan|inf(?:inity)?)(?=\s*[,\]}])", re.IGNORECASE)
_PLACE = re.compile(r"\(byte (\d+)\)")


class Event(msgspec.Struct):
    """What is looked at of each event; ``args`` are read of those that are wanted alone."""

    ph: str = "X"
    cat: str | None = None
    name: str | None = None
    ts: float | None = None
    dur: float | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    args: msgspec.Raw = msgspec.Raw(b"")


class Args(
    msgspec.Struct,
    rename={
        "external": "External id",
        "external_old": "external id",
        "dims": "Input Dims",
        "dims_old": "Input dims",
        "types": "Input type",
        "types_old": "Input types",
        "values": "Concrete Inputs",
        "strides": "Input Strides",
    },
):
    """Arguments that join events, and an operator's shapes as they stand there."""

    external: int | float | str | None = None
    external_old: int | float | str | None = None
    correlation: int | float | str | None = None
    device: int | float | str | None = None
    stream: int | float | str | None = None
    bytes: int | float | str | None = None
    dims: msgspec.Raw = msgspec.Raw(b"")
    dims_old: msgspec.Raw = msgspec.Raw(b"")
    types: msgspec.Raw = msgspec.Raw(b"")
    types_old: msgspec.Raw = msgspec.Raw(b"")
    values: msgspec.Raw = msgspec.Raw(b"")
    strides: msgspec.Raw = msgspec.Raw(b"")


class Device(msgspec.Struct):
    """One of ``deviceProperties``."""

    id: int = 0
    name: str = ""
    totalGlobalMem: int | None = None  # noqa: N815 (as it stands in the file)
    computeMajor: int | None = None  # noqa: N815
    computeMinor: int | None = None  # noqa: N815
    numSms: int | None = None  # noqa: N815


class Document(msgspec.Struct):
    """The whole file, events unread."""

    traceEvents: list[msgspec.Raw] | None = None  # noqa: N815
    deviceProperties: list[Device] | None = None  # noqa: N815


_EVENT = msgspec.json.Decoder(Event)
_ARGS = msgspec.json.Decoder(Args)
_EVENTS = msgspec.json.Decoder(list[msgspec.Raw])
_DOCUMENT = msgspec.json.Decoder(Document)


def document(data: bytes | bytearray, path: Path) -> Document:
    """The events, unread, and the devices.

    Raises:
        UnreadableTrace: no JSON, with line and byte; or JSON that is no trace.
    """
    data = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    try:
        found = _decoded(data)
    except msgspec.ValidationError as error:
        raise UnreadableTrace(f"{path}: {said(error)}") from None
    except msgspec.DecodeError as error:
        if (mended := _NO_JSON.sub(rb"\1null", data)) == data:
            raise UnreadableTrace(f"{path}: no JSON: {_placed(error, data)}") from None
        try:
            found = _decoded(mended)
        except msgspec.DecodeError as again:
            raise UnreadableTrace(f"{path}: no JSON: {_placed(again, mended)}") from None
    except RecursionError:
        raise UnreadableTrace(f"{path}: nested too deeply") from None
    except MemoryError:
        raise UnreadableTrace(f"{path}: more than this machine's memory holds") from None
    if found.traceEvents is None:
        raise UnreadableTrace(f"{path}: JSON, but no trace: traceEvents is missing")
    return found


def _decoded(data: bytes | bytearray) -> Document:
    if data.lstrip()[:1] == b"[" if len(data) < 64 else data[:64].lstrip()[:1] == b"[":
        return Document(traceEvents=_EVENTS.decode(data))
    return _DOCUMENT.decode(data)


def wanted(found: Document, path: Path) -> Iterator[tuple[int, str, Event, Args]]:
    """Row, category in lower case, event and arguments of each event that matters.

    Raises:
        UnreadableTrace: an event or a field of one is of the wrong type; it is named.
    """
    nothing = Args()
    for row, raw in enumerate(found.traceEvents or ()):
        try:
            event = _EVENT.decode(raw)
            if event.ph != "X" or event.cat is None:
                continue
            category = event.cat.lower()
            if category in WANTED:
                args = _ARGS.decode(event.args) if len(memoryview(event.args)) else nothing
                yield row, category, event, args
        except msgspec.DecodeError as error:
            raise UnreadableTrace(f"{path}: event {row}: {said(error)}") from None
        except UnicodeDecodeError:
            raise UnreadableTrace(f"{path}: event {row}: no UTF-8") from None
        except RecursionError:
            raise UnreadableTrace(f"{path}: event {row}: nested too deeply") from None


def said(error: Exception) -> str:
    """A decoder's words, the field first: ``ts: expected float, got str``."""
    what, _, where = str(error).replace("`", "").partition(" - at ")
    where = where.strip().removeprefix("$").removeprefix(".")
    what = what[:1].lower() + what[1:]
    return f"{where}: {what}" if where else what


def _placed(error: Exception, data: bytes | bytearray) -> str:
    """The decoder's words, with the line of the byte that it names."""
    what = str(error).replace("JSON is malformed: ", "").replace("Input data was truncated", "cut off")
    if found := _PLACE.search(what):
        line = data.count(b"\n", 0, int(found[1])) + 1
        return f"line {line}: {what}"
    return f"line {data.count(10) + 1}: {what}" if what == "cut off" else what
