"""The saved sessions of some folders, newest first, read a little at a time."""

from __future__ import annotations

import contextlib
import math
import os
import stat
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from roofwatch.session.began import began_s
from roofwatch.session.entry import Entry, entry_of
from roofwatch.session.file import SaveRefused, sessions_folder

NOW = "now"
LEAST_BUDGET_S = 0.001
LOOK_S = 2.0  # how often ``advance`` looks which files there are
WRITTEN_S = 10.0  # a live session writes ten times a second


class _Known(NamedTuple):
    """A file as it stood when it was read, or found."""

    size_bytes: int
    mtime_ns: int
    entry: Entry


class Listing:
    """Saved sessions. ``refresh`` looks which files there are, ``advance`` does so and reads them.

    ``now`` is the file of the session on show, if any; it may be written while we look. ``folders``
    are by default our own and that file's. Of the first every ``.jsonl`` stands on the list, of the
    others only what is a session. With ``fleets`` their files are on it too, by default also those
    of their own folder. ``revision`` rises with every change.
    """

    def __init__(
        self,
        now: Path | None = None,
        folders: Iterable[Path] | None = None,
        fleets: bool = False,
    ) -> None:
        if folders is None:
            own = _own_folder()
            beside = [folder.parent / "fleets" for folder in own if fleets]
            folders = [*own, *beside, *([now.parent] if now is not None else [])]
        self._fleets = fleets
        self.folders = tuple(dict.fromkeys(Path(os.path.abspath(f)) for f in folders))
        self.now = now
        self.revision = 0
        self.problem: str | None = None  # of a folder that cannot be listed
        self.entries: tuple[Entry, ...] = ()
        self._known: dict[Path, _Known] = {}
        self._unread: dict[Path, os.stat_result] = {}
        self._reading: tuple[Path, os.stat_result, Iterator[Entry | None]] | None = None
        self._looked_s = -math.inf

    def refresh(self) -> None:
        """See which files there are; those that are new or have grown are read by ``advance``."""
        self._looked_s = time.monotonic()
        before, self.problem = self.problem, None
        there: dict[Path, os.stat_result] = {}
        for folder in self.folders:
            there |= self._files(folder)
        for path in self._known.keys() - there.keys():
            del self._known[path]
            self.revision += 1
        self._unread.clear()
        for path, told in there.items():
            known = self._known.get(path)
            if known is None:
                blank = Entry(path=path, size_bytes=told.st_size, mtime_s=told.st_mtime)
                self._known[path] = _Known(-1, -1, blank)
                self.revision += 1
            if known is None or known[:2] != (told.st_size, told.st_mtime_ns):
                self._unread[path] = told
        if self._reading and self._reading[0] not in self._unread:
            self._reading = None
        if self.problem != before:
            self.revision += 1
        self._arrange()

    def advance(self, budget_s: float) -> bool:
        """Read on for about so many seconds, newest first; whether anything is left to read."""
        until = time.monotonic() + max(budget_s, LEAST_BUDGET_S)
        if until - self._looked_s > LOOK_S:
            self.refresh()
        before = self.revision
        while time.monotonic() < until and self._step():
            pass
        if self.revision != before:
            self._arrange()
        return bool(self._unread)

    def entry(self, cursor: int) -> Entry | None:
        """The entry under a cursor, which stays on the list; None where the list is empty."""
        return self.entries[self.held(cursor)] if self.entries else None

    def held(self, cursor: int) -> int:
        """A cursor that counts entries, held on the list."""
        return max(0, min(cursor, len(self.entries) - 1))

    def find(self, path: Path | None) -> Entry | None:
        """The entry of a file."""
        known = self._known.get(path) if path is not None else None
        return known.entry if known else None

    def shows(self, entry: Entry) -> bool:
        """Whether it is the session on show."""
        return self.now is not None and os.path.abspath(self.now) == str(entry.path)

    def state(self, entry: Entry) -> str:
        """``now`` while the session on show is being written, else what became of it."""
        written = time.time() - entry.mtime_s < WRITTEN_S
        return NOW if written and self.shows(entry) else entry.state

    def _step(self) -> bool:
        """A part of one file; False when nothing is left to read."""
        if self._reading is None:
            if not self._unread:
                return False
            path = max(self._unread, key=self._newest)
            self._reading = path, self._unread[path], entry_of(path, self._fleets)
        path, told, parts = self._reading
        entry = next(parts, None)
        if entry is not None:
            self._known[path] = _Known(told.st_size, told.st_mtime_ns, entry)
            self._unread.pop(path, None)
            self._reading = None
            self.revision += 1
        return True

    def _newest(self, path: Path) -> tuple[float, str]:
        return self._unread[path].st_mtime, path.name

    def _arrange(self) -> None:
        found = [
            known.entry
            for path, known in self._known.items()
            if not known.entry.foreign or path.parent in self.folders[:1]
        ]
        self.entries = tuple(sorted(found, key=_when, reverse=True))

    def _files(self, folder: Path) -> dict[Path, os.stat_result]:
        """Regular files of that name: no links, and no pipe, which would be waited for."""
        found: dict[Path, os.stat_result] = {}
        try:
            with os.scandir(folder) as there:
                for one in there:
                    if not one.name.endswith(".jsonl"):
                        continue
                    with contextlib.suppress(FileNotFoundError):  # it went while we looked
                        told = one.stat(follow_symlinks=False)
                        if stat.S_ISREG(told.st_mode):
                            found[folder / one.name] = told
        except FileNotFoundError:
            pass  # nothing was kept yet
        except OSError as error:
            self.problem = self.problem or f"{folder}: {error.strerror}"
        return found


def _own_folder() -> list[Path]:
    """Where sessions are kept by default; without a home folder nowhere."""
    try:
        return [sessions_folder()]
    except SaveRefused:
        return []


def _when(entry: Entry) -> tuple[float, str]:
    """When a session began, as it says; else, and before that is read, when it was last written."""
    return age(entry, entry.started_at)


def age(entry: Entry, started_at: str | None) -> tuple[float, str]:
    """By what saved sessions are newer and older: ``last~1`` and the log go by the same."""
    began = began_s(started_at)
    return began if began is not None else entry.mtime_s, entry.path.name
