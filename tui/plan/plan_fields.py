"""The fields of the plan: what stands in each, what keys make of it, and the plan that it asks."""

from __future__ import annotations

import re

import msgspec

from roofwatch.notebook.card_slice import SliceError, slices_named
from roofwatch.roofline.decode import KV, WEIGHTS
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.models import match
from roofwatch.session.card_named import card_named
from roofwatch.session.decode import DecodeCurve
from roofwatch.session.events import Price
from roofwatch.session.fold import Session
from roofwatch.session.models import model_named
from roofwatch.session.plan import (
    DERIVED,
    GIVEN,
    MEASURED,
    MOST_CONTEXT,
    NOMINAL,
    NONE,
    Plan,
    PlanError,
    Question,
)
from roofwatch.session.plan_fields import FIELDS as TYPED
from roofwatch.session.plan_fields import question_of
from roofwatch.session.plan_sources import card_of
from roofwatch.session.roofs import Roofs
from roofwatch.tui.drawing.typed_line import TypedLine
from roofwatch.tui.plan.plan_answers import LINK, Answer, Answers
from roofwatch.tui.plan.plan_steps import (
    BATCHES,
    CARDS,
    CONTEXTS,
    LATENCIES_S,
    LINKS_GBS,
    OVERHEADS_S,
    beside,
    doubled,
    next_of,
    stepped,
)
from roofwatch.tui.plan.plan_tables import Tables, models_for

ROOFS = "roofs"
PEER_GBS, PEER_LATENCY = "link_gbs", "link_latency"
OF_CARDS = (PEER_GBS, PEER_LATENCY)  # fields that one card has not
OF_MODEL = ("gpu", "model", "context", "weights", "kv", "batch_max", "overhead")
FIELDS = (*OF_MODEL, "tp", *OF_CARDS, "price", ROOFS)
"""By the names of the command's options, but for the last."""
CONTEXT = 2048  # of a session that names none
HERE = ""  # key of the card that this session measures
FIGURES = (MEASURED, NOMINAL)
NOT_HERE = "measured roofs are known of this session's own card only"
LABELS = {
    "gpu": "card",
    "kv": "KV cache",
    "batch_max": "batch to",
    "tp": "cards",
    PEER_GBS: LINK,
    PEER_LATENCY: "latency",
}
"""What the pane calls a field whose option has another name."""
NO_PRICE = re.compile(r"|0+|none", re.IGNORECASE)
NO_LINK = re.compile(r"|none|none counted|not known", re.IGNORECASE)  # as the field shows it
NOTHING = "nothing is known of this machine: choose a card, or let the probes run"
OF_CPU = "a CPU has no datasheet: "
NOT_YET = f"{OF_CPU}choose a card, or let the probes measure it"
BY_M = f"{OF_CPU}m takes its measured roofs"
NO_SHEET = "no datasheet of this card is known: m takes its measured roofs"


