"""Leaving on a signal, in order: a terminal that is gone must not keep the process."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable

WATCHDOG_S = 1.5


def leave_on_signals(leave: Callable[[int], None]) -> None:
    """SIGTERM, SIGHUP and SIGINT call ``leave`` with the exit code, and have the last word."""
    loop = asyncio.get_running_loop()

    def end(number: int) -> None:
        watchdog = threading.Timer(WATCHDOG_S, os._exit, (128 + number,))
        watchdog.daemon = True
        watchdog.start()
        leave(128 + number)

    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        loop.add_signal_handler(number, end, number)
