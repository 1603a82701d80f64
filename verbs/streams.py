"""What stdout and stderr may do to a command: take no such character, be full, be gone."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from roofwatch.verbs.parser import INTERNAL, tell


def forgiving() -> None:
    """A name in a script that the terminal has not must not end a run: it is written as ``?``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")


def flushed(code: int) -> int:
    """The exit code, once everything is written; where nobody is there any more, at once with it.

    The interpreter's own end would complain of what it cannot write, and change the code.
    """
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
    except (OSError, ValueError):
        os._exit(code)
    return code


def at_once(code: int) -> NoReturn:
    """End the process, whatever its threads still wait for."""
    flushed(code)
    os._exit(code)


def written(write: Callable[[], None], prog: str) -> None:
    """Write on stdout. A reader who has left costs nothing; what else fails ends the process.

    That is one line and exit code 1, whatever else there was to say.
    """
    try:
        write()
        sys.stdout.flush()
    except BrokenPipeError:
        unheard()
    except OSError as error:
        not_written(error, prog)


def unheard() -> None:
    """The reader of stdout has left: what is in its buffer goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def not_written(error: OSError, prog: str) -> NoReturn:
    """One line, and the end: what could not be written must not be flushed again."""
    with contextlib.suppress(OSError):
        tell(f"{prog}: {error}")
    os._exit(INTERNAL)
