"""A job that a shell runs in the background waits for the terminal, as an editor does."""

from __future__ import annotations

import contextlib
import os
import signal


def behind(fd: int) -> bool:
    """The shell, or another job of it, has this terminal."""
    try:
        return os.tcgetpgrp(fd) != os.getpgrp()
    except OSError:  # no terminal of our session's
        return False


def come_to_front(fd: int) -> None:
    """Stop until the shell says ``fg``; at once where it has the terminal, or no shell could.

    The stop is that of a write to the terminal (SIGTTOU), of the whole job. The kernel passes over
    it in a group that no shell looks after: such a one goes on.
    """
    with contextlib.suppress(ValueError):  # not the main thread
        before = signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        try:
            while behind(fd) and _stopped():  # a `bg` continues it, behind still
                pass
        finally:
            signal.signal(signal.SIGTTOU, before)


def _stopped() -> bool:
    """Stop the job; whether it was stopped and continued."""
    continued: list[int] = []
    before = signal.signal(signal.SIGCONT, lambda number, _: continued.append(number))
    try:
        os.killpg(0, signal.SIGTTOU)
    finally:
        signal.signal(signal.SIGCONT, before)
    return bool(continued)
