"""The answers to the plan's question, each worked out once: asking again costs nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import msgspec

from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.session.decode import DecodeCurve, decode_curves
from roofwatch.session.fold import Session
from roofwatch.session.plan import MEASURED, NoLink, Plan, PlanError, Question, plan
from roofwatch.session.plan_doubts import roof_notes
from roofwatch.session.plan_links import with_links
from roofwatch.session.plan_overhead import with_overhead
from roofwatch.session.plan_roofs import unmeasured, with_measured
from roofwatch.session.roofs import Roofs, roofs

T = TypeVar("T")
LINK = "link"  # the pane's word for the field of the rate between cards


class Answer(NamedTuple):
    """The plan, or None; ``remark`` is why, or what the plan had to do without.

    ``overhead`` says whose step was measured where the overhead was.
    """

    plan: Plan | None
    remark: str = ""
    overhead: str = ""


class Answers:
    """Plans of a session's figures or of the table's; of each kind the last one is kept."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[object, Any]] = {}

    def of(
        self, card: Nominal, model: Model, question: Question, figures: str, session: Session
    ) -> Answer:
        """The plan, with measured ``figures`` also by the measured overhead of the model's step."""

        def made() -> Answer:
            asked, remark = self._asked(card, question, figures, session)
            said: list[str] = []
            if asked.measured:
                asked, said = with_overhead(asked, model, session, *self.measured(session))
            whose = ". ".join(said) if asked.overhead_source == MEASURED else ""
            try:
                found, alone = _planned(card, model, asked)
            except PlanError as error:
                return Answer(None, str(error))
            doubts = roof_notes(asked, [session], [self.measured(session)[0]])
            told = [alone, *doubts, remark]
            return Answer(found, "; ".join(t for t in told if t), whose)

        return self._once("answer", (*_stamp(session), card, model, question, figures), made)

    def of_models(
        self,
        card: Nominal,
        models: Sequence[Model],
        question: Question,
        figures: str,
        session: Session,
    ) -> list[Plan]:
        """The same question of several models; none where the card has no answer."""

        def made() -> list[Plan]:
            asked, _ = self._asked(card, question, figures, session)
            try:
                return [_planned(card, model, asked)[0] for model in models]
            except PlanError:
                return []

        asked = (*_stamp(session), card, tuple(models), question, figures)
        return self._once("models", asked, made)

    def measured(self, session: Session) -> tuple[Roofs, list[DecodeCurve]]:
        """The session's own roofs and decode steps."""

        def made() -> tuple[Roofs, list[DecodeCurve]]:
            own = roofs(session)
            return own, decode_curves(session, own)

        return self._once("measured", _stamp(session), made)

    def _asked(
        self, card: Nominal, question: Question, figures: str, session: Session
    ) -> tuple[Question, str]:
        question = msgspec.structs.replace(question, card=card.name)
        if figures == MEASURED:
            own, _ = self.measured(session)
            asked = with_links(question, [session])
            return with_measured(asked, own), unmeasured(question, own)
        return question, ""

    def _once(self, what: str, asked: object, make: Callable[[], T]) -> T:
        if what not in self._kept or self._kept[what][0] != asked:
            self._kept[what] = asked, make()
        found: T = self._kept[what][1]
        return found


def _planned(card: Nominal, model: Model, asked: Question) -> tuple[Plan, str]:
    """The plan, and what it had to do without: of cards without a known link it is that of one.

    Raises:
        PlanError: not even one card has a plan.
    """
    try:
        return plan(card, model, asked), ""
    except NoLink:
        alone = msgspec.structs.replace(asked, tp=1)
        said = f"no link between {asked.tp} cards is known, so these are the figures of one"
        return plan(card, model, alone), f"{said}: type its GB/s in the field {LINK}"


def _stamp(session: Session) -> tuple[object, ...]:
    """What a session's own figures depend on."""
    return session, session.revision
