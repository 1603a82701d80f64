"""A session's own roofs in place of a card's nominal ones, for a plan."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.decode import peak_key_of
from roofwatch.session.plan import MEASURED, PlanError, Question
from roofwatch.session.roofs import Roofs

BURST, SUSTAINED = "burst", "sustained"


def with_measured(question: Question, own: Roofs) -> Question:
    """The question with a session's bandwidth and peak in place of the nominal ones.

    What the question gives itself stands. A ``measured`` ridge is the session's own all the same.

    Raises:
        PlanError: what is needed of them was not measured: a bandwidth, a peak for such weights.
    """
    q = question
    measured = {k: c.best_tflops for k, c in own.compute.items() if c.best_tflops}
    key = peak_key_of(q.weights, measured)
    wanted = q.ridge == MEASURED
    if own.bandwidth_gbs is None and (wanted or q.bandwidth_gbs is None):
        raise PlanError("the session has measured no bandwidth")
    if key is None and (wanted or q.peak_tflops is None):
        raise PlanError(f"the session has measured no peak for {q.weights} weights")
    changed: dict[str, object] = {}
    if q.bandwidth_gbs is None:
        changed |= {"bandwidth_gbs": own.bandwidth_gbs, "bandwidth_measured": True}
    if q.peak_tflops is None and key is not None:
        flat = BURST if own.compute[key].burst_tflops else SUSTAINED
        changed |= {"peak_tflops": measured[key], "peak_key": key, "peak_measured": flat}
    if wanted and own.bandwidth_gbs is not None and key is not None:
        changed |= {"ridge": measured[key] * 1e3 / own.bandwidth_gbs, "ridge_source": MEASURED}
    return msgspec.structs.replace(q, **changed)
