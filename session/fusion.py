"""What fusion promises by bytes, what it brings, and what binds the fused kernel instead."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.arithmetic_time import FUSED
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.transformer_work import (
    BIAS_GELU_DROPOUT,
    CHAINS,
    SILU_MUL,
    THREE_COS,
    fused,
)
from roofwatch.roofline.workload import ELEMENT_BITS
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.kernel_reason import NOT_KNOWN, arithmetic_reason
from roofwatch.session.mix_roof import memory_roof
from roofwatch.session.rates import time_s, traffic_bytes
from roofwatch.session.roofs import Roofs

FUSION = "fusion"  # key and protocol of the probe
ONCE, EAGER, GRAPH, COMPILED = "once", "eager", "graph", "compiled"
NAMES = {
    THREE_COS: "three cos",
    SILU_MUL: "silu x mul",
    BIAS_GELU_DROPOUT: "bias+gelu+dropout",
}
NOT_FUSED = "not fused: "  # how the probe's note begins that says why nothing is
UNMEASURED = "not_measured"


class Fusion(msgspec.Struct, frozen=True, kw_only=True):
    """One chain of kernels. Seconds of the chain as called, replayed as a graph, in one kernel.

    ``once_s`` is one cos of the three. ``predicted_ratio`` is bytes before over bytes after,
    ``measured_ratio`` the same of times; ``delivered`` is the share of the promised saving that
    came, 1 - fused / eager by time over that by bytes.
    """

    op: str
    name: str
    shape: dict[str, int]
    dtype: str
    eager_s: float
    graph_s: float | None
    fused_s: float | None
    once_s: float | None
    eager_bytes: int
    fused_bytes: int
    predicted_ratio: float
    measured_ratio: float | None
    delivered: float | None
    reason: str
    status: dict[str, str] = {}


def fusions(session: Session, own: Roofs, run: int | None = None) -> list[Fusion]:
    """Every chain of one run (the reported one by default), as measured; empty without any."""
    found = session.group(FUSION, run)
    return [
        _fusion(session, own, m, {p.variant: p for p in found if p.op == m.op})
        for m in found
        if m.variant == EAGER and m.op in CHAINS and _fused_bytes(m)
    ]


def _fused_bytes(m: Measurement) -> int:
    """Of a chain in one kernel; 0 of elements whose size nobody knows."""
    if m.dtype not in ELEMENT_BITS:
        return 0
    return fused(m.op, m.shape["rows"], m.shape["columns"], m.dtype).bytes


def _fusion(
    session: Session, own: Roofs, eager: Measurement, ways: dict[str | None, Measurement]
) -> Fusion:
    before_s, before = time_s(eager), traffic_bytes(eager)
    after = _fused_bytes(eager)
    compiled = ways.get(COMPILED)
    times = {
        "graph_s": _seconds(ways.get(GRAPH)),
        "fused_s": _seconds(compiled),
        "once_s": _seconds(ways.get(ONCE)),
    }
    status = {name: UNMEASURED for name, seconds in times.items() if seconds is None}
    if session.device.kind == "cpu" and "graph_s" in status:
        status["graph_s"] = "not_supported"
    ratio = delivered = None
    if compiled is not None:
        after_s = time_s(compiled)
        ratio = before_s / after_s
        if after < before:  # else nothing was promised
            delivered = (1 - after_s / before_s) / (1 - after / before)
        else:
            status["delivered"] = UNMEASURED
    else:
        status |= dict.fromkeys(("measured_ratio", "delivered"), UNMEASURED)
    return Fusion(
        op=eager.op,
        name=NAMES[eager.op],
        shape=eager.shape,
        dtype=eager.dtype,
        eager_s=before_s,
        **times,
        eager_bytes=before,
        fused_bytes=after,
        predicted_ratio=before / after,
        measured_ratio=ratio,
        delivered=delivered,
        reason=_reason(session, own, eager, compiled, delivered),
        status=status,
    )


def _seconds(m: Measurement | None) -> float | None:
    return time_s(m) if m else None


def _reason(
    session: Session,
    own: Roofs,
    eager: Measurement,
    compiled: Measurement | None,
    delivered: float | None,
) -> str:
    """Why there is no fused kernel, or what binds one that does not bring what bytes promise."""
    if compiled is None or delivered is None:
        return next(
            (
                n.text
                for n in reversed(session.notes)
                if n.probe == eager.probe and n.run == eager.run and n.text.startswith(NOT_FUSED)
            ),
            "",
        )
    if delivered >= STOP:
        return ""
    roof = memory_roof(session, own, [], compiled)
    bytes_s = traffic_bytes(compiled) / (roof.rate * 1e9) if roof else None
    explained = arithmetic_reason(session, compiled, FUSED[compiled.op], bytes_s)
    if explained.said:
        return explained.said
    if bytes_s is not None and bytes_s >= STOP * time_s(compiled):
        return "the fused kernel is at its roof: the kernels before were faster than their bytes"
    return NOT_KNOWN
