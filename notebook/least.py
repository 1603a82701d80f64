"""What a claim's work needs at least, and the time that it says: both ceilings are held to that."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_work import flop_of, kv_bytes, share_here, weights_bytes
from roofwatch.notebook.operands import operands
from roofwatch.roofline.workload import ELEMENT_BITS, Work


class Least(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes and FLOP that no kernel of this op gets around, and the seconds that they took.

    ``sure_bytes`` and ``sure_flop`` leave open what the row leaves open: matmuls of a batch may
    share an operand, and a card of several holds a part of the parameters. ``timed`` is False
    where rates alone are told: work and seconds are then those of one second.
    """

    time_s: float
    timed: bool = True
    bytes: float | None = None
    flop: float | None = None
    sure_bytes: float | None = None
    sure_flop: float | None = None


def least_of(
    claim: Claim, work: Work | None, time_s: float | None, gbs: float | None, tflops: float | None
) -> Least | None:
    """The least work of a claim with its time; None where neither a time nor a rate tells one.

    ``gbs`` and ``tflops`` are the rates as claimed, None where they follow from the time.
    """
    moved, sure_moved = _bytes(claim, work)
    flop, sure_flop = _flop(claim, work)
    timed = time_s is not None
    if time_s is None and work is not None and gbs:
        time_s = work.bytes / gbs / 1e9
    elif time_s is None and tflops and (done := flop_of(claim, work)):
        time_s = done / tflops / 1e12
    if time_s is None:
        time_s = 1.0
        moved = sure_moved = gbs * 1e9 if gbs else None
        flop = sure_flop = tflops * 1e12 if tflops else None
    elif moved is None:
        moved = sure_moved = claim.bytes_counted or (gbs * 1e9 * time_s if gbs else None)
    if flop is None:
        flop = sure_flop = claim.flop_counted or (tflops * 1e12 * time_s if tflops else None)
    if moved is None and flop is None:
        return None
    return Least(
        time_s=time_s,
        timed=timed,
        bytes=moved,
        flop=flop,
        sure_bytes=sure_moved,
        sure_flop=sure_flop,
    )


def _bytes(claim: Claim, work: Work | None) -> tuple[float | None, float | None]:
    if work is None and claim.op == "matmul" and claim.dtype is None:
        return _of_any_type(claim)
    if work is None:
        return None, None
    moved = float(work.bytes)
    if claim.op == "decode":
        return moved, _of_step(claim, moved)
    if claim.op != "matmul" or claim.dtype not in ELEMENT_BITS or "k" not in work.shape:
        return moved, moved
    m, n, k = (work.shape[name] for name in "mnk")
    own, shared = operands(m, n, k, ELEMENT_BITS[claim.dtype] / 8, claim)
    stated = claim.read_bytes or claim.write_bytes
    return (min(own, moved), min(shared, moved)) if stated else (own, shared)


def _of_any_type(claim: Claim) -> tuple[float | None, float | None]:
    """Of a matmul without a type: as the narrowest there is."""
    if not (claim.m and claim.n and claim.k):
        return None, None
    return operands(claim.m, claim.n, claim.k, min(ELEMENT_BITS.values()) / 8, claim)


def _of_step(claim: Claim, moved: float) -> float:
    """Of a mixture of experts no more may be read than the parameters that a token uses."""
    weights = weights_bytes(claim)
    if not claim.weight_bytes or not claim.params or weights is None:
        return moved
    used = claim.params * ELEMENT_BITS.get(claim.dtype or "", 16) / 8
    return min(weights, used) + (kv_bytes(claim) or 0.0)


def _flop(claim: Claim, work: Work | None) -> tuple[float | None, float | None]:
    """Of matrix products alone: an elementwise op has no one count."""
    flop = flop_of(claim, work)
    if claim.op == "matmul":
        return flop, flop
    if claim.op != "decode" or flop is None:
        return None, None
    return flop, flop * share_here(claim)
