"""One instrument process: started, listened to, told to stop, and never left behind."""

from __future__ import annotations

import contextlib
import fcntl
import os
import queue
import signal
import subprocess
import tempfile
import threading
import time
from typing import IO

import msgspec

from roofwatch.session.cgroups import oom_kills
from roofwatch.session.events import AnyEvent, Beat, Note, decode
from roofwatch.session.interpreter import start_of
from roofwatch.session.kept_file import SessionFile
from roofwatch.session.scratch import Scratch

LOG_LINES = 6
LOG_BYTES = 4096  # looked at, of its end
OUT_OF_MEMORY = ", by the kernel: the memory that this container may use was full"
PIPE_BYTES = 1 << 20  # Linux' own limit for an unprivileged process


class Gone(msgspec.Struct, frozen=True):
    """An instrument's pipe is closed: the process ended or is about to."""

    child: Child


class Child:
    """A child process that writes events on its own pipe.

    Start it from the main thread only: the kernel's parent-death signal fires when the thread that
    spawned the child ends. A reader thread keeps what it writes, whatever the screen is doing.
    """

    def __init__(
        self,
        instrument: str,
        arguments: list[str],
        t0_ns: int,
        file: SessionFile,
        inbox: queue.SimpleQueue[AnyEvent | Gone],
    ) -> None:
        """Start it.

        Raises:
            OSError: there is no process to be had; nothing is left open.
        """
        self.instrument = instrument
        self.retired = False  # its end is wanted: no fault
        self.heard = False  # it has told something
        self.born_s = self.last_beat = self.last_event = self.last_step = time.monotonic()
        self.beat: Beat | None = None
        self._t0_ns = t0_ns
        self._file = file
        self._inbox = inbox
        self._oom_kills = oom_kills()
        with contextlib.ExitStack() as undone:
            self._log = undone.enter_context(log_file())
            read_end, write_end = os.pipe()
            undone.callback(os.close, read_end)
            _widen(write_end)
            own = ["--fd", str(write_end), "--t0", str(t0_ns)]
            self._scratch = Scratch() if instrument == "probes" else None
            folder = self._scratch.path if self._scratch else None
            if self._scratch is not None:
                undone.callback(self._scratch.remove)
            environ = {"TMPDIR": str(folder)} if folder else {}
            try:
                self.process = subprocess.Popen(
                    [*start_of(f"roofwatch.{instrument}"), *own, *arguments],
                    stdin=subprocess.PIPE,
                    stdout=self._log,
                    stderr=self._log,
                    pass_fds=(write_end,),
                    start_new_session=True,
                    env=os.environ | environ,
                )
            finally:
                os.close(write_end)
            undone.pop_all()  # it runs: log, pipe and folder are its own
        self._reader = threading.Thread(
            target=self._read, args=(read_end,), name=f"{instrument}-reader", daemon=True
        )
        self._reader.start()

    def _read(self, read_end: int) -> None:
        with os.fdopen(read_end, "rb") as pipe:
            for raw in pipe:
                try:
                    event = decode(raw)
                except msgspec.DecodeError as error:
                    now = (time.monotonic_ns() - self._t0_ns) / 1e9
                    event = Note(t=now, text=f"{self.instrument} wrote an unreadable line: {error}")
                if event is None:
                    continue
                self.last_beat = time.monotonic()
                if isinstance(event, Beat):
                    before, self.beat = self.beat, event
                    if _step(before) != _step(event):
                        self.last_step = self.last_beat
                else:
                    self.heard = True
                    self.last_event = self.last_step = self.last_beat
                    self._file.write(event)
                self._inbox.put(event)
        self._inbox.put(Gone(self))

    def tell(self, line: str) -> None:
        """Write a command to the instrument's stdin; a dead one does not hear it."""
        try:
            assert self.process.stdin is not None
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except (OSError, ValueError):
            pass

    def wait(self, timeout_s: float) -> int | None:
        """Exit code, or None when it is still alive after ``timeout_s``."""
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return None

    def end(self, patience_s: float = 0.3) -> None:
        """End it: close its stdin, then SIGTERM at once, SIGKILL after ``patience_s``."""
        self.retired = True
        if self.process.poll() is None:
            self._signal(signal.SIGTERM)
            if self.wait(patience_s) is None:
                self.kill()
                self.wait(2.0)
        elif (self.process.returncode or 0) < 0:
            self._signal(signal.SIGKILL)  # what it had started, and could not end
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self._reader.join(0.5)
        self._log.close()
        if self._scratch is not None:
            self._scratch.remove()

    def kill(self) -> None:
        """Kill it and what it started, at once; one that the driver holds dies when it lets go."""
        self.retired = True
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> None:
        """To the process and to what it has started, a compiler for instance."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, number)

    def excuse(self) -> None:
        """Nobody has listened for a while: its silence counts from now on."""
        self.last_beat = self.last_event = self.last_step = time.monotonic()

    def how_it_ended(self, code: int | None) -> str:
        """In words: its exit code, or the signal, and whether memory was what it lacked."""
        if code is None or code >= 0:
            return f"ended: exit code {code}"
        short = code == -signal.SIGKILL and oom_kills() > self._oom_kills
        return f"ended: killed by signal {-code}{OUT_OF_MEMORY if short else ''}"

    @property
    def age_s(self) -> float:
        """Seconds since it was started."""
        return time.monotonic() - self.born_s

    @property
    def still_s(self) -> float:
        """Seconds since it said anything but what it had said before."""
        return time.monotonic() - self.last_step

    @property
    def silent_s(self) -> float:
        """Seconds since its last sign of life: of telemetry a sample, of the probes a beat."""
        last = self.last_event if self.instrument == "telemetry" else self.last_beat
        return time.monotonic() - last

    def log_tail(self) -> list[str]:
        """The last lines that its libraries printed."""
        return last_lines(self._log)[-LOG_LINES:]


def _step(beat: Beat | None) -> tuple[object, ...] | None:
    return (beat.state, beat.probe, beat.progress) if beat is not None else None


def _widen(pipe: int) -> None:
    """A pipe that holds minutes of samples: a stopped parent (Ctrl-Z) reads none of them."""
    with contextlib.suppress(OSError, AttributeError):  # the host allows less, or has no such call
        fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, PIPE_BYTES)


def log_file() -> IO[bytes]:
    """Where a child's libraries print; nowhere when no temporary file can be made."""
    try:
        return tempfile.TemporaryFile()
    except OSError:
        return open(os.devnull, "r+b")


def last_lines(log: IO[bytes]) -> list[str]:
    """The lines at the end of such a file that are not empty."""
    log.seek(max(0, log.seek(0, os.SEEK_END) - LOG_BYTES))
    text = log.read().decode("utf-8", "replace")
    return [line for line in text.splitlines() if line.strip()]
