"""The map of a transformer's kernels: where each stands under its own roof, why, what treats it."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.arithmetic_time import ELEMENT, FUSED, Cost
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.transformer_work import (
    CHAINS,
    DECODE_ATTENTION,
    MATRIX_OPS,
    PREFILL_ATTENTION,
    PREFILL_LINEAR,
    SAMPLING,
)
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.fusion import fusions
from roofwatch.session.kernel_reason import (
    NOTHING,
    Cause,
    Terms,
    Why,
    arithmetic_bound,
    arithmetic_reason,
    launch_reason,
    reason,
)
from roofwatch.session.launch import LaunchCosts, launch_costs
from roofwatch.session.mix_roof import OwnRoof, beyond_cache, compute_roof, memory_roof
from roofwatch.session.rates import gbs, intensity, tflops, time_s, traffic_bytes
from roofwatch.session.roofs import Roofs
from roofwatch.session.treatment import CHAIN_OF, Case, treatment

KERNELS = "kernels"  # key and protocol of the probe
MEMORY, COMPUTE, OVERHEAD = "memory", "compute", "overhead"
TFLOPS, GBS = "TFLOP/s", "GB/s"
UNMEASURED, UNKNOWN = "not_measured", "not_known"
OVER = 1.05  # of its roof: more than another kernel of its mix moves is no memory's rate
SEED_LAUNCH_S = 5e-6  # seed, Day 1: a launch costs 5 to 10 us
MATMUL_FIRST = (PREFILL_LINEAR,)  # points that may be the best measured product of their type


class KernelPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel. ``of_roof`` is its figure over ``roof``, both in ``roof_unit``.

    ``bound`` is "memory", "compute" or "overhead": the largest of ``terms``, the least seconds
    that bytes at its own roof, arithmetic and launches take. ``roof_by`` is the probe that the roof
    was measured by. ``reason`` is empty from 90 % of the roof on, ``cause`` what it comes to.
    """

    probe: str
    op: str
    label: str
    shape: dict[str, int]
    dtype: str
    variant: str | None
    flop: float
    bytes: int
    intensity: float
    time_s: float
    gbs: float
    tflops: float
    bound: str
    of_roof: float | None
    roof: float | None
    roof_unit: str
    roof_by: str | None
    reason: str
    treatment: str
    terms: dict[str, float]
    timing: str
    kernel: str | None
    cause: str = ""
    status: dict[str, str] = {}


def kernel_map(session: Session, own: Roofs, run: int | None = None) -> list[KernelPoint]:
    """Every kernel of one run (the reported one by default), as measured; empty without any."""
    found = session.group(KERNELS, run)
    if not found:
        return []
    launches = launch_costs(session, run)
    fused = {f.op: f.delivered for f in fusions(session, own, run)}
    return [_point(session, own, found, launches, fused, m) for m in found]


def label(m: Measurement) -> str:
    """What people read: ``decode linear``, ``rmsnorm 1 row, eager``, ``prefill linear 4096``."""
    name = m.op.replace("_", "+" if m.op in CHAINS else " ")
    if m.op == DECODE_ATTENTION:
        name += f" {m.shape['batch']} x {m.shape['context']}"
    elif m.op in (PREFILL_LINEAR, PREFILL_ATTENTION):
        name += f" {m.shape.get('tokens') or m.shape['m']}"
    elif m.shape.get("rows") == 1 and m.op != SAMPLING:
        name += " 1 row"
    return f"{name}, {m.variant}" if m.variant else name


def bound_of(terms: Terms) -> str:
    """The bottleneck whose least time is the largest; the memory where nothing tells."""
    known = {
        MEMORY: terms.bytes_s or 0.0,
        COMPUTE: terms.compute_s or 0.0,
        OVERHEAD: terms.launch_s or 0.0,
    }
    return max(known, key=known.__getitem__)


