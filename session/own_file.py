"""A person's own files: where they lie, and their text."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping
from pathlib import Path

LIMIT_BYTES = 4 << 20  # nobody's file is longer; a device file is endless
OPENED = re.compile(r"/dev/(stdin|fd/\d+)|/proc/[^/]+/fd/\d+")


def own_file(environ: Mapping[str, str], name: str) -> Path | None:
    """Where ``name`` lies in the user's configuration of roofwatch, if it is there.

    A relative XDG_CONFIG_HOME is ignored, as the XDG base directory specification asks.
    """
    base = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not base.is_absolute():
        home = environ.get("HOME")
        if not home:
            return None
        base = Path(home) / ".config"
    path = base / "roofwatch" / name
    # lexists: a dangling link or a directory of that name is a mistake to report.
    return path if os.path.lexists(path) else None


def refuse_pipe(path: Path) -> None:
    """Refuse what may wait for ever: a named pipe for its writer, a terminal for its keys.

    What the shell has opened itself ("<(...)", a pipe at /dev/stdin) is read: it has a writer.

    Raises:
        OSError: it is one.
    """
    if path.is_fifo() and not OPENED.fullmatch(os.path.abspath(path)):
        raise OSError(errno.EINVAL, "is a pipe, not a file")
    if path.is_char_device() and os.path.realpath(path) != os.devnull:
        raise OSError(errno.EINVAL, "is a device, not a file")


def text_of(path: Path) -> str:
    """The text of a file, at most 4 MiB of UTF-8.

    Raises:
        ValueError: it cannot be read; the message is the reason, without the file's name.
    """
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            data = file.read(LIMIT_BYTES + 1)
        if len(data) > LIMIT_BYTES:
            raise ValueError(f"more than {LIMIT_BYTES >> 20} MiB")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8 text (byte {error.start})") from None
    except OSError as error:
        raise ValueError(error.strerror or str(error)) from None
