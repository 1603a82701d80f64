"""How the program is left: by a signal, by a key, or because its terminal is gone.

The event loop may be held up (a terminal that reads nothing), so nobody waits for it. Python's own
signal handler writes each signal's number to a pipe, from C and at any moment; one thread listens
there and to the terminals. It asks for an orderly end and, where none comes in time, ends the
process itself: the last word, the terminal as it was, the exit code.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType, TracebackType
from typing import Any

from roofwatch.tui.screen.terminal import LOST, Terminal

PATIENCE_S = 1.2  # for the event loop to end in order
CLOSE_S = 5.0  # for all of the end, the instruments' included
LAST_WORD_S = 0.4
LOOK_S = 1.0  # between two looks at a terminal, for hosts whose poll does not tell of its end

HEARD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
QUIT, CLOSING, PRESSED, ANSWERED, OVER = range(200, 205)  # on the pipe beside the signals' numbers

LastWord = Callable[[str], int]
"""Keeps why it ended, from any thread; returns the exit code of an end that no signal asked for."""


class Leaving:
    """In a ``with`` block the process ends on SIGINT, SIGTERM and SIGHUP with 128 + n, whatever.

    Until ``ask`` it ends at once. A signal that was ignored before stays so.
    """

    def __init__(self, last_word: LastWord | None = None, terminal: Terminal | None = None) -> None:
        self.number: int | None = None  # the signal that ends it; 0: a key
        self._last_word = last_word
        self._terminal = terminal
        self._leave: Callable[[int], object] | None = None
        self._loop: Callable[[Callable[[], Any]], Any] | None = None
        self._patience_s = 0.0
        self._began_at = 0.0
        self._deadline: float | None = None
        self._pressed_at: float | None = None
        self._before: list[tuple[int, Any]] = []

    def __enter__(self) -> Leaving:
        """Begin to hear. Main thread only."""
        self._heard, self._said = os.pipe()
        os.set_blocking(self._said, False)
        self._thread = threading.Thread(target=self._listen, name="leaving", daemon=True)
        self._thread.start()
        self._wakeup = signal.set_wakeup_fd(self._said, warn_on_full_buffer=False)
        for number in HEARD:
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before.append((number, signal.signal(number, _heard)))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Everything as it was before."""
        for number, handler in self._before:
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._wakeup)
        self._say(OVER)
        self._thread.join()
        os.close(self._said)
        os.close(self._heard)
        if self._terminal is not None:
            self._terminal.put_back()

    def ask(
        self,
        leave: Callable[[int], object],
        patience_s: float = CLOSE_S,
        loop: Callable[[Callable[[], Any]], Any] | None = None,
    ) -> None:
        """From now on ``leave`` is called with the exit code, from a thread, and has so long.

        ``loop`` has a function called by the event loop, from any thread.
        """
        self._patience_s, self._loop, self._leave = patience_s, loop, leave

    @property
    def why(self) -> str:
        """What ended it, as a session says it."""
        return signal.Signals(self.number).name if self.number else "quit"

    def covers(self) -> None:
        """From now on the usual screen of the terminal is hidden."""
        if self._terminal is not None:
            self._terminal.left = False

    def quitting(self) -> None:
        """A key has ended it: the same patience from now on."""
        self._say(QUIT)

    def closing(self) -> None:
        """The event loop has ended: what is left may take the rest of CLOSE_S."""
        self._say(CLOSING)

    def pressed(self) -> None:
        """A key that quits was typed; it must do so where the loop is held up by the terminal."""
        self._say(PRESSED)

    def _say(self, what: int) -> None:
        with contextlib.suppress(OSError):
            os.write(self._said, bytes([what]))

    # -- the thread --------------------------------------------------------------------------

    def _listen(self) -> None:
        signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())  # the main thread's, all
        poll = select.poll()
        poll.register(self._heard, select.POLLIN)
        for fd in self._terminal.fds if self._terminal else ():
            poll.register(fd, 0)
        while True:
            for fd, event in poll.poll(self._wait_ms()):
                if fd == self._heard:
                    for what in os.read(fd, 64):
                        if what == OVER:
                            return
                        self._hear(what)
                else:
                    poll.unregister(fd)
                    if event & LOST:
                        self._begin(signal.SIGHUP)
            if self._terminal is not None and self.number is None and self._terminal.gone():
                self._begin(signal.SIGHUP)
            self._be_strict(time.monotonic())

    def _wait_ms(self) -> int | None:
        now = time.monotonic()
        ends = [self._deadline] if self._deadline is not None else []
        if self._pressed_at is not None:
            ends.append(self._pressed_at + PATIENCE_S)
        if self._terminal is not None and self.number is None:
            ends.append(now + LOOK_S)
        return max(0, int((min(ends) - now) * 1e3) + 1) if ends else None

    def _hear(self, what: int) -> None:
        if what in HEARD:
            self._begin(what)
        elif what == QUIT:
            self._begin(0)
        elif what == PRESSED and self._loop is not None:
            self._pressed_at = time.monotonic()
            self._call(self._loop, lambda: self._say(ANSWERED))
        elif what == ANSWERED:
            self._pressed_at = None
        elif what == CLOSING:
            if self._terminal is not None:
                self._terminal.left = True
            self._began_at = self._began_at or time.monotonic()
            self._deadline = self._began_at + CLOSE_S
            self._leave = _nothing
            self.number = self.number or 0

    def _begin(self, number: int) -> None:
        """The first cause decides; 0 stands for a key."""
        if self.number is not None:
            return
        self.number = int(number)
        if self._leave is None:
            self._end()
        self._began_at = time.monotonic()
        self._deadline = self._began_at + self._patience_s
        if number:
            self._call(self._leave, 128 + number)

    def _be_strict(self, now: float) -> None:
        if self._deadline is not None and now >= self._deadline:
            self._end()
        if self._pressed_at is not None and now >= self._pressed_at + PATIENCE_S:
            self._pressed_at = None
            if self._terminal is not None and self._terminal.stalled():
                self.number = self.number or 0
                self._end()

    def _call(self, function: Callable[..., object] | None, *arguments: Any) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            if function is not None:
                function(*arguments)

    def _end(self) -> None:
        """Without the main thread; what may block does so in a thread that is not waited for."""
        found = [128 + self.number if self.number else 0]

        def speak() -> None:
            if self._last_word is not None:
                code = self._last_word(self.why)
                found[0] = found[0] or code

        for last in (speak, self._terminal.restore if self._terminal else _nothing):
            thread = threading.Thread(target=last, daemon=True)
            thread.start()
            thread.join(LAST_WORD_S)
        os._exit(found[0])


def _heard(number: int, frame: FrameType | None) -> None:
    """The number is on the pipe by now."""


def _nothing(*_: object) -> None:
    pass
