"""A saved session behind the same face as a live one: at once, or in its own time."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from roofwatch.session.events import AnyEvent
from roofwatch.session.file import UnreadableSession, events, last_moment
from roofwatch.session.fold import Session, fold

SLICE_S = 0.05  # of folding in one poll: keys stay quick
LOOK = 64  # events between two looks at the clock


class Replay:
    """A session file, folded: the whole at once, or at a ``speed`` as often as somebody polls.

    With a speed (1.0 is the session's own) the file is read as time passes, and ``session`` is
    closed when its end is reached. Without one everything is folded here; set to None later,
    everything that is left is folded by the next polls, a slice each.

    Raises:
        UnreadableSession: naming file, row and field; with a speed only of the first event, what
            is met later ends the replay and is its ``problem``.
    """

    def __init__(
        self,
        path: Path,
        speed: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.path = path
        self.problem: str | None = None  # one line, of the row that could not be read
        self.at_s = 0.0  # what time it is in the session
        self.done = False
        self._speed = speed
        self._paused = False
        self._clock = clock
        self._looked_s: float | None = None
        if speed is None:
            self.session: Session = fold(events(path))
            self.length_s = 0.0
            self._end()
            return
        self.session = Session()
        self._events = events(path)
        self._next: AnyEvent | None = next(self._events)  # a file without any is refused
        self.length_s = max(self._next.t, last_moment(path))

    @property
    def speed(self) -> float | None:
        """Seconds of the session in one of ours, from the last poll on; None: at once."""
        return self._speed

    @speed.setter
    def speed(self, speed: float | None) -> None:
        self._speed, self._looked_s = speed, self._clock()

    @property
    def paused(self) -> bool:
        """Whether time stands still, where the last poll left it."""
        return self._paused

    @paused.setter
    def paused(self, paused: bool) -> None:
        self._paused, self._looked_s = paused, self._clock()

    def poll(self) -> list[AnyEvent]:
        """Fold what has become due since the last call; returns it."""
        if self.done:
            return []
        before_s = self.at_s
        self._pass()
        if self._paused:
            return []
        if self._speed is None:
            self.at_s = self.length_s
        begun_s = self._clock()
        released: list[AnyEvent] = []
        while self._next is not None and self._due(self._next):
            self.session.add(self._next)
            released.append(self._next)
            self._next = self._read()
            if len(released) % LOOK == 0 and self._clock() - begun_s > SLICE_S:
                # As fast as we can: time has come no further than what is folded.
                self.at_s = max(before_s, min(self.at_s, self.session.duration_s))
                break
        if self._next is None:
            self._end()
            self.session.revision += 1  # what was running has ended: nothing drawn is true any more
        return released

    def _pass(self) -> None:
        """Let the session's time go on by what passed of ours, from the first poll on."""
        now_s = self._clock()
        if self._looked_s is not None and self._speed is not None and not self._paused:
            passed_s = (now_s - self._looked_s) * self._speed
            self.at_s = min(self.length_s, self.at_s + passed_s)
        self._looked_s = now_s

    def _due(self, event: AnyEvent) -> bool:
        """At the end all is due, whatever moment a damaged row names."""
        return event.t <= self.at_s or self.at_s >= self.length_s

    def _read(self) -> AnyEvent | None:
        try:
            return next(self._events, None)
        except UnreadableSession as error:
            self.problem = str(error)
            return None

    def _end(self) -> None:
        self.done = self.session.closed = True
        self.length_s = max(self.length_s, self.session.duration_s)
        self.at_s = max(self.at_s, self.session.duration_s)
