"""What stands on the terminal while the screen is still being loaded: its name and two keys.

Textual takes a fifth of a second to import, more on a slow host. Nothing of it is needed to show
that the program is there; the screen's own first frame goes over all of it.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import TextIO

from roofwatch.tui.screen.foreground import come_to_front

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[2J", "\x1b[?25h\x1b[?1049l"
TITLE, DIM, PLAIN = "\x1b[1m", "\x1b[2m", "\x1b[m"  # weight alone: NO_COLOR holds here too
KEYS = " q quit  ? help"
LOADING = "the screen is loading"


def frame(columns: int, rows: int) -> str:
    """The sequences that draw it."""
    out = f"{ENTER}\x1b[H{TITLE}{' roofwatch'[:columns]}{PLAIN}"
    if columns > len(LOADING) + 12:
        out += f"{DIM}  {LOADING}{PLAIN}"
    return f"{out}\x1b[{rows};1H{DIM}{KEYS[:columns]}{PLAIN}"


@contextlib.contextmanager
def first_frame(stream: TextIO) -> Iterator[None]:
    """Show it while the block loads; a block that fails leaves the terminal as it was."""
    try:
        _draw(stream)
    except OSError:
        yield
        return
    try:
        with _away_while_stopped(stream):
            yield
    except BaseException:
        _write(stream, LEAVE)
        raise


@contextlib.contextmanager
def _away_while_stopped(stream: TextIO) -> Iterator[None]:
    """Ctrl-Z gives the usual screen back, fg shows the frame again. Main thread only."""

    def stop(*_: object) -> None:
        _write(stream, LEAVE)
        os.kill(os.getpid(), signal.SIGSTOP)
        come_to_front(stream.fileno())
        with contextlib.suppress(OSError):
            _draw(stream)

    before = signal.signal(signal.SIGTSTP, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, before)


def _draw(stream: TextIO) -> None:
    size = os.get_terminal_size(stream.fileno())
    _write(stream, frame(size.columns, size.lines))


def _write(stream: TextIO, text: str) -> None:
    with contextlib.suppress(OSError):
        stream.write(text)
        stream.flush()
