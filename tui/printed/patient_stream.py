"""A stream whose reader may leave: what is written from then on goes nowhere, and that is all.

A command's exit code and what it says on stderr are then the same, whenever ``| head -1`` leaves.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Patient(io.FileIO):
    left = False

    def write(self, data: ReadableBuffer, /) -> int:
        try:
            return super().write(data) or 0
        except BrokenPipeError:
            self.left = True
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(data).nbytes


def patient(number: int, encoding: str, *, lines: bool = False, at_once: bool = False) -> TextIO:
    """A text stream on a descriptor, which it never closes. A reader who leaves raises nothing.

    ``lines``: each is sent as it ends. ``at_once``: whatever is written is.
    """
    raw = _Patient(number, "w", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw) if not at_once else raw,
        encoding=encoding,
        errors="replace",
        line_buffering=lines,
        write_through=at_once,
    )


def left(stream: TextIO | None) -> bool:
    """Whether its reader has left, of a stream made here; any other raises."""
    buffer = getattr(stream, "buffer", None)
    return getattr(getattr(buffer, "raw", buffer), "left", False)
