"""A trace that the screen was given, held against the roofs of the session on show if it can be."""

from __future__ import annotations

from roofwatch.roofline.lookup import bare_name
from roofwatch.session.fold import Session
from roofwatch.trace.analysis import Examined, report
from roofwatch.trace.card_roofs import MEASURED, measured_roofs
from roofwatch.trace.report import Card, KernelRow, TraceReport


class OpenedTrace:
    """The answer for a session; worked out anew where that has measured other roofs."""

    def __init__(self, seen: Examined, card: Card) -> None:
        self._seen, self._card = seen, card
        self._report = report(seen, card)
        self._looked: tuple[object, ...] = ()
        self.at = 0  # the kernel under the cursor
        self.revision = 0  # rises with each new answer

    def answer(self, session: Session) -> TraceReport:
        """By the session's own roofs where it is of the same card and its run is over."""
        looked = (session, session.run, session.complete)
        if looked != self._looked:
            self._looked = looked
            card = self._card_of(session)
            if card != self._report.card:
                self._report = report(self._seen, card)
                self.revision += 1
        return self._report

    def _card_of(self, session: Session) -> Card:
        name = self._card.name
        if self._card.asked or name is None or not session.complete:
            return self._card
        if bare_name(session.device.name or "") != bare_name(name):
            return self._card
        found = measured_roofs(session)
        return found if found.origin == MEASURED else self._card

    def move(self, step: int) -> None:
        """The cursor by so many kernels."""
        self.at = max(0, min(len(self._report.kernels) - 1, self.at + step))

    def kernel(self) -> KernelRow | None:
        """The kernel under the cursor; None where there is none."""
        kernels = self._report.kernels
        return kernels[self.at] if self.at < len(kernels) else None