class PlanFields:
    """What stands in each field, which one is open, and what is being typed there."""

    def __init__(self, tables: Tables, session: Session) -> None:
        self.tables = tables
        self.open = FIELDS[0]
        self.line: TypedLine | None = None  # of the open field, while it is typed
        self._offered: str | None = None  # what the line held at first
        self.said = tables.problem  # why something cannot be
        self.revision = 0  # counts what has changed
        self.page = 0  # of the batches: first those that tell most, then all in their order
        self.models = models_for(session, tables)
        self.model = self.models[0]
        self._card = HERE
        self._slice: Nominal | None = None  # a MIG slice that was typed; no table has it
        self._figures = MEASURED
        self._question = Question(
            card=HERE,
            model=self.model.name,
            context=max((n for n in session.contexts if 0 < n <= MOST_CONTEXT), default=CONTEXT),
            price=session.price,
        )
        self._answers = Answers()

    @property
    def question(self) -> Question:
        """What stands in the fields; ``card`` is left open."""
        return self._question

    @property
    def names(self) -> list[str]:
        """The fields that there are: those between cards where there are several."""
        several = self._question.tp > 1
        return [n for n in FIELDS if several or n not in OF_CARDS or n == self.open]

    @property
    def here(self) -> bool:
        """Whether the card is the session's own."""
        return self._card == HERE

    @property
    def figures(self) -> str:
        """Whose roofs are asked for: measured ones are known of this session's card alone."""
        return self._figures if self.here else NOMINAL

    def card(self, session: Session) -> Nominal:
        """The figures of the card chosen."""
        if self.here:
            return card_of(session)
        if self._slice is not None and self._slice.key == self._card:
            return self._slice
        return self.tables.by_name.nominal(
            next(c for c in self.tables.cards if c.key == self._card)
        )

    def answer(self, session: Session) -> Answer:
        """The plan as it stands: by measured roofs where they are asked for and there are any.

        With them goes the measured overhead of the model's own step, unless one is given.
        """
        card = self.card(session)
        found = self._answers.of(card, self.model, self._question, self.figures, session)
        if found.plan is None and self.here:
            return Answer(None, self._unknown(session, found.remark))
        return found

    def measured(self, session: Session) -> tuple[Roofs, list[DecodeCurve]]:
        """The session's own roofs and decode steps."""
        return self._answers.measured(session)

    def _unknown(self, session: Session, why: str) -> str:
        """Why this machine has no plan: ``why`` says it where roofs were measured and are taken."""
        own, _ = self.measured(session)
        measured = own.bandwidth_gbs is not None and own.main_key is not None
        if measured and self.figures == MEASURED:
            return why
        if session.device.kind == "cpu":
            return BY_M if measured else NOT_YET
        return NO_SHEET if measured and self.figures == NOMINAL else NOTHING

    def other_models(self, session: Session, most: int) -> list[Plan]:
        """The same question of at most so many models, where the card has an answer.

        They are those around the model chosen, in the order of the keys.
        """
        at = self.models.index(self.model)
        first = min(max(0, at - most // 2), max(0, len(self.models) - most))
        models = self.models[first : first + most]
        card = self.card(session)
        return self._answers.of_models(card, models, self._question, self.figures, session)

    # -- keys --------------------------------------------------------------------------------

    def step(self, by: int) -> None:
        """To the next field or the one before."""
        names = self.names
        self._turn_to(names[(names.index(self.open) + by) % len(names)])

    def end(self, by: int) -> None:
        """To the first field (-1) or the last."""
        self._turn_to(self.names[0 if by < 0 else -1])

    def _turn_to(self, name: str) -> None:
        self.open, self.line = name, None
        self._say("")

    def turn(self, by: int, pages: int) -> None:
        """To the next page of the batches or the one before, of so many."""
        self.page = min(max(0, self.page + by), max(0, pages - 1))
        self.revision += 1

    def change(self, by: int, session: Session) -> None:
        """The next value of the open field, or the one before."""
        self._say("")
        name, q = self.open, self._question
        if name == "gpu":
            own = card_of(session).key
            self._card = next_of(
                [HERE, *(c.key for c in self.tables.cards if c.key != own)], self._card, by
            )
        elif name == "model":
            names = [m.name for m in self.models]
            self._take_model(self.models[names.index(next_of(names, self.model.name, by))])
        elif name == "context":
            self._ask(context=doubled(q.context, by, CONTEXTS))
        elif name == "batch_max":
            self._ask(batch_max=doubled(q.batch_max, by, BATCHES))
        elif name == "weights":
            self._ask(weights=next_of(WEIGHTS, q.weights, by))
        elif name == "kv":
            self._ask(kv=next_of(KV, q.kv, by))
        elif name == "overhead":
            self._ask(**self._next_overhead(by, session))
        elif name == "tp":
            self._ask(tp=doubled(q.tp, by, CARDS))
        elif name in OF_CARDS:
            self._ask(**{TYPED[name].of: self._next_link(name, by, session)})
        elif name == "price":
            currency = (q.price or session.price or Price(per_hour=1.0)).currency
            self._ask(price=stepped(q.price, by, currency))
        else:
            self.toggle()

    def _next_overhead(self, by: int, session: Session) -> dict[str, object]:
        """A rung up or down; below nought the measured one again, where there is one."""
        q = self._question
        if by < 0 and q.overhead_source is not None and not q.overhead_s:
            return {"overhead_s": 0.0, "overhead_source": None}
        found = self.answer(session).plan
        now = found.overhead_s if found else q.overhead_s
        return {"overhead_s": beside(OVERHEADS_S, now, by), "overhead_source": GIVEN}

    def _next_link(self, name: str, by: int, session: Session) -> float | None:
        """A rung up or down from what stands there; below the least it is not given any more."""
        p = self.answer(session).plan
        if name == PEER_GBS:
            ladder, now = LINKS_GBS, self._question.peer_gbs
            used = p.peer_gbs if p else None
        else:
            ladder, now = LATENCIES_S, self._question.peer_latency_s
            used = p.peer_latency_s if p and p.latency_from != NONE else None
        now = used if now is None else now
        if now is None or (by < 0 and now <= ladder[0]):
            return ladder[0] if by > 0 else None
        return beside(ladder, now, by)

    def toggle(self) -> None:
        """Measured roofs instead of nominal ones, or the other way round."""
        self._say("" if self.here else NOT_HERE)
        if self.here:
            self._figures = next_of(FIGURES, self._figures, 1)

    # -- typing ------------------------------------------------------------------------------

    def begin(self, session: Session) -> None:
        """Type in the open field; what stands there is marked."""
        text = self._offered = self._typed_form(session)
        self.type(TypedLine(text, len(text), taken=bool(text)))

    def type(self, line: TypedLine | None) -> None:
        """Take the line as it stands after a key; None ends the typing, the value stays."""
        self.line = line
        self._say("")

    def enter(self, session: Session) -> None:
        """Take over what was typed, or say in one line why not and go on typing."""
        text = self.line.text.strip() if self.line else ""
        if text == self._offered:  # what is shown may have more digits, or be measured
            self.type(None)
            return
        try:
            self._read(text, session)
        except ValueError as error:  # of names, quantities, prices and plans
            self._say(str(error))
        else:
            self.type(None)

    def meant(self) -> str:
        """What a name that is being typed means so far; empty where that is nothing yet."""
        text = self.line.text.strip() if self.line else ""
        if self.open == "gpu":
            try:
                names = [card.name for card in slices_named(text, self.tables.by_name)]
            except SliceError:
                names = []
        else:
            names = [m.name for m in match(text, self.models)] if self.open == "model" else []
        return ", ".join(names)

    def _typed_form(self, session: Session) -> str:
        """The open field's value as one would type it."""
        q = self._question
        return {
            "gpu": self.card(session).name,
            "model": self.model.name,
            "context": str(q.context),
            "weights": q.weights,
            "kv": q.kv,
            "batch_max": str(q.batch_max),
            "overhead": f"{self._overhead_s(session) * 1e3:g}ms",
            "tp": str(q.tp),
            PEER_GBS: f"{q.peer_gbs:g}GB/s" if q.peer_gbs is not None else "",
            PEER_LATENCY: "" if q.peer_latency_s is None else f"{q.peer_latency_s * 1e6:g}us",
            "price": f"{q.price.per_hour:g} {q.price.currency}/h" if q.price else "",
            ROOFS: self.figures,
        }[self.open]

    def _overhead_s(self, session: Session) -> float:
        """As it stands there: what the session measured, where nothing was given."""
        found = self.answer(session).plan
        return found.overhead_s if found else self._question.overhead_s

    def _read(self, text: str, session: Session) -> None:
        name = self.open
        if name == "gpu":
            found = card_named(text, self.tables.by_name)
            self._slice = found if found.origin == DERIVED else None
            own = card_of(session).key
            self._card = HERE if found.key is None or found.key == own else found.key
        elif name == "model":
            self._take_model(model_named(text, self.models))
        elif name == "price" and NO_PRICE.fullmatch(text):
            self._ask(price=None)
        elif name == "overhead" and not text:
            self._ask(overhead_s=0.0, overhead_source=None)
        elif name in OF_CARDS and NO_LINK.fullmatch(text):
            self._ask(**{TYPED[name].of: None})
        elif name != ROOFS:
            asked, of = _asked(name, text), TYPED[name].of
            source = asked.overhead_source or self._question.overhead_source
            self._ask(**{of: getattr(asked, of)}, overhead_source=source)
        elif text not in FIGURES:
            raise PlanError(f"{text!r} is none of {', '.join(FIGURES)}")
        elif text != self.figures:
            if not self.here:
                raise PlanError(NOT_HERE)
            self.toggle()

    def _take_model(self, model: Model) -> None:
        if model not in self.models:
            self.models = (model, *self.models)
        self.model = model
        self._ask(model=model.name)

    def _ask(self, **changed: object) -> None:
        self._question = msgspec.structs.replace(self._question, **changed)

    def _say(self, text: str) -> None:
        self.said = text
        self.revision += 1


def _asked(name: str, text: str) -> Question:
    """The question of one field's text.

    Raises:
        PlanError: it cannot be read; the line names the field, not the option.
    """
    try:
        return question_of({name: text})
    except PlanError as error:
        option = f"{name.replace('_', '-')}: "
        said = str(error)
        if not said.startswith(option):
            raise
        raise PlanError(f"{LABELS.get(name, name)}: {said.removeprefix(option)}") from None
