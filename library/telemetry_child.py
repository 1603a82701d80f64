"""The telemetry instrument beside a measurement: started, folded, and never left behind."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from roofwatch.session.child import Child, Gone
from roofwatch.session.events import AnyEvent, Note
from roofwatch.session.fold import Session
from roofwatch.session.kept_file import SessionFile

FIRST_SAMPLE_S = 5.0  # NVML's first call takes seconds with persistence mode off
LAST_SAMPLE_S = 0.15  # one more sample closes the span's counters


class TelemetryChild:
    """The live session's telemetry without a session file; what it says is folded into one.

    The child is spawned and ended by a thread that does nothing else. So whatever is raised in the
    caller's thread, even a second Ctrl-C while the first is answered, its end is only ever one
    event away; and the thread that spawned it outlives it, as the parent-death signal asks.
    """

    def __init__(self, arguments: list[str], session: Session, t0_ns: int) -> None:
        self._arguments = arguments
        self._session = session
        self._t0_ns = t0_ns
        self._inbox: queue.SimpleQueue[AnyEvent | Gone] = queue.SimpleQueue()
        self._ended = threading.Event()
        self._gone = False
        self._thread = threading.Thread(target=self._keep, name="telemetry-keeper")

    def start(self) -> None:
        """Spawn it; call ``end`` whatever follows."""
        self._thread.start()

    def end(self) -> None:
        """End it and wait until it has; once more is harmless."""
        self._ended.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._fold(0.0)

    def first_sample(self) -> None:
        """Wait until a sample is there, the instrument is gone, or patience is at its end."""
        self._until(lambda: bool(self._session.samples), FIRST_SAMPLE_S)

    def sample_after(self, t: float) -> None:
        """Wait a tick or two for a sample of second ``t`` of the session or later."""
        samples = self._session.samples
        self._until(lambda: bool(samples) and samples[-1].t >= t, LAST_SAMPLE_S)

    def _until(self, done: Callable[[], bool], patience_s: float) -> None:
        end_s = time.monotonic() + patience_s
        self._fold(0.0)
        while not (done() or self._gone):
            left_s = end_s - time.monotonic()
            if left_s <= 0:
                return
            self._fold(left_s)

    def _fold(self, wait_s: float) -> None:
        """Fold what has come; wait for the first of it."""
        try:
            item = self._inbox.get(timeout=wait_s) if wait_s else self._inbox.get_nowait()
            while True:
                if isinstance(item, Gone):
                    self._gone = True
                else:
                    self._session.add(item)
                item = self._inbox.get_nowait()
        except queue.Empty:
            pass

    def _keep(self) -> None:
        """The thread: spawn the child, wait for the word, end it."""
        try:
            if not os.access(sys.executable or "", os.X_OK):
                raise OSError("this program knows no Python to start")
            file = SessionFile(Path(os.devnull), None)
            child = Child("telemetry", self._arguments, self._t0_ns, file, self._inbox)
        except OSError as error:
            now = (time.monotonic_ns() - self._t0_ns) / 1e9
            self._inbox.put(Note(t=now, text=f"telemetry cannot be started: {error}"))
            self._gone = True
            return
        self._ended.wait()
        child.end()
        file.close()
