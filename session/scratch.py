"""A folder for what an instrument's compilers write, which goes with it, or at the next start.

An instrument that is killed cannot take its own folder away. Whoever made it holds a lock in it:
where the lock is free nobody lives who needs the folder, in whatever namespace.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
from pathlib import Path

PREFIX, LOCK = "roofwatch-scratch-", "held"
FLAGS = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC


class Scratch:
    """A new folder, mode 0700; ``path`` is None where there can be none."""

    def __init__(self) -> None:
        self.path: Path | None = None
        self._lock: int | None = None
        with contextlib.suppress(OSError):
            _sweep(Path(tempfile.gettempdir()))
            path = Path(tempfile.mkdtemp(prefix=PREFIX))
            self._lock = os.open(path / LOCK, FLAGS | os.O_CREAT | os.O_EXCL, 0o600)
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.path = path

    def remove(self) -> None:
        """Take it away, with all that is in it."""
        if self.path is not None:
            shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
        self.path = self._lock = None


def _sweep(parent: Path) -> None:
    """Take away folders of our user whose lock nobody holds (their owner was killed)."""
    for entry in os.scandir(parent):
        told = entry.stat(follow_symlinks=False)
        ours = stat.S_ISDIR(told.st_mode) and told.st_uid == os.getuid()
        if not ours or not entry.name.startswith(PREFIX):
            continue
        with contextlib.suppress(OSError):  # without a lock it is just being made
            lock = os.open(os.path.join(entry.path, LOCK), FLAGS)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(entry.path, ignore_errors=True)
            finally:
                os.close(lock)
