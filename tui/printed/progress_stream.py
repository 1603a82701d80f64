"""Where progress is written: a terminal or pipe that nobody reads must not hold up measuring."""

from __future__ import annotations

import contextlib
import os
import queue
import threading
import time
from types import TracebackType
from typing import TextIO

MOST = 1000  # pieces that wait; what comes then is dropped
FLUSH_S = 0.5


class ProgressStream:
    """In a ``with`` block a thread writes to the descriptor of ``stream``. No error gets out.

    A stream without a descriptor is written at once. ``write`` may be called by a signal handler.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream
        self.encoding = getattr(stream, "encoding", None) or "utf-8"
        self._waits: queue.SimpleQueue[bytes | threading.Event | None] = queue.SimpleQueue()
        self._fd: int | None = None
        if stream is not None:
            with contextlib.suppress(OSError, ValueError):
                self._fd = stream.fileno()

    def __enter__(self) -> ProgressStream:
        """Begin to write."""
        if self._fd is not None:
            threading.Thread(
                target=self._run, args=(self._fd,), name="progress", daemon=True
            ).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Wait for what can still be written, and not for more."""
        self.flush()
        self._waits.put(None)

    def write(self, text: str) -> int:
        """Have it written as soon as the other end reads."""
        if self._fd is None:
            if self._stream is not None:
                with contextlib.suppress(OSError):
                    self._stream.write(text)
        elif self._waits.qsize() < MOST:
            self._waits.put(text.encode(self.encoding, "replace"))
        return len(text)

    def flush(self) -> None:
        """Wait until it is written, at most FLUSH_S."""
        if self._fd is None:
            if self._stream is not None:
                with contextlib.suppress(OSError):
                    self._stream.flush()
            return
        written = threading.Event()
        self._waits.put(written)
        written.wait(FLUSH_S)

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return self._stream is not None and self._stream.isatty()

    def _run(self, fd: int) -> None:
        broken = False
        while (piece := self._waits.get()) is not None:
            if isinstance(piece, threading.Event):
                piece.set()
            while not broken and isinstance(piece, bytes) and piece:
                try:
                    piece = piece[os.write(fd, piece) :]
                except BlockingIOError:
                    time.sleep(0.02)
                except OSError:
                    broken = True
