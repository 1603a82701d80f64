"""An instrument for a worker to write to, which keeps all of it."""

from __future__ import annotations

from typing import Any

import pytest

from roofwatch.session.events import AnyEvent, Measurement, decode, encode


class Heard:
    """An instrument that keeps what it is told to write."""

    gpu: int | None = None  # the session's own card

    def __init__(self) -> None:
        self.events: list[AnyEvent] = []

    def now(self) -> float:
        return 1.0

    def at(self, monotonic_s: float) -> float:
        return monotonic_s

    def write(self, event: AnyEvent) -> None:
        assert decode(encode(event)) == event
        self.events.append(event)

    def say(self, state: str, probe: str | None = None, progress: float | None = None) -> None:
        pass

    def of(self, kind: type[Any]) -> list[Any]:
        return [e for e in self.events if isinstance(e, kind)]

    @property
    def measured(self) -> list[str]:
        return [m.probe for m in self.of(Measurement)]


@pytest.fixture
def instrument() -> Heard:
    """One that has heard nothing yet."""
    return Heard()
