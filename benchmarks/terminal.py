"""A program in a pseudo-terminal of its own, with what its screen shows and when."""

from __future__ import annotations

import collections
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import threading
import time
from collections.abc import Callable, Sequence

import pyte


class Terminal:
    """Runs a command in a pty and keeps its screen up to date from a thread."""

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        term: str = "xterm-256color",
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._come: collections.deque[tuple[float, bytes]] = collections.deque()  # not drawn yet
        self.raw = bytearray()  # everything it wrote
        self.heard = 0.0  # when the last came of what the screen shows
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": term, "COLORTERM": "truecolor"},
        )
        os.close(slave)
        self._master = master
        self._reads = threading.Event()
        self._reads.set()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        """Read at once and draw later: a terminal that is slow would hold the program up."""
        while True:
            try:
                self._reads.wait()
                select.select([self._master], [], [])
                data = os.read(self._master, 65536)
            except OSError:
                return
            if not data:
                return
            self.raw += data
            self._come.append((time.monotonic(), data))

    def step(self) -> bool:
        """Draw the next piece of what has come; False where there is none."""
        if not self._come:
            return False
        self.heard, data = self._come.popleft()
        self._stream.feed(data)
        return True

    def text(self) -> str:
        """The screen as it stands."""
        while self.step():
            pass
        return self._shown()

    def _shown(self) -> str:
        return "\n".join(self._screen.display)

    def when(self, seen: Callable[[str], bool], timeout_s: float) -> float | None:
        """Seconds after the start at which what satisfies ``seen`` had come; None if it never does.

        What takes time here, drawing the screen from it, is not the program's.
        """
        return self.after(self.started, seen, self.started + timeout_s)

    def after(self, begin: float, seen: Callable[[str], bool], until: float) -> float | None:
        """The same, in seconds after ``begin``, until a moment on the same clock."""
        if seen(self._shown()):
            return max(0.0, self.heard - begin)
        while time.monotonic() < until:
            if self.step():
                if seen(self._shown()):
                    return self.heard - begin
            elif self.process.poll() is not None and not self._come:
                return None
            else:
                time.sleep(0.001)
        return None

    def stall(self, seconds: float) -> None:
        """Read nothing for so long, as a terminal after Ctrl-S or behind a dead link."""
        self._reads.clear()
        time.sleep(seconds)
        self._reads.set()

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._master, keys.encode())

    def close(self) -> int:
        """Quit with q, wait, and return the exit code."""
        if self.process.poll() is None:
            self.type("q")
        try:
            return self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
