"""The loop: one sample a tick on absolute deadlines, so that it neither drifts nor bunches."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from typing import Protocol

from roofwatch.session.events import Device, Note, Sample, SessionInfo, Software
from roofwatch.session.health import CardHealth
from roofwatch.session.instrument import Instrument

NS = 1_000_000_000


class Source(Protocol):
    """What can be sampled: a card, or the host."""

    @property
    def source(self) -> str:
        """``nvml`` or ``host``."""

    @property
    def device(self) -> Device:
        """Who is measured."""

    @property
    def software(self) -> Software | None:
        """The driver, where there is one."""

    @property
    def notes(self) -> list[str]:
        """What a person should know of this source, one line each."""

    @property
    def neighbours(self) -> Sequence[Device]:
        """The host's other cards, where they are watched too."""

    def beside(self, t: float) -> Sequence[Sample | Note]:
        """Readings of those that are due at ``t``, or why one will have none any more."""

    def sample(self, t: float, *, slow: bool) -> Sample:
        """One reading at ``t`` seconds of the session; ``slow`` with what is read at 1 Hz."""

    def health(self, asked: str) -> CardHealth | None:
        """The card's condition now; None where there is no card. ``asked`` is repeated in it."""


class Ticks:
    """Deadlines at start + k × period, in monotonic nanoseconds; the first is start itself."""

    def __init__(self, start_ns: int, hz: float) -> None:
        self._start_ns = start_ns
        self._period_ns = max(1, round(NS / hz))
        self._tick = 0

    def next(self, now_ns: int) -> int:
        """The next deadline that still lies ahead; those that were missed are skipped."""
        reached = (now_ns - self._start_ns) // self._period_ns
        self._tick = max(self._tick, reached) + 1
        return self._start_ns + self._tick * self._period_ns


def introduce(source: Source, instrument: Instrument, hz: float) -> None:
    """Write who is measured, and what a person should know of it."""
    instrument.write(
        SessionInfo(
            t=instrument.now(),
            instrument=instrument.name,
            source=source.source,
            hz=hz,
            software=source.software,
            device=source.device,
            neighbours=list(source.neighbours),
        )
    )
    for text in source.notes:
        instrument.write(Note(t=instrument.now(), text=text))


def look(source: Source, instrument: Instrument, asked: str) -> None:
    """Write the card's condition, where there is one."""
    health = source.health(asked)
    if health is not None:
        instrument.write(SessionInfo(t=instrument.now(), instrument=instrument.name, health=health))


def run(
    source: Source,
    instrument: Instrument,
    hz: float,
    seconds: float | None,
    stop: threading.Event,
) -> None:
    """Write samples until ``stop`` is set or ``seconds`` are over."""
    start_ns = time.monotonic_ns()
    end_ns = None if seconds is None else start_ns + round(seconds * NS)
    ticks = Ticks(start_ns, hz)
    # Due half a tick early, or a late wake-up would move it a tick further every second. The
    # first sample goes out without the slow part, so that the screen is alive at once.
    half_ns = round(NS / hz / 2)
    slow_ns = start_ns + half_ns
    while not stop.is_set():
        began_ns = time.monotonic_ns()
        slow = began_ns >= slow_ns
        if slow:
            slow_ns = began_ns + NS - half_ns
        instrument.write(source.sample(instrument.now(), slow=slow))
        for other in source.beside(instrument.now()):
            instrument.write(other)
        now_ns = time.monotonic_ns()
        deadline_ns = ticks.next(now_ns)
        if end_ns is not None and deadline_ns > end_ns:
            return
        stop.wait((deadline_ns - now_ns) / NS)
