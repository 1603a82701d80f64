"""What every instrument (a child process) needs: its pipe, its clock, its sign of life, its end.

An instrument is started as ``python -m roofwatch.telemetry --fd N --t0 MONOTONIC_NS``. It writes
events to file descriptor N and reads commands on stdin. Run alone from a shell it writes to stdout
and keeps its own clock. Its stdout and stderr belong to the libraries it loads, never to events.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import msgspec

from roofwatch.session.events import AnyEvent, Beat, End, Flag, Sample, encode

PR_SET_PDEATHSIG = 1  # linux/prctl.h
BEAT_S = 0.5


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that every instrument takes."""
    parser.add_argument("--fd", type=int, default=None, help="write events there, not to stdout")
    parser.add_argument("--t0", type=int, default=None, help="session start, monotonic ns")


class Instrument:
    """The writing end of an instrument's pipe, with the session's clock."""

    def __init__(self, name: str, fd: int | None, t0_ns: int | None) -> None:
        self.name = name
        self.supervised = fd is not None
        self._fd = sys.stdout.fileno() if fd is None else fd
        self._t0_ns = time.monotonic_ns() if t0_ns is None else t0_ns
        self._lock = threading.Lock()
        self._state = "starting"
        self._probe: str | None = None
        self._progress: float | None = None
        self.gpu: int | None = None  # NVML's index of a card that is not the session's own
        self.waits_for: Callable[[], str | None] = lambda: None
        self._closing = threading.Event()
        if self.supervised:
            _die_with_parent()

    def now(self) -> float:
        """Seconds since the session began."""
        return (time.monotonic_ns() - self._t0_ns) / 1e9

    def at(self, monotonic_s: float) -> float:
        """A time.monotonic() (or perf_counter on Linux) reading on the session's clock."""
        return monotonic_s - self._t0_ns / 1e9

    def write(self, event: AnyEvent) -> None:
        """Write one event; ends the process quietly when nobody reads any more."""
        self.send(encode(event if self.gpu is None else _of_card(event, self.gpu)))

    def send(self, line: bytes) -> None:
        """Write one line of whatever the reader knows, its end included; ends as ``write`` does."""
        try:
            with self._lock:
                view = memoryview(line)
                while view:
                    view = view[os.write(self._fd, view) :]
        except OSError:
            os._exit(0)

    def say(self, state: str, probe: str | None = None, progress: float | None = None) -> None:
        """Set what the heartbeat says, and beat at once."""
        self._state, self._probe, self._progress = state, probe, progress
        self.beat()

    def beat(self) -> None:
        """One heartbeat; a parent hears them, a shell need not."""
        if self.supervised:
            self.write(
                Beat(
                    t=self.now(),
                    instrument=self.name,
                    state=self._state,
                    probe=self._probe,
                    progress=self._progress,
                    waits_for=self.waits_for(),
                )
            )

    def keep_beating(self) -> None:
        """Beat every half second from a thread of its own, until the process ends."""

        def run() -> None:
            while not self._closing.wait(BEAT_S):
                self.beat()

        threading.Thread(target=run, name="beat", daemon=True).start()

    def listen(self, on_line: Callable[[str], None]) -> None:
        """Hand each line of stdin to ``on_line``; a closed stdin ends the process."""
        if not self.supervised:
            return

        def run() -> None:
            for line in sys.stdin:
                on_line(line.strip())
            os._exit(0)

        threading.Thread(target=run, name="commands", daemon=True).start()


def _of_card(event: AnyEvent, gpu: int) -> AnyEvent:
    """The event with the card that it tells of; a sample knows its own."""
    if isinstance(event, (Sample, Flag, End, Beat)):
        return event
    return msgspec.structs.replace(event, gpu=gpu)


def _die_with_parent() -> None:
    """Ask the kernel for SIGKILL when the parent dies; ignore the terminal's Ctrl-C.

    A parent that passes signals on holds them back for itself; its instruments must end by them.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
