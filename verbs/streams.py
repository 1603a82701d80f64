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
    """Neither a name in a script that the terminal has not nor a reader who leaves ends a run.

    The one is written as ``?``, what the other no longer reads goes nowhere.
    """
    out = sys.stdout
    if out is sys.__stdout__ and isinstance(out, io.TextIOWrapper):  # the process's own
        from roofwatch.tui.printed.patient_stream import patient

        with contextlib.suppress(OSError, ValueError):
            out.flush()
            at_once = isinstance(out.buffer, io.RawIOBase)  # python -u
            sys.stdout = patient(
                out.fileno(), out.encoding, lines=out.line_buffering, at_once=at_once
            )
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
    """Write on stdout. What fails ends the process with one line and exit code 1."""
    try:
        write()
        sys.stdout.flush()
    except OSError as error:
        not_written(error, prog)


def not_written(error: OSError, prog: str) -> NoReturn:
    """One line, and the end: what could not be written must not be flushed again."""
    with contextlib.suppress(OSError):
        tell(f"{prog}: {error}")
    os._exit(INTERNAL)
