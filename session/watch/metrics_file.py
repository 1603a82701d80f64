"""A text file that others read at any moment: written beside its place, then put there whole."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

PERIOD_S = 1.0
MODE = 0o644  # a collector runs as another user


class MetricsRefused(ValueError):
    """The file cannot be written there; one line that names it."""


class MetricsFile:
    """``write`` replaces the file; what goes wrong later is ``problem``, said once, and no error.

    Raises:
        MetricsRefused: its folder is not there or not writable, or something else stands there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.problem: str | None = None
        self._due_s = 0.0
        with contextlib.suppress(FileNotFoundError):
            if not stat.S_ISREG(os.lstat(path).st_mode):
                raise MetricsRefused(f"{path}: is no file")
        if not os.access(path.parent, os.W_OK | os.X_OK):
            there = "cannot be written" if path.parent.is_dir() else "there is no such folder"
            raise MetricsRefused(f"{path.parent}: {there}")

    def due(self, now_s: float) -> bool:
        """Whether it is time to write again, by a clock that rises."""
        if now_s < self._due_s:
            return False
        self._due_s = now_s + PERIOD_S
        return True

    def write(self, text: str) -> None:
        """Put ``text`` in the place of what was there."""
        beside = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with contextlib.suppress(FileNotFoundError):
                beside.unlink()
            with os.fdopen(os.open(beside, flags, MODE), "w", encoding="utf-8") as file:
                file.write(text)
            os.replace(beside, self.path)
        except OSError as error:
            self.problem = self.problem or f"{self.path}: {error.strerror}; metrics are not written"
            with contextlib.suppress(OSError):
                beside.unlink()
