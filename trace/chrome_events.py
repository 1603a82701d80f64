"""A PyTorch profiler's Chrome trace: the wire types of its events, and the events one by one.

The writer's words have changed with the years: categories were capitalised and ``Operator`` was
what is ``cpu_op`` now, numbers of operators stood as ``external id``, times were whole
microseconds. Some versions wrote ``nan`` and ``inf``, which are no JSON: they are read as null.
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
_RUNTIMES = "cuda_runtime cuda_driver runtime driver hip_runtime xpu_runtime xpu_driver"
LAUNCHES = frozenset(_RUNTIMES.split())
WANTED = OPERATORS | KERNELS | COPIES | FILLS | LAUNCHES
_NO_JSON = re.compile(rb"([:\[,]\s*)-?(?:nan|inf(?:inity)?)(?=\s*[,\]}])", re.IGNORECASE)
_ROW = re.compile(r"(?:traceEvents)?\[(\d+)\]\.?")
_PLACE = re.compile(r"\(byte (\d+)\)")


class Args(
    msgspec.Struct,
    gc=False,
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


class Event(msgspec.Struct, gc=False):
    """What is looked at of each event."""

    ph: str = "X"
    cat: str | None = None
    name: str | None = None
    ts: Number | None = None
    dur: Number | None = None
    pid: int | float | str | None = None
    tid: int | float | str | None = None
    args: Args | None = None


class Device(msgspec.Struct):
    """One of ``deviceProperties``."""

    id: int = 0
    name: str = ""
    totalGlobalMem: int | None = None
    computeMajor: int | None = None
    computeMinor: int | None = None
    numSms: int | None = None


class Document(msgspec.Struct):
    """The whole file."""

    traceEvents: list[Event] | None = None
    deviceProperties: list[Device] | None = None


_EVENTS = msgspec.json.Decoder(list[Event])
_DOCUMENT = msgspec.json.Decoder(Document)


def document(data: bytes | bytearray, path: Path) -> Document:
    """The events and the devices.

    Raises:
        UnreadableTrace: no JSON, with line and byte; JSON that is no trace; a field of the wrong
            type, with its event.
    """
    data = data[3:] if data[:3] == b"\xef\xbb\xbf" else data
    try:
        found = _mended(data)
    except msgspec.ValidationError as error:
        raise UnreadableTrace(f"{path}: {said(error)}") from None
    except msgspec.DecodeError as error:
        raise UnreadableTrace(f"{path}: no JSON: {_placed(error, data)}") from None
    except UnicodeDecodeError as error:
        raise UnreadableTrace(f"{path}: no UTF-8 text (byte {error.start})") from None
    except RecursionError:
        raise UnreadableTrace(f"{path}: nested too deeply") from None
    except MemoryError:
        raise UnreadableTrace(f"{path}: more than this machine's memory holds") from None
    if found.traceEvents is None:
        raise UnreadableTrace(f"{path}: JSON, but no trace: traceEvents is missing")
    return found


def _mended(data: bytes | bytearray) -> Document:
    """The document; where it is no JSON for ``nan`` or ``inf`` alone, with null in their place."""
    try:
        return _decoded(data)
    except msgspec.ValidationError:
        raise
    except msgspec.DecodeError:
        mended = _NO_JSON.sub(rb"\1null", data)
        if mended == data:
            raise
    return _decoded(mended)


def _decoded(data: bytes | bytearray) -> Document:
    if data.lstrip()[:1] == b"[" if len(data) < 64 else data[:64].lstrip()[:1] == b"[":
        return Document(traceEvents=_EVENTS.decode(data))
    return _DOCUMENT.decode(data)


def wanted(found: Document) -> Iterator[tuple[int, str, Event]]:
    """Row, category in lower case, and event of each complete event that matters."""
    lower: dict[str | None, str] = {}
    for row, event in enumerate(found.traceEvents or ()):
        if event.ph == "X":
            category = lower.get(event.cat)
            if category is None:
                category = lower[event.cat] = (event.cat or "").lower()
            if category in WANTED:
                yield row, category, event


def said(error: Exception) -> str:
    """A decoder's words, the place first: ``event 17: ts: expected float, got str``."""
    what, _, where = str(error).replace("`", "").partition(" - at ")
    where = where.strip().removeprefix("$").removeprefix(".")
    what = what[:1].lower() + what[1:]
    if (found := _ROW.match(where)) is not None:
        where = f"event {found[1]}: {where[found.end() :]}".removesuffix(": ")
    return f"{where}: {what}" if where else what


def _placed(error: Exception, data: bytes | bytearray) -> str:
    """The decoder's words, with the line of the byte that it names."""
    what = (
        str(error).replace("JSON is malformed: ", "").replace("Input data was truncated", "cut off")
    )
    if found := _PLACE.search(what):
        line = data.count(b"\n", 0, int(found[1])) + 1
        return f"line {line}: {what}"
    return f"line {data.count(10) + 1}: {what}" if what == "cut off" else what
