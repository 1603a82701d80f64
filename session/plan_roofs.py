"""A session's own roofs in place of a card's nominal ones, for a plan."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.decode import peak_key_of
from roofwatch.session.plan import MEASURED, PlanError, Question
from roofwatch.session.roofs import Roofs

BURST, SUSTAINED = "burst", "sustained"


def with_measured(question: Question, own: Roofs) -> Question:
    """The question with a session's bandwidth and peak in place of the nominal ones.

    What the question gives itself stands, and what was not measured stays nominal (``unmeasured``
    says what that is). A ``measured`` ridge is the session's own all the same.

    Raises:
        PlanError: a measured ridge is asked for, and one of its two was not measured.
    """
    q = question
    measured = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops}
    key = peak_key_of(q.weights, measured)
    wanted = q.ridge == MEASURED
    if wanted and (own.bandwidth_gbs is None or key is None):
        raise PlanError(f"no measured ridge: {' and '.join(_missing(q, own))} not measured")
    changed: dict[str, object] = {}
    if q.bandwidth_gbs is None and own.bandwidth_gbs is not None:
        changed |= {"bandwidth_gbs": own.bandwidth_gbs, "bandwidth_measured": True}
        changed |= {"bandwidth_slowest_of": own.slowest_of}
    if q.peak_tflops is None and key is not None:
        flat = BURST if own.compute[key].burst_tflops else SUSTAINED
        changed |= {"peak_tflops": measured[key], "peak_key": key, "peak_measured": flat}
        changed |= {"peak_slowest_of": own.compute[key].slowest_of}
    if wanted and own.bandwidth_gbs is not None and key is not None:
        changed |= {"ridge": measured[key] * 1e3 / own.bandwidth_gbs, "ridge_source": MEASURED}
    return msgspec.structs.replace(q, **changed)


def first_of(found: Sequence[Roofs]) -> Roofs:
    """Of each figure the first that was measured."""
    if len(found) == 1:
        return found[0]
    compute = {k: c for own in reversed(found) for k, c in own.compute.items() if c.best_tflops}
    sloped = next((own for own in found if own.bandwidth_gbs is not None), found[0])
    return msgspec.structs.replace(sloped, compute=compute)


def unmeasured(question: Question, own: Roofs) -> str:
    """What of bandwidth and peak was neither given nor measured, as a sentence; else empty."""
    given = {"bandwidth": question.bandwidth_gbs, "peak": question.peak_tflops}
    lacks = [said for said in _missing(question, own) if given[said.split()[0]] is None]
    return f"{' and '.join(lacks)} not measured: nominal figures" if lacks else ""


def _missing(q: Question, own: Roofs) -> list[str]:
    measured = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops}
    lacks = ["bandwidth"] if own.bandwidth_gbs is None else []
    if peak_key_of(q.weights, measured) is None:
        lacks.append(f"peak for {q.weights} weights")
    return lacks
