"""The terminal that the screen stands on: its modes before, and putting them back from a thread."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import signal
import termios
import threading
import time
from typing import Any

from roofwatch.tui.screen.first_frame import LEAVE
from roofwatch.tui.screen.foreground import behind

LOST = select.POLLHUP | select.POLLERR
MODES = "".join(f"\x1b[?{n}l" for n in (1000, 1002, 1003, 1004, 1006, 1015, 1016, 2004, 2026, 2048))
RESTORED = f"\x1b[<u{LEAVE}{MODES}\x1b[?7h\x1b[m".encode()
WRITE_S = 0.3


class Terminal:
    """Reads keys at one descriptor and shows what is written at another."""

    def __init__(self, reads: int, shows: int) -> None:
        self.fds = (reads, shows)
        self.left = True  # its usual screen stands
        self._reads, self._shows = reads, shows
        self._before = _modes(reads)

    def gone(self) -> bool:
        """Nobody is at the other end any more."""
        return self._before is not None and _modes(self._reads) is None

    def stalled(self) -> bool:
        """It reads nothing at present."""
        return not select.select([], [self._shows], [], 0)[1]

    def restore(self) -> None:
        """Modes and screen as they were, without waiting for a terminal that reads nothing."""
        if behind(self._reads):  # its modes and its screen are no longer ours
            return
        with contextlib.suppress(termios.error):
            if self._before and self._before != _modes(self._reads):
                termios.tcflush(self._reads, termios.TCIFLUSH)
                termios.tcsetattr(self._reads, termios.TCSANOW, self._before)
        if not self.left:
            self._write(RESTORED)

    def put_back(self) -> None:
        """The modes alone, where an orderly end has left others."""
        with contextlib.suppress(termios.error):
            if self._before and self._before != _modes(self._reads) and not behind(self._reads):
                termios.tcsetattr(self._reads, termios.TCSANOW, self._before)

    def _write(self, data: bytes) -> None:
        own = self._opened_again()
        if own is None:
            return
        with contextlib.suppress(OSError):  # what is still to be drawn goes nowhere
            os.dup2(os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC), self._shows)
        until = time.monotonic() + WRITE_S
        while data and time.monotonic() < until:
            try:
                data = data[os.write(own, data) :]
            except BlockingIOError:
                with contextlib.suppress(termios.error):
                    termios.tcflush(own, termios.TCOFLUSH)  # what nobody has read
                _interrupt_writers()
                time.sleep(0.005)
            except OSError:
                break
        os.close(own)

    def _opened_again(self) -> int | None:
        """A descriptor that does not block; on ours the shell would not block either."""
        for path in (f"/proc/self/fd/{self._shows}", _name(self._shows), "/dev/tty"):
            with contextlib.suppress(OSError):
                return os.open(path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
        return None


def hung_up(fd: int) -> bool:
    """A terminal was there, and its other end is closed."""
    try:
        termios.tcgetattr(fd)
    except termios.error as error:
        return bool(error.args[0] == errno.EIO)
    return False


def _modes(fd: int) -> list[Any] | None:
    try:
        return termios.tcgetattr(fd)
    except termios.error:
        return None


def _name(fd: int) -> str:
    try:
        return os.ttyname(fd)
    except OSError:
        return ""


def _interrupt_writers() -> None:
    """Have a thread that waits in a write begin it anew: the kernel lets one write at a time."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        if callable(signal.getsignal(number)):
            for thread in threading.enumerate():
                if thread.ident not in (None, threading.get_ident()):
                    with contextlib.suppress(OSError):
                        signal.pthread_kill(thread.ident or 0, number)
            return
