"""The writing end of a session file: append only, flushed per event, bounded, one writer."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import stat
import threading
from pathlib import Path

from roofwatch.session.events import AnyEvent, Beat, Sample, Series, encode
from roofwatch.session.file import SaveRefused, UnreadableSession, sessions_folder

MODE = 0o600
MOST_BYTES = 1 << 30  # then telemetry and launches are no longer kept, all else is
TAIL_BYTES = 1 << 20
FLAGS = os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
"""No link is followed; a pipe that nobody reads is refused, not waited for."""


class SessionFile:
    """The writing end, safe from several threads. What goes wrong is said once; measuring goes on.

    ``descriptor`` None: it could not be opened, and ``problem`` says why.
    """

    def __init__(
        self, path: Path, descriptor: int | None, size_bytes: int = 0, problem: str | None = None
    ) -> None:
        self.path = path
        self.problem = problem
        self.size_bytes = size_bytes
        self._descriptor = descriptor
        self._full = False
        self._held: list[memoryview] | None = None
        self._lock = threading.Lock()

    def write(self, event: AnyEvent) -> None:
        """Append one event; beats are signs of life and are not kept."""
        if isinstance(event, Beat) or (self._full and isinstance(event, (Sample, Series))):
            return
        self.append(encode(event))

    def append(self, encoded: bytes) -> None:
        """Append one line of whatever the file holds, its end included."""
        line = memoryview(encoded)
        with self._lock:
            if self._held is not None:
                self._held.append(line)
                return
            self._put(line)

    def _put(self, line: memoryview) -> None:
        if self._descriptor is None or (self.problem and not self._full):
            return
        try:
            while line:
                count = os.write(self._descriptor, line)
                self.size_bytes += count
                line = line[count:]
        except OSError as error:
            self._full = False
            self.problem = f"{self.path}: {error.strerror}; the session is no longer saved"
            return
        if self.size_bytes > MOST_BYTES and not self._full:
            self._full = True
            what = "telemetry and launches are no longer saved, all else is"
            self.problem = f"{self.path}: {MOST_BYTES >> 30} GiB are full; {what}"

    @property
    def held(self) -> bool:
        """Whether what is written waits to be released."""
        return self._held is not None

    def hold(self) -> None:
        """Keep what is written in memory, until it is known whether it belongs to the session."""
        self._held = []

    def release(self) -> None:
        """It does: write it, and all that comes. A torn last line is cut off first."""
        with self._lock:
            waiting, self._held = self._held or [], None
            self._cut_torn_line()
            for line in waiting:
                self._put(line)

    def _cut_torn_line(self) -> None:
        if self._descriptor is None:
            return
        size_bytes = os.fstat(self._descriptor).st_size
        begin = max(0, size_bytes - TAIL_BYTES)
        tail = os.pread(self._descriptor, TAIL_BYTES, begin)
        whole = tail.rfind(b"\n") + 1
        if whole < len(tail):
            os.ftruncate(self._descriptor, begin + whole)
        self.size_bytes = begin + whole

    def look(self) -> None:
        """See whether the file is still where it was, and as long: someone may have moved it."""
        with self._lock:  # the other threads write
            if self._descriptor is None or self.problem or self._held is not None:
                return
            ours = os.fstat(self._descriptor)
            try:
                there = os.stat(self.path)
            except OSError:
                there = None
            if there is None or (ours.st_ino, ours.st_dev) != (there.st_ino, there.st_dev):
                self.problem = f"{self.path}: was deleted or moved while it was written"
            elif stat.S_ISREG(ours.st_mode) and ours.st_size < self.size_bytes:
                self.problem = f"{self.path}: was cut short by someone while it was written"

    def rename(self, path: Path) -> None:
        """Give the open file its final name, if that name is free."""
        if self._descriptor is None or os.path.lexists(path):
            return
        try:
            os.rename(self.path, path)
        except OSError:
            return  # the first name is as good
        self.path = path

    def discard(self) -> None:
        """Take the file away, before it is closed: nothing was measured."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.path)

    def close(self) -> None:
        """Close the file; writing afterwards is refused silently."""
        with self._lock:
            if self._descriptor is not None:
                os.close(self._descriptor)
                self._descriptor = None


def create(
    path: Path | None, stamp: str, session_id: str, folder: Path | None = None
) -> SessionFile:
    """Open ``path`` (or a new file in ``folder``, the sessions') for appending, mode 0600.

    The folder may be read-only or full: then nothing is kept, and ``problem`` says so.

    Raises:
        SaveRefused: ``path`` has content, is a link, or cannot be written.
    """
    target = path or (folder or sessions_folder()) / f"{stamp}-{session_id}.jsonl"
    try:
        if path is None:
            for folder in (*reversed(target.parent.parents), target.parent):
                folder.mkdir(exist_ok=True, mode=0o700)  # parents=True would leave them to umask
        descriptor = os.open(target, FLAGS, MODE)
    except OSError as error:
        if path is None:
            what = f"{target.parent}: {error.strerror}; the session is not saved"
            return SessionFile(target, None, problem=what)
        raise SaveRefused(f"{target}: {error.strerror}") from None
    why = _why_not(descriptor)
    if why is None and os.fstat(descriptor).st_size:
        why = "has content already; a session is never written over it"
    if why is not None:
        os.close(descriptor)
        raise SaveRefused(f"{target}: {why}")
    return SessionFile(target, descriptor)


def reopen(path: Path) -> SessionFile:
    """Open a session file to go on with it. Nothing is written before ``release``.

    Raises:
        UnreadableSession: it cannot be opened or written, or is being written.
    """
    try:
        descriptor = os.open(path, FLAGS & ~os.O_CREAT)
    except OSError as error:
        raise UnreadableSession(f"{path}: {error.strerror}") from None
    why = _why_not(descriptor)
    if why is None and not stat.S_ISREG(os.fstat(descriptor).st_mode):
        why = "is no file"
    if why is not None:
        os.close(descriptor)
        raise UnreadableSession(f"{path}: {why}")
    file = SessionFile(path, descriptor, os.fstat(descriptor).st_size)
    file.hold()
    return file


def _why_not(descriptor: int) -> str | None:
    """Why an open file cannot be a session's; a file it is from now on ours alone."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISFIFO(mode):
        return "a pipe keeps nothing"
    if not stat.S_ISREG(mode):
        return None  # /dev/null: who asks for it gets it
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno == errno.EWOULDBLOCK:
            return "is being written by another roofwatch"
        # a file system without locks: nothing is known
    return None
