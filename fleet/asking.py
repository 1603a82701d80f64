"""Every question to the store goes through one thread, so that a store which stands still holds
up that thread alone.

torch's ``add``, ``set`` and ``compare_set`` block without limit, and in C++, where Python's signal
handlers do not run. So the main thread waits for the answer, with a limit, and hears signals.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from typing import Any

from roofwatch.fleet.not_met import MeetingLost

LOOK_S = 0.2  # between two looks whether a signal has come
ENDING_S = 5.0  # for an answer, once one has


class Question:
    """A call, and what came of it."""

    def __init__(self, call: Callable[[], Any]) -> None:
        self._call = call
        self.answered = threading.Event()
        self._answer: Any = None
        self._error: BaseException | None = None

    def ask(self) -> None:
        """In the thread that may stand still."""
        try:
            self._answer = self._call()
        except BaseException as error:
            self._error = error
        self.answered.set()

    def answer(self) -> Any:
        """What the call gave, or raised."""
        if self._error is not None:
            raise self._error
        return self._answer


class Asking:
    """The thread; one question at a time, in the order in which they come.

    ``limit_s`` is for one answer; past it, ``hangs`` is true and nothing is asked any more.
    """

    def __init__(self, limit_s: float, stopped: Callable[[], bool]) -> None:
        self._limit_s = limit_s
        self._stopped = stopped
        self.hangs = False
        self._questions: queue.SimpleQueue[Question] = queue.SimpleQueue()
        threading.Thread(target=self._run, name="ask", daemon=True).start()

    def _run(self) -> None:
        while True:
            self._questions.get().ask()

    def ask(self, call: Callable[[], Any]) -> Any:
        """What the call gives.

        Raises:
            MeetingLost: no answer in time, now or earlier.
        """
        if self.hangs:
            raise self._lost()
        question = Question(call)
        self._questions.put(question)
        began_s, stopped_s = time.monotonic(), None
        while not question.answered.wait(LOOK_S):
            now_s = time.monotonic()
            if stopped_s is None and self._stopped():
                stopped_s = now_s
            ending = stopped_s is not None and now_s - stopped_s > ENDING_S
            if ending or now_s - began_s > self._limit_s:
                self.hangs = True
                raise self._lost()
        return question.answer()

    def _lost(self) -> MeetingLost:
        return MeetingLost("the store does not answer: who holds it stands still", hangs=True)


class Asked:
    """torch's store, or a part of it, asked through the thread."""

    def __init__(self, store: Any, asking: Asking) -> None:
        self._store = store
        self._asking = asking

    def add(self, key: str, by: int) -> int:
        """A counter's new value."""
        return int(self._asking.ask(lambda: self._store.add(key, by)))

    def get(self, key: str) -> bytes:
        """A value; waits for one that is not there."""
        return bytes(self._asking.ask(lambda: self._store.get(key)))

    def set(self, key: str, value: str | bytes) -> None:
        """Keep a value."""
        self._asking.ask(lambda: self._store.set(key, value))

    def compare_set(self, key: str, expected: str, value: str) -> bytes | str:
        """Keep a value in place of the expected one; what stands there then."""
        stands: bytes | str = self._asking.ask(
            lambda: self._store.compare_set(key, expected, value)
        )
        return stands

    def delete_key(self, key: str) -> None:
        """Forget a value."""
        self._asking.ask(lambda: self._store.delete_key(key))
