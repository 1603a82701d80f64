"""What the device did while a function was measured, from the samples inside."""

from __future__ import annotations

import msgspec

from roofwatch.probes.function import Taken
from roofwatch.session.conditions import Conditions, conditions
from roofwatch.session.events import Measurement, Tensor
from roofwatch.session.fold import Session


def seen_during(taken: Taken, session: Session, t0_s: float, none_because: str) -> Conditions:
    """Medians over the span, its warm-up included: the load is the same.

    ``t0_s`` is the monotonic second at which the session's clock began; ``none_because`` is the
    status of every reading where there is no sample at all.
    """
    span = _span(taken, t0_s)
    seen = conditions(session, span)
    status = dict(seen.status)
    inside = session.between(taken.warm_begin_s - t0_s, span.end_s)
    if not session.samples:
        status = {name: none_because for name in status if name != "sm_mhz_spin"}
        status |= {n: why for n, why in seen.status.items() if n == "sm_mhz_spin"}
        status["reasons"] = none_because
    elif all(sample.reasons is None for sample in inside):
        known = next((s.status["reasons"] for s in inside if "reasons" in s.status), "stale")
        status["reasons"] = known
    return msgspec.structs.replace(seen, status=status)


def _span(taken: Taken, t0_s: float) -> Measurement:
    """The span as the session's own conditions take it: a stream's, by its times alone."""
    timed = taken.timed
    return Measurement(
        t=timed.end_s - t0_s,
        probe="fn",
        op="other",
        shape={},
        dtype="bytes",
        math="ieee",
        accumulate=None,
        peak_key=None,
        flop=0.0,
        tensors=[Tensor(name="fn", read_bytes=1)],  # an event asks for some; nothing counts them
        times_s=timed.times_s,
        stop=timed.stop,
        timing=timed.timing,
        protocol="stream",
        begin_s=timed.begin_s - t0_s,
        end_s=timed.end_s - t0_s,
        warmup_times_s=[timed.begin_s - taken.warm_begin_s],
        clock_t_s=[reading.t_s - t0_s for reading in timed.clock],
        clock_mhz=[round(reading.mhz, 1) for reading in timed.clock],
        status={"clock_mhz": taken.no_clock or "not_measured"},
    )
