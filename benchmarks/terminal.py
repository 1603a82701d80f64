"""A program in a pseudo-terminal of its own, with what its screen shows and when."""

from __future__ import annotations

import collections
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Sequence

import pyte

TICK_S = 0.05
OWNER = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Terminal:
    """Runs a command in a pty and keeps its screen up to date from a thread.

    ``owned``: it is the command's controlling terminal, so that its end comes with a SIGHUP.
    """

    def __init__(
        self,
        command: Sequence[str],
        columns: int = 80,
        rows: int = 24,
        term: str = "xterm-256color",
        owned: bool = False,
        **environment: str,
    ) -> None:
        self._screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self._screen)
        self._come: collections.deque[tuple[float, bytes]] = collections.deque()  # not drawn yet
        self.raw = bytearray()  # everything it wrote
        self.heard = 0.0  # when the last came of what the screen shows
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.modes_before = termios.tcgetattr(slave)
        for number in (signal.SIGHUP, signal.SIGINT):
            if signal.getsignal(number) is signal.SIG_IGN:  # nohup, or a job in the background
                signal.signal(number, signal.SIG_DFL)  # else the command would ignore it too
        if owned:
            command = [sys.executable, "-I", "-S", "-c", OWNER, *command]
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**os.environ, "TERM": term, "COLORTERM": "truecolor", **environment},
        )
        os.close(slave)
        self._master = master
        self._reads = threading.Event()
        self._reads.set()
        self._closed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def _read(self) -> None:
        """Read at once and draw later: a terminal that is slow would hold the program up."""
        while not self._closed:
            try:
                if not self._reads.wait(TICK_S):
                    continue
                ready = select.select([self._master], [], [], TICK_S)[0]
                if not ready or not self._reads.is_set():
                    continue
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
        return self.after(self.started, seen, time.monotonic() + timeout_s)

    def after(self, begin: float, seen: Callable[[str], bool], until: float) -> float | None:
        """The same, in seconds after ``begin``, until a moment on the same clock."""
        if seen(self._shown()):
            return max(0.0, self.heard - begin)
        while time.monotonic() < until:
            if self.step():
                if seen(self._shown()):
                    return self.heard - begin
            elif not self._thread.is_alive() and not self._come:  # all that it wrote has been read
                return None
            else:
                time.sleep(0.001)
        return None

    def stall(self, seconds: float) -> None:
        """Read nothing for so long, as a terminal after Ctrl-S or behind a dead link."""
        self.hold()
        time.sleep(seconds)
        self.go_on()

    def hold(self) -> None:
        """Read nothing from now on."""
        self._reads.clear()

    def go_on(self) -> None:
        """Read again."""
        self._reads.set()

    def hang_up(self) -> None:
        """The terminal is gone, as a window that is closed or a link that is cut."""
        self._closed = True
        self._thread.join()
        os.close(self._master)

    def resize(self, columns: int, rows: int) -> None:
        """Another size, from now on."""
        self._screen.resize(rows, columns)
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def modes(self) -> list[object]:
        """As termios tells them, of the end that the program has."""
        return termios.tcgetattr(self._master)

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
