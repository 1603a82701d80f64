"""The overhead of a step as a session's own decode probe measured it, for a plan."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from roofwatch.roofline.decode import TWO_BYTES
from roofwatch.roofline.model import Model
from roofwatch.session.decode import DecodeCurve, decode_curves
from roofwatch.session.fold import Session
from roofwatch.session.plan import MEASURED, Question
from roofwatch.session.roofs import Roofs

TWO_COUNTS = (
    "the plan counts all weights and 2N FLOP a token, the decode probe what is really read and "
    "computed: no input embedding, attention's FLOP as well"
)


def with_overhead(
    question: Question,
    model: Model,
    session: Session,
    own: Roofs,
    measured: Sequence[DecodeCurve] | None = None,
) -> tuple[Question, list[str]]:
    """The question with the measured overhead of that model's step, and whose it is in sentences.

    ``measured`` are the session's decode curves, where they are at hand.

    One that was typed stands as it is. The model is known by its shapes, whatever it is called. Of
    several contexts the question's own counts, or else the nearest. A step of fewer layers than
    the model has is no answer.
    """
    if question.overhead_s or question.overhead_source is not None:
        return question, []
    all_curves = decode_curves(session, own) if measured is None else measured
    curves = [c for c in _curves_of(model, session, all_curves) if c.overhead_s is not None]
    whole = [c for c in curves if c.layers == c.layers_of]
    if not whole:
        few = ", of fewer layers than it has" if curves else ""
        what = "only a decode step" if curves else "no decode step"
        return question, [f"no overhead: the session has {what} of {model.name}{few}"]
    curve = min(whole, key=lambda c: abs(c.context - question.context))
    asked = msgspec.structs.replace(question, overhead_s=curve.overhead_s, overhead_source=MEASURED)
    return asked, [_said(curve, question), TWO_COUNTS]


def _curves_of(
    model: Model, session: Session, curves: Sequence[DecodeCurve]
) -> Iterable[DecodeCurve]:
    by_name = {m.get("name"): m for m in session.models}
    return (
        c
        for c in curves
        if c.model in by_name
        and _shapes(msgspec.convert(by_name[c.model], Model)) == _shapes(model)
    )


def _shapes(model: Model) -> Model:
    return msgspec.structs.replace(model, name="", names=(), source="", note="")


def _said(curve: DecodeCurve, question: Question) -> str:
    said = f"the overhead is that of {curve.model}'s decode step, measured here"
    said += f" at {curve.context} tokens"
    if curve.context != question.context:
        said += f", the nearest to {question.context}"
    if not {question.weights, question.kv} <= set(TWO_BYTES):  # the probe has two bytes an element
        said += f", with {curve.dtype} weights and KV"
    return said
