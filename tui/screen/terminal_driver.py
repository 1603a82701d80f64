"""Textual's driver, where it must go on although the event loop is held up, or was only stopped."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import TYPE_CHECKING, Any, cast

from textual.drivers.linux_driver import LinuxDriver
from textual.events import Key
from textual.message import Message

if TYPE_CHECKING:
    from roofwatch.tui.screen.app import RoofwatchApp


class TerminalDriver(LinuxDriver):
    """Says which keys come, before the event loop hears of them."""

    def process_message(self, message: Message) -> None:
        """In the thread that reads keys."""
        if isinstance(message, Key):
            cast("RoofwatchApp", self._app).typed(message.key)
        super().process_message(message)

    def _get_terminal_size(self) -> tuple[int, int]:
        """As the terminal tells it: a shell may have exported COLUMNS and LINES of another day."""
        with contextlib.suppress(OSError):
            size = os.get_terminal_size(self.fileno)
            if size.columns and size.lines:
                return size.columns, size.lines
        return super()._get_terminal_size()

    def _sigtstp_application(self, *_: Any) -> None:
        """Give the terminal back, where it has been taken, and stop."""
        if self._writer_thread is None:
            os.kill(os.getpid(), signal.SIGSTOP)
        else:
            super()._sigtstp_application()

    def _sigcont_application(self, *_: Any) -> None:
        """Take the terminal again, unless it was never given back (SIGSTOP)."""
        if self._must_signal_resume:
            super()._sigcont_application()
        else:
            cast("RoofwatchApp", self._app).redraw_later()
