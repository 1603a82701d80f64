"""What a session cost, what its rent buys, and what of it pays for compute that stands idle.

Every figure is the price times something that was measured (roofline/price.py; seed, Day 1, "the
three bottlenecks as money").
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from roofwatch.roofline.price import (
    cost,
    cost_per_mtok,
    idle_cost_per_hour,
    overhead_cost_per_hour,
)
from roofwatch.roofline.workload import ELEMENT_BITS
from roofwatch.session.decode import DecodeCurve, DecodePoint, decode_curves
from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, tflops
from roofwatch.session.roofs import Roofs

DECODE = "decode"  # protocol of a probe of decode steps
UNMEASURED = "not_measured"
STREAM = "stream"  # protocol of the bandwidth probes
EXA, PETA = 1e18, 1e15
SMALLER = ("int8", "int4")  # weights: half and a quarter of two bytes


class Idle(msgspec.Struct, frozen=True, kw_only=True):
    """Compute that is paid for and not used while ``probe`` runs, against the flat of ``peak_key``.

    ``roof`` says which flat: ``sustained`` where the precision was held, else ``burst``.
    """

    probe: str
    peak_key: str
    roof: str
    roof_tflops: float
    achieved_tflops: float
    per_hour: float


class BatchCost(msgspec.Struct, frozen=True, kw_only=True):
    """One batch of a decode curve: rent per million tokens, and what of an hour's rent is idle.

    ``per_mtok`` is of the better launch (``DecodePoint.step_s``), ``eager_per_mtok`` of one without
    a graph. ``of_roof`` is the share of the compute that is used, ``idle_per_hour`` what the rest
    costs; ``overhead_per_hour`` what its launches take of a graph's hour,
    ``eager_overhead_per_hour`` what a graph gets back of an eager one's.
    """

    batch: int
    tokens_per_s: float
    per_mtok: float
    eager_per_mtok: float | None
    of_roof: float | None
    idle_per_hour: float | None
    overhead_per_hour: float | None
    eager_overhead_per_hour: float | None
    status: dict[str, str]


class DecodeCost(msgspec.Struct, frozen=True, kw_only=True):
    """One model at one context, by rising batch.

    With fewer ``layers`` than the model's ``layers_of`` a token is cheaper than the model's.
    ``times_cheaper`` compares the cheapest batch with the smallest. ``smaller_weights`` is what the
    smallest batch would cost per million tokens at best, by the bytes saved over the measured
    bandwidth: what smaller weights do to the answers is another measurement.
    """

    model: str
    context: int
    layers: int
    layers_of: int
    dtype: str
    peak_key: str | None  # whose flat the idle compute is judged by
    roof: str | None
    batches: list[BatchCost]
    cheapest_batch: int
    times_cheaper: float
    smaller_weights: dict[str, float]
    status: dict[str, str]


class Cost(msgspec.Struct, frozen=True, kw_only=True):
    """What was paid, in ``currency``: for all of the session, and for the reported run.

    ``per_exa`` is the rent of 1e18 operations at each precision's flat, held where it was, and
    ``per_petabyte`` of 1e15 bytes moved at the bandwidth roof.
    """

    per_hour: float
    currency: str
    session_s: float
    session_cost: float
    run_s: float
    run_cost: float
    per_exa: dict[str, float]
    per_petabyte: float | None
    idle: list[Idle]
    decode: list[DecodeCost]
    status: dict[str, str]


def costs(session: Session, own: Roofs, curves: Sequence[DecodeCurve] | None = None) -> Cost | None:
    """The bill of a session; None without a price. ``curves`` are its decode curves, if at hand."""
    if session.price is None:
        return None
    per_hour = session.price.per_hour
    if curves is None:
        curves = decode_curves(session, own) if _decoded(session) else []
    flats = {key: flat for key in own.compute if (flat := _flat(own, key)) is not None}
    slope = own.bandwidth_gbs
    return Cost(
        per_hour=per_hour,
        currency=session.price.currency,
        session_s=round(session.duration_s, 3),
        session_cost=cost(per_hour, session.duration_s),
        run_s=round(session.run_s, 3),
        run_cost=cost(per_hour, session.run_s),
        per_exa={key: cost(per_hour, EXA / (rate * 1e12)) for key, (_, rate) in flats.items()},
        per_petabyte=cost(per_hour, PETA / (slope * 1e9)) if slope else None,
        idle=_idle(session, own, per_hour),
        decode=[one for curve in curves if (one := _decode(curve, own, per_hour)) is not None],
        status={} if slope else {"per_petabyte": UNMEASURED},
    )


def _decoded(session: Session) -> bool:
    run = session.reported_run
    return any(m.protocol == DECODE and m.run == run for m in session.measurements)


def _flat(own: Roofs, key: str | None) -> tuple[str, float] | None:
    """The flat that a precision keeps up: sustained where it was held, else burst."""
    of_key = own.compute.get(key or "")
    if of_key is None:
        return None
    flats = ((which, of_key.flat(which)) for which in ("sustained", "burst"))
    return next(((which, rate) for which, rate in flats if rate), None)


def _idle(session: Session, own: Roofs, per_hour: float) -> list[Idle]:
    """The compute that a stream leaves unused: the bandwidth roof's, or the fastest that computes.

    It is held against the flat of its own precision, or of the main one where that is as wide
    (16 bits) or the only one that was measured.
    A copy has no FLOP: that all compute is idle beside it says nothing.
    """
    if own.bandwidth is None:
        return []
    computing = [m for m in session.measured() if m.protocol == STREAM and m.flop]
    stream = own.bandwidth
    if not stream.flop:
        stream = max(computing, key=gbs, default=stream)
    keys = [stream.dtype, f"{stream.dtype}_tensor", own.main_key or ""]
    if ELEMENT_BITS.get(stream.dtype) == ELEMENT_BITS.get(own.main_key or ""):
        keys.reverse()
    key = next((k for k in keys if _flat(own, k) is not None), "")
    flat = _flat(own, key)
    if flat is None:
        return []
    roof, rate = flat
    achieved = tflops(stream)
    return [
        Idle(
            probe=stream.probe,
            peak_key=key,
            roof=roof,
            roof_tflops=rate,
            achieved_tflops=achieved,
            per_hour=idle_cost_per_hour(per_hour, achieved, rate),
        )
    ]


def _decode(curve: DecodeCurve, own: Roofs, per_hour: float) -> DecodeCost | None:
    flat = _flat(own, curve.dtype)
    batches = [
        _batch(p, rate, flat[1] if flat else None, per_hour)
        for p in curve.points
        if (rate := p.tokens_per_s)
    ]
    if not batches:
        return None
    cheapest = min(batches, key=lambda b: b.per_mtok)
    return DecodeCost(
        model=curve.model,
        context=curve.context,
        layers=curve.layers,
        layers_of=curve.layers_of,
        dtype=curve.dtype,
        peak_key=curve.dtype if flat else None,
        roof=flat[0] if flat else None,
        batches=batches,
        cheapest_batch=cheapest.batch,
        times_cheaper=batches[0].per_mtok / cheapest.per_mtok,
        smaller_weights=_smaller(curve, own, per_hour),
        status={} if flat else dict.fromkeys(("peak_key", "roof"), UNMEASURED),
    )


def _batch(p: DecodePoint, tokens_per_s: float, roof: float | None, per_hour: float) -> BatchCost:
    step_s = p.batch / tokens_per_s
    achieved = p.flop / step_s / 1e12
    launch_s = p.terms.get("launch") if p.graph_s is not None else None
    both = p.graph_s is not None and p.eager_s is not None
    values = {
        "eager_per_mtok": cost_per_mtok(per_hour, p.batch / p.eager_s) if p.eager_s else None,
        "of_roof": achieved / roof if roof else None,
        "idle_per_hour": idle_cost_per_hour(per_hour, achieved, roof) if roof else None,
        "overhead_per_hour": _waited(per_hour, launch_s, step_s),
        "eager_overhead_per_hour": _waited(per_hour, (p.eager_s or 0) - step_s, p.eager_s)
        if both
        else None,
    }
    return BatchCost(
        batch=p.batch,
        tokens_per_s=tokens_per_s,
        per_mtok=cost_per_mtok(per_hour, tokens_per_s),
        **values,
        status={name: UNMEASURED for name, value in values.items() if value is None},
    )


def _waited(per_hour: float, gap_s: float | None, step_s: float | None) -> float | None:
    """A gap is none where noise made it negative, and never longer than its step."""
    if gap_s is None or not step_s:
        return None
    return overhead_cost_per_hour(per_hour, min(max(gap_s, 0.0), step_s), step_s)


def _smaller(curve: DecodeCurve, own: Roofs, per_hour: float) -> dict[str, float]:
    """Cost per million tokens of the smallest batch, had its weights fewer bits (seed, Day 1)."""
    first = next(p for p in curve.points if p.tokens_per_s)
    step_s, slope = first.step_s, own.bandwidth_gbs
    bits = ELEMENT_BITS.get(curve.dtype)
    if step_s is None or slope is None or bits is None:
        return {}
    found = {}
    for name in SMALLER:
        saved_bytes = first.weights_bytes * (1 - ELEMENT_BITS[name] / bits)
        left_s = step_s - saved_bytes / (slope * 1e9)
        if 0 < left_s < step_s:
            found[name] = cost_per_mtok(per_hour, first.batch / left_s)
    return found
