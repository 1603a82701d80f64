"""The driver's errors (Xid) in the kernel's log, where it may be read; it is never waited for."""

from __future__ import annotations

import ctypes
import os
import re
import sys
import time

import msgspec

DEVICE = "/dev/kmsg"
FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
MOST_RECORDS, MOST_S = 200_000, 1.0
RECORD_BYTES = 8192
LOG_BYTES = 4 << 20
READ_ALL = 3  # SYSLOG_ACTION_READ_ALL, linux/syslog.h
XID = re.compile(r"NVRM: Xid \((?:PCI:)?([0-9a-fA-F:.]+)\): (\d{1,5})\b")
"""``NVRM: Xid (PCI:0000:18:00): 79, pid=…``."""


class Xid(msgspec.Struct, frozen=True):
    """One line of the log: which card, and the number of the error."""

    bus: str
    number: int


class KernelLog(msgspec.Struct, frozen=True, kw_only=True):
    """The errors in it, oldest first, or why it could not be read."""

    xids: tuple[Xid, ...] = ()
    problem: str | None = None


def kernel_log(device: str = DEVICE) -> KernelLog:
    """Read the kernel's log: by its device, else by the system call that ``dmesg`` takes."""
    try:
        return KernelLog(xids=xids_in(_records(device)))
    except OSError as error:
        text, why = _by_call(), error.strerror or "it cannot be read"
    return KernelLog(problem=f"{device}: {why}") if text is None else KernelLog(xids=xids_in(text))


def xids_in(text: str) -> tuple[Xid, ...]:
    """Every error of the driver's in a log's text."""
    return tuple(Xid(found[1], int(found[2])) for found in XID.finditer(text))


def same_bus(bus: str, pci_bus_id: str) -> bool:
    """Whether ``0000:18:00`` of the log is the card ``00000000:18:00.0`` of NVML."""
    parts = pci_bus_id.partition(".")[0].lower().split(":")
    theirs = bus.partition(".")[0].lower().split(":")
    return [part.lstrip("0") for part in parts] == [part.lstrip("0") for part in theirs]


def _records(device: str) -> str:
    """All of the log's records that mention the driver; a read gives one."""
    log = os.open(device, FLAGS)
    kept, until = [], time.monotonic() + MOST_S
    try:
        for _ in range(MOST_RECORDS):
            try:
                record = os.read(log, RECORD_BYTES)
            except BlockingIOError:
                break
            except BrokenPipeError:  # overwritten while we read: go on with the next
                continue
            if b"NVRM" in record:
                kept.append(record.decode("utf-8", "replace"))
            if not record or time.monotonic() > until:
                break
    finally:
        os.close(log)
    return "".join(kept)


def _by_call() -> str | None:
    if sys.platform != "linux":
        return None
    buffer = ctypes.create_string_buffer(LOG_BYTES)
    try:
        size = ctypes.CDLL(None, use_errno=True).klogctl(READ_ALL, buffer, LOG_BYTES)
    except (OSError, AttributeError):  # a C library without it
        return None
    return None if size < 0 else buffer.raw[:size].decode("utf-8", "replace")
