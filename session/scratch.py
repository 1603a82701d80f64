"""A folder for what an instrument's compilers write, which goes with it, or at the next start.

An instrument that is killed cannot take its own folder away.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
from pathlib import Path

_OURS = re.compile(r"roofwatch-(\d+)-\w+")


def new_scratch() -> Path | None:
    """A new folder of this process, mode 0700; None where there can be none."""
    _sweep(Path(tempfile.gettempdir()))
    try:
        return Path(tempfile.mkdtemp(prefix=f"roofwatch-{os.getpid()}-"))
    except OSError:
        return None


def remove(folder: Path | None) -> None:
    """Take it away, with all that is in it."""
    if folder is not None:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(parent: Path) -> None:
    """Take away folders of our user whose process is no more (it was killed)."""
    with contextlib.suppress(OSError):
        for entry in os.scandir(parent):
            found = _OURS.fullmatch(entry.name)
            if found is None or _alive(int(found[1])):
                continue
            told = entry.stat(follow_symlinks=False)
            if stat.S_ISDIR(told.st_mode) and told.st_uid == os.getuid():
                remove(Path(entry.path))


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's
        return True
    return True
