"""The parent's side of the links' process: started, listened to, and ended when it hangs."""

from __future__ import annotations

import contextlib
import os
import queue
import re
import signal
import subprocess
import threading
import time

import msgspec

from roofwatch.fleet.links import Plan
from roofwatch.session.child import last_lines, log_file
from roofwatch.session.events import Beat, Note
from roofwatch.session.events import decode as decode_event
from roofwatch.session.fleet.lines import AnyLine
from roofwatch.session.interpreter import start_of

_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)
_WARNS = re.compile(r"^\s|:\d+: \w*Warning: ")  # of Python, and the source below it: no reason


class LinksProcess:
    """One process of the collectives. Start it from the main thread: it dies with that."""

    def __init__(self, plan: Plan, place: int) -> None:
        """Start it.

        Raises:
            OSError: the system does not; nothing is left open.
        """
        self.said = ""  # what it said of its own fault
        self.doing = "starting"
        self.moved_s = self.heard_s = time.monotonic()
        self._lines: queue.SimpleQueue[AnyLine] = queue.SimpleQueue()
        with contextlib.ExitStack() as undone:
            self._log = undone.enter_context(log_file())
            read_end, write_end = os.pipe()
            undone.callback(os.close, read_end)
            own = ["--fd", str(write_end), "--t0", str(time.monotonic_ns())]
            try:
                self.process = subprocess.Popen(
                    [*start_of("roofwatch.fleet.links"), *own, "--place", str(place)],
                    stdin=subprocess.PIPE,
                    stdout=self._log,
                    stderr=self._log,
                    pass_fds=(write_end,),
                    start_new_session=True,
                )
            finally:
                os.close(write_end)
            undone.pop_all()  # it runs: log and pipe are its own
        self._reader = threading.Thread(target=self._read, args=(read_end,), daemon=True)
        self._reader.start()
        # not as an argument, which may have 128 KiB; a pipe has less room than that, so in a thread
        told = msgspec.json.encode(plan) + b"\n"
        self._teller = threading.Thread(target=self._tell, args=(told,), daemon=True)
        self._teller.start()

    def _tell(self, plan: bytes) -> None:
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):  # it has ended
            self.process.stdin.write(plan)
            self.process.stdin.flush()

    def _read(self, read_end: int) -> None:
        with os.fdopen(read_end, "rb") as pipe:
            for raw in pipe:
                self.heard_s = time.monotonic()
                try:
                    event = decode_event(raw)
                except msgspec.DecodeError:
                    event = None
                if isinstance(event, Beat):
                    doing = f"{event.state} {event.probe or ''}".strip()
                    if doing != self.doing:
                        self.doing, self.moved_s = doing, time.monotonic()
                elif isinstance(event, Note):
                    self.said = event.text
                else:
                    with contextlib.suppress(msgspec.DecodeError):
                        self._lines.put(_decoder.decode(raw))
                    self.moved_s = time.monotonic()

    def lines(self) -> list[AnyLine]:
        """What it has written since it was last asked."""
        out = []
        with contextlib.suppress(queue.Empty):
            while True:
                out.append(self._lines.get_nowait())
        return out

    @property
    def still_s(self) -> float:
        """Seconds since it went on to something else."""
        return time.monotonic() - self.moved_s

    @property
    def silent_s(self) -> float:
        """Seconds since any sign of life; it beats twice a second."""
        return time.monotonic() - self.heard_s

    @property
    def killed(self) -> bool:
        """Whether a signal has ended it."""
        return (self.process.poll() or 0) < 0

    def over(self) -> bool:
        """Whether it has ended, and all that it wrote is here."""
        if self.process.poll() is None:
            return False
        self._reader.join(1.0)
        return True

    def how(self) -> str:
        """Empty where it ended well; else what went wrong."""
        code = self.process.poll()
        if code == 0:
            return ""
        if code is not None and code < 0:
            words = "" if code == -signal.SIGKILL else self._last_words()  # no library's doing
            return f"killed by signal {-code} at {self.doing}{words}"
        return f"{self.said or 'ended'} (at {self.doing})"

    def _last_words(self) -> str:
        """The last line that its libraries printed: NCCL's reason to end the process."""
        lines = [line for line in last_lines(self._log) if not _WARNS.search(line)]
        return f": {lines[-1].strip()[:200]}" if lines else ""

    def kill(self) -> None:
        """At once, and what it started."""
        with contextlib.suppress(OSError):
            os.killpg(self.process.pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(2.0)
        self._teller.join(0.5)
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        self._reader.join(0.5)
        self._log.close()
