"""What a stream of events says of one card in particular, where a session is of several."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from roofwatch.session.events import (
    AnyEvent,
    Device,
    Expect,
    Fault,
    Measurement,
    Note,
    SessionInfo,
    Span,
)
from roofwatch.session.which_stands import standing

T = TypeVar("T", Note, Fault)


def of_card(event: T, **changed: Any) -> T:
    """A word about another card as one of the session's: of no probe of its own suite."""
    return msgspec.structs.replace(event, probe=None, **changed)


class CardEvents:
    """Spans, ranges and numbers of one card; ``device`` is what its own probes said of it."""

    def __init__(self) -> None:
        self.device = Device()
        self.spans: list[Span] = []
        self.expects: dict[tuple[int, str], Expect] = {}
        self.measurements: list[Measurement] = []

    def add(self, event: AnyEvent) -> None:
        """Take in the next event of this card; of a kind that says nothing here, nothing."""
        if isinstance(event, SessionInfo):
            self.device = event.device or self.device
        elif isinstance(event, Span):
            self.spans.append(event)
        elif isinstance(event, Expect):
            self.expects[event.run, event.probe] = event
        elif isinstance(event, Measurement):
            self.measurements.append(event)

    def measured(self, run: int) -> dict[str, Measurement]:
        """Of each probe the measurement that stands in one run."""
        return standing(m for m in self.measurements if m.run == run)

    def leave_behind(self, run: int) -> None:
        """Forget the numbers of the runs before this one."""
        self.measurements = [m for m in self.measurements if m.run >= run]
        self.expects = {key: e for key, e in self.expects.items() if key[0] >= run}
