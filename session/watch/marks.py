"""Names that the watched work gives its parts: lines in a file of ours, read as they come.

A file and no pipe: whoever writes is never held up, whatever becomes of us.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

from roofwatch.session.scratch import Scratch

VARIABLE = "ROOFWATCH_MARK"
STAMPED = re.compile(r"@(\d{1,20})(?: |$)")  # as roofwatch.mark writes it: monotonic nanoseconds
LONGEST = 120  # characters of a name
MOST_BYTES = 1 << 16  # read at a time
MOST_MARKS = 10_000  # then they are counted, and no longer kept


class Mark(NamedTuple):
    """A name, and when it was written in monotonic nanoseconds, where the line says so."""

    name: str
    at_ns: int | None


class Marks:
    """The file behind ``$ROOFWATCH_MARK``; ``path`` is None where there can be none."""

    def __init__(self) -> None:
        self._scratch = Scratch()
        folder = self._scratch.path
        self.path: Path | None = folder / "marks" if folder is not None else None
        self.dropped = 0
        self._kept = 0
        self._read_bytes = 0
        self._mtime_ns = 0
        self._rest = b""
        if self.path is not None:
            os.close(os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))

    @property
    def environment(self) -> dict[str, str]:
        """What the work's environment must hold."""
        return {VARIABLE: str(self.path)} if self.path is not None else {}

    def poll(self, last: bool = False) -> list[Mark]:
        """Marks since the last call; ``last``: a line without its end counts too."""
        new = self._new()
        if last and (new or self._rest):
            new += b"\n"
        *lines, self._rest = (self._rest + new).split(b"\n")
        if len(self._rest) > MOST_BYTES:
            self._rest = b""
        found = []
        for line in lines:
            if (mark := _mark(line)) is None:
                continue
            if self._kept >= MOST_MARKS:
                self.dropped += 1
                continue
            self._kept += 1
            found.append(mark)
        return found

    def _new(self) -> bytes:
        """What was added to the file; all of it where it was written anew (``>`` for ``>>``)."""
        try:
            file = os.open(self.path or "", os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        except OSError:
            return b""
        try:
            told = os.fstat(file)
            anew = told.st_size < self._read_bytes
            anew |= told.st_size == self._read_bytes and told.st_mtime_ns != self._mtime_ns
            if anew:
                self._read_bytes = 0
                self._rest = b""
            self._mtime_ns = told.st_mtime_ns
            found = os.pread(file, MOST_BYTES, self._read_bytes)
            self._read_bytes += len(found)
            return found
        except OSError:
            return b""
        finally:
            os.close(file)

    def remove(self) -> None:
        """Take file and folder away."""
        self._scratch.remove()


def _mark(line: bytes) -> Mark | None:
    text = line.decode("utf-8", "replace").strip()
    at_ns = None
    if (stamped := STAMPED.match(text)) is not None:
        at_ns, text = int(stamped.group(1)), text[stamped.end() :].strip()
    return Mark(text[:LONGEST], at_ns) if text else None
