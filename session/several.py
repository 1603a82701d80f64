"""The other cards of a run: a probe process each, alone one after the other, then all at once.

The session's own card runs its suite as ever, then its process stays. The others' are started
together, for importing torch takes seconds and would disturb a card that is measured; each
measures when its turn comes, and all of them begin the last part at one moment.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from roofwatch.roofline.suite import CARDS, COMPARED, suite
from roofwatch.session.asked import ALL, Options, card_arguments
from roofwatch.session.child import Child
from roofwatch.session.events import AnyEvent, Device, Fault, Note, SessionInfo
from roofwatch.session.fold import Session
from roofwatch.session.instruments import Instruments
from roofwatch.session.stuck import STAYING
from roofwatch.session.turns import FINISHED, order

if TYPE_CHECKING:
    from roofwatch.roofline.nominal import Card

PROBES = "probes"
LEAD_S = 4.0  # from the order to the first moment: every process makes its operands
ALONE_IS_NONE = "one card is visible: there is no other to compare it with"
Cards = Callable[[], "tuple[tuple[Card, ...], frozenset[str]]"]


class Other(NamedTuple):
    """A card beside the measured one: torch's ordinal, NVML's index, who it is."""

    ordinal: int
    gpu: int
    device: Device

    @property
    def key(self) -> str:
        """Of its process."""
        return f"{PROBES} {self.gpu}"


def others(session: Session) -> tuple[list[Other], int | None, list[str]]:
    """The cards that torch and NVML both see beside the measured one, by their UUID.

    Then NVML's index of the measured one, and a sentence for each that only one of them sees.
    """
    measured = session.device.uuid
    told = session.told_by("telemetry")
    by_uuid = {d.uuid.lower(): d for d in (told, *session.neighbours) if d is not None and d.uuid}
    found, missing = [], []
    own = told.index if told is not None else None
    for seen in session.visible:
        card = by_uuid.get((seen.uuid or "").lower())
        if seen.uuid and measured and seen.uuid.lower() == measured.lower():
            continue
        if card is None or card.index is None or seen.index is None:
            missing.append(f"cuda:{seen.index} is left out: NVML names no card by its UUID")
            continue
        found.append(Other(seen.index, card.index, card))
    return found, own, missing


class Several:
    """Starts them, gives them their turns, and lets the run end when all is over."""

    def __init__(
        self,
        options: Options,
        instruments: Instruments,
        tell: Callable[[AnyEvent], None],
        now: Callable[[], float],
        cards: Cards,
    ) -> None:
        self._wanted = options.device == ALL and options.probes and options.suite in COMPARED
        self._options, self._instruments = options, instruments
        self._tell, self._now, self._cards = tell, now, cards
        self._over = 0  # the last run of which nothing is left to do
        self._run = 0  # the one under way
        self._own: int | None = None
        self._opening: list[Other] = []
        self._waiting: list[Other] = []  # for their turn
        self._alone: Other | None = None
        self._ready: list[Other] = []
        self._running: list[Other] | None = None  # since all began at once

    def step(self, session: Session, run: int) -> None:
        """Look what has come, and do what is next. Main thread only."""
        if not self._wanted or run == self._over:
            return
        if run in session.ends:  # the session's own is gone, whyever
            self._end_all()
            self._over = run
            return
        if self._run != run:
            if self._state(PROBES) == STAYING:
                self._begin(session, run)
            return
        self._settle()
        if self._running is not None:
            if not self._running and self._state(PROBES) == FINISHED:
                self._finish(run)
        elif not self._opening:
            self._next(run)

    def owns(self, child: Child) -> bool:
        """Whether it is the process of one of the other cards."""
        return child.instrument == PROBES and self._of(child) is not None

    def gone(self, child: Child, why: str | None = None) -> None:
        """One of them ended, or hangs (``why``): it is left out, unless it had done everything."""
        other = self._of(child)
        if other is None:
            return
        code = child.wait(2.0) if why is None else None
        finished = code in (0, 4) and self._state(other.key) == FINISHED
        if not finished and (why is not None or not child.retired):
            what = f"the probes {why or child.how_it_ended(code)}"
            self._fault(other, what, code, child.log_tail())
        self._drop(other)
        if why is None:
            self._instruments.forget(other.key)
            child.end()

    def heard(self, info: SessionInfo) -> None:
        """The probes of a card said which they see: one with another UUID is ended."""
        other = next((o for o in self._all() if o.gpu == info.gpu), None)
        device = info.device
        if other is None or device is None or not device.uuid or not other.device.uuid:
            return
        if device.uuid.lower() != other.device.uuid.lower():
            self._fault(other, f"the probes see {device.uuid}: another card", None, [])
            self._drop(other)
            if (child := self._instruments.forget(other.key)) is not None:
                child.end()

    # -- what is next ------------------------------------------------------------------------

    def _begin(self, session: Session, run: int) -> None:
        found, self._own, missing = others(session)
        self._run = run
        self._running = None
        self._waiting, self._ready, self._alone = [], [], None
        for said in missing:
            self._note(said)
        if not found or self._own is None:
            self._note(ALONE_IS_NONE)
            self._finish(run)
            return
        self._note(f"{len(found) + 1} cards: the others one by one, then all at once")
        self._expect(session, found, run)
        for other in found:
            if other.device.processes:
                self._note(f"card {other.gpu} is not ours alone: {other.device.processes} on it")
            arguments = card_arguments(self._options, run, other.ordinal, other.gpu)
            try:
                self._instruments.start(PROBES, arguments, other.key)
            except OSError as error:
                self._fault(other, f"the probes cannot be started: {error.strerror}", None, [])
                continue
            self._opening.append(other)

    def _expect(self, session: Session, found: list[Other], run: int) -> None:
        """The range of each number of each card, before it is measured."""
        from roofwatch.session.expectation import expectations, nominal_of  # long after the start

        for other in found:
            device = other.device
            specs = suite(CARDS, "cuda", device.compute_capability, session.sustain_s)
            nominal = nominal_of(device, *self._cards())
            for expect in expectations(specs, device, nominal, self._now(), run):
                self._tell(msgspec.structs.replace(expect, gpu=other.gpu))

    def _settle(self) -> None:
        """Those that have come as far as they do by themselves."""
        for other in list(self._opening):
            if self._state(other.key) == "waiting":
                self._opening.remove(other)
                self._waiting.append(other)
                self._waiting.sort(key=lambda each: each.gpu)
        if self._alone is not None and self._state(self._alone.key) == STAYING:
            self._ready.append(self._alone)
            self._alone = None

    def _next(self, run: int) -> None:
        """The next card alone, or all of them where each has been."""
        if self._alone is not None:
            return
        if self._waiting:
            self._alone = self._waiting.pop(0)
            self._note(f"card {self._alone.gpu}: alone")
            self._order(self._alone.key, "go")
            return
        if not self._ready:  # none of them lives
            self._finish(run)
            return
        begin_ns = time.monotonic_ns() + round(LEAD_S * 1e9)
        self._running, self._ready = self._ready, []
        self._note(f"{len(self._running) + 1} cards at once")
        for other in self._running:
            self._order(other.key, order(other.gpu, begin_ns))
        if self._own is not None:
            self._order(PROBES, order(self._own, begin_ns))

    def _finish(self, run: int) -> None:
        self._over = run
        self._order(PROBES, "end")
        self._end_all()

    # -- the processes -----------------------------------------------------------------------

    def _all(self) -> list[Other]:
        alone = [self._alone] if self._alone is not None else []
        return [*self._opening, *self._waiting, *alone, *self._ready, *(self._running or [])]

    def _of(self, child: Child) -> Other | None:
        return next((o for o in self._all() if self._instruments.get(o.key) is child), None)

    def _drop(self, other: Other) -> None:
        for some in (self._opening, self._waiting, self._ready, self._running or []):
            if other in some:
                some.remove(other)
        self._alone = None if self._alone == other else self._alone

    def _end_all(self) -> None:
        for other in self._all():
            if (child := self._instruments.forget(other.key)) is not None:
                child.end()
            self._drop(other)

    def _state(self, key: str) -> str:
        beat = self._instruments.beat(key)
        return beat.state if beat is not None else ""

    def _order(self, key: str, line: str) -> None:
        if (child := self._instruments.get(key)) is not None:
            child.tell(line)

    def _note(self, text: str) -> None:
        self._tell(Note(t=self._now(), text=text, run=self._run))

    def _fault(self, other: Other, what: str, code: int | None, log: list[str]) -> None:
        self._tell(
            Fault(
                t=self._now(),
                instrument=PROBES,
                what=what,
                exit_code=code,
                log=log,
                run=self._run,
                gpu=other.gpu,
            )
        )