def _point(
    session: Session,
    own: Roofs,
    found: list[Measurement],
    launches: LaunchCosts | None,
    fused: dict[str, float | None],
    m: Measurement,
) -> KernelPoint:
    matrix = m.op in MATRIX_OPS
    slope = memory_roof(session, own, [p for p in found if p.op not in MATRIX_OPS], m)
    flat = compute_roof(own, [p for p in found if p.op in MATMUL_FIRST], m) if matrix else None
    cost = _cost(m)
    terms = _terms(session, launches, m, slope, flat, cost)
    on_flat = flat is not None and (terms.compute_s or 0.0) > (terms.bytes_s or 0.0)
    roof = flat if on_flat else slope
    share = (tflops(m) if on_flat else gbs(m)) / roof.rate if roof else None
    bound = bound_of(terms)
    if share is not None and share >= STOP:
        bound = COMPUTE if on_flat else MEMORY  # who is at his roof waits for nothing else
    why = _why(session, m, terms, cost, bound, share, launches is None)
    case = Case(
        cause=why.cause,
        bound=bound,
        of_roof=share,
        bytes_share=terms.bytes_s / time_s(m) if terms.bytes_s is not None else None,
        fused=fused.get(CHAIN_OF.get(m.op, "")),
        on_cpu=session.device.kind == "cpu",
    )
    status = {} if roof else dict.fromkeys(("of_roof", "roof", "roof_by"), UNMEASURED)
    if m.kernel is None:
        status["kernel"] = m.status.get("kernel", UNMEASURED)
    if m.variant is None:
        status["variant"] = "one_way"
    if terms.launch_s is None:
        status["terms.launch"] = UNMEASURED if launches is None else UNKNOWN
    return KernelPoint(
        probe=m.probe,
        op=m.op,
        label=label(m),
        shape=m.shape,
        dtype=m.dtype,
        variant=m.variant,
        flop=m.flop,
        bytes=traffic_bytes(m),
        intensity=intensity(m),
        time_s=time_s(m),
        gbs=gbs(m),
        tflops=tflops(m),
        bound=bound,
        of_roof=share,
        roof=roof.rate if roof else None,
        roof_unit=TFLOPS if on_flat else GBS,
        roof_by=roof.by if roof else None,
        reason=why.said,
        treatment=treatment(m, case),
        terms=_known(terms),
        timing=m.timing,
        kernel=m.kernel,
        cause=why.cause.name.lower(),
        status=status,
    )


def _cost(m: Measurement) -> Cost | None:
    """Instructions an element, of a chain those of all its kernels."""
    return ELEMENT.get(m.op) or FUSED.get(m.op)


def _terms(
    session: Session,
    launches: LaunchCosts | None,
    m: Measurement,
    slope: OwnRoof | None,
    flat: OwnRoof | None,
    cost: Cost | None,
) -> Terms:
    compute_s = m.flop / (flat.rate * 1e12) if flat else None
    if cost is not None:
        bound = arithmetic_bound(session, m, cost)
        compute_s = bound.arithmetic.seconds if bound else None
    count = m.shape.get("kernels") or len(CHAINS.get(m.op, ())) or 1
    each = _launch_s(session, launches, m)
    return Terms(
        bytes_s=traffic_bytes(m) / (slope.rate * 1e9) if slope else None,
        compute_s=compute_s,
        launch_s=count * each if each else None,
        launches=count,
    )


def _launch_s(session: Session, launches: LaunchCosts | None, m: Measurement) -> float | None:
    """Of one launch as this kernel was launched: a graph's node, a queued kernel, a call."""
    if launches is None:
        on_card = session.device.kind == "cuda"
        return SEED_LAUNCH_S if on_card and m.timing == "host" else None
    of_timing = {
        "graph": launches.graph_node_s,
        "event": launches.queued_s,
        "host": launches.enqueue_s,
    }
    return of_timing.get(m.timing)


def _known(terms: Terms) -> dict[str, float]:
    named = {MEMORY: terms.bytes_s, COMPUTE: terms.compute_s, OVERHEAD: terms.launch_s}
    return {name: seconds for name, seconds in named.items() if seconds is not None}


def _why(
    session: Session,
    m: Measurement,
    terms: Terms,
    cost: Cost | None,
    bound: str,
    share: float | None,
    assumed: bool,
) -> Why:
    """Nothing is said at the roof, though arithmetic that is as long as the bytes is a cause."""
    if share is None or STOP <= share <= OVER:
        beside = arithmetic_reason(session, m, cost, None) if cost else NOTHING
        return Why(beside.cause if beside.said else Cause.AT_ROOF, "")
    if share > OVER:
        if beyond_cache(session, m):
            return Why(Cause.ROOF_LOW, "over its roof: that was measured low, or the cache helps")
        size = f"{traffic_bytes(m) / 2**20:.3g} MiB"
        return Why(Cause.CACHE, f"the cache: {size} stay in it, no memory is that fast")
    if bound == OVERHEAD:
        return launch_reason(session, m, terms, assumed)
    return reason(session, m, terms, cost)
