"""What a claim's op and shape must do: FLOP and each tensor's bytes, where the row says enough."""

from __future__ import annotations

from roofwatch.notebook.claim import Claim
from roofwatch.roofline import workload
from roofwatch.roofline.workload import ELEMENT_BITS, Traffic, Work

STREAMS = {
    "copy": workload.copy,
    "add": workload.add,
    "add_scalar": workload.add_scalar,
    "triad": workload.triad,
    "fill": workload.fill,
    "relu": workload.relu,
    "reduce": workload.reduce,
    "read": workload.reduce,
}
"""Elementwise work; a bare ``read`` moves what a reduction does."""


LINK_OPS = ("h2d", "d2h")


def work_of(claim: Claim) -> Work | None:
    """Formula work of one launch (of one step for decode); None where a size or type is missing."""
    work = _work(claim)
    return work if work is not None and work.bytes else None  # half a byte of fp4 is none


def flop_of(claim: Claim, work: Work | None) -> float | None:
    """FLOP of one launch or step; a product's need no type, so that a rate follows without one."""
    if work is not None or claim.dtype is not None:
        return work.flop if work is not None and work.flop else None
    times = claim.batch or 1
    if claim.op == "matmul" and claim.m and claim.n and claim.k:
        return 2.0 * claim.m * claim.n * claim.k * times
    if claim.op == "decode" and claim.params:
        return 2.0 * claim.params * times
    return None


def _work(claim: Claim) -> Work | None:
    op, dtype = claim.op, claim.dtype
    if op == "decode":
        return _decode(claim)
    if op == "matmul" and dtype in ELEMENT_BITS and claim.m and claim.n and claim.k:
        return _matmul(claim.m, claim.n, claim.k, dtype, claim.batch or 1)
    if dtype in ELEMENT_BITS:
        if op in workload.ROWWISE_FLOP and claim.m and claim.n:
            return workload.rowwise(op, claim.m * (claim.batch or 1), claim.n, dtype)
        if op == "embedding" and claim.m and claim.n:
            return workload.embedding(claim.m, claim.n, dtype)
        elements = elements_of(claim)
        if op in STREAMS and elements:
            return STREAMS[op](elements, dtype)
        if op in workload.ROWWISE_FLOP and elements:
            return workload.rowwise(op, 1, elements, dtype)
        if op == "embedding" and elements:
            return workload.embedding(1, elements, dtype)
        if op in LINK_OPS and elements:
            size = workload.size_bytes(elements, dtype)
            return Work(op=op, shape={}, flop=0.0, tensors=(Traffic(name="x", read_bytes=size),))
    if claim.read_bytes or claim.write_bytes:
        return Work(op=op, shape={}, flop=0.0, tensors=_stated(claim))
    return None


def elements_of(claim: Claim) -> int | None:
    """Elements of one tensor."""
    if claim.elements:
        return claim.elements
    return claim.m * claim.n if claim.m and claim.n else None


def _stated(claim: Claim) -> tuple[Traffic, ...]:
    read, write = round(claim.read_bytes or 0), round(claim.write_bytes or 0)
    tensors = (Traffic(name="read", read_bytes=read), Traffic(name="written", write_bytes=write))
    return tuple(t for t in tensors if t.read_bytes or t.write_bytes)


def _matmul(m: int, n: int, k: int, dtype: str, times: int) -> Work:
    one = workload.matmul(m, n, k, dtype)
    return Work(
        op="matmul",
        shape={**one.shape, "batch": times} if times > 1 else one.shape,
        flop=one.flop * times,
        tensors=tuple(
            Traffic(name=t.name, read_bytes=t.read_bytes * times, write_bytes=t.write_bytes * times)
            for t in one.tensors
        ),
    )


def weights_bytes(claim: Claim) -> float | None:
    """Bytes of the weights: as stated, else parameters in the row's type."""
    if claim.weight_bytes:
        return claim.weight_bytes
    if claim.params and claim.dtype in ELEMENT_BITS:
        return claim.params * ELEMENT_BITS[claim.dtype] / 8
    return None


def kv_bytes(claim: Claim) -> float | None:
    """KV bytes that one step reads, of all sequences; None where they are not known."""
    length = claim.kv_len or claim.context
    if not claim.kv_bytes_per_token or not length:
        return None
    return claim.kv_bytes_per_token * length * (claim.batch or 1)


def _decode(claim: Claim) -> Work | None:
    weights = weights_bytes(claim)
    if weights is None:
        return None
    bits = ELEMENT_BITS.get(claim.dtype or "", 16)
    params = claim.params or weights * 8 / bits
    return workload.decode(params, weights, claim.batch or 1, kv_bytes(claim) or 0.0)


def step_s(
    claim: Claim,
    work: Work | None = None,
    most_gbs: float | None = None,
    most_tflops: float | None = None,
) -> float | None:
    """Seconds of one decode step.

    A time that is one over the rate is a token's: of one sequence's step where the rate is per
    sequence, else of the whole batch's. The latter is meant where the former is more than the
    memory carries (``most_gbs``) or the units do (``most_tflops``), or nothing tells.
    """
    per_step = claim.tokens_per_step or 1.0
    rate, time, batch = claim.claimed_tokens_per_s, claim.time_s, claim.batch or 1
    if rate is None:
        return time
    of_batch = batch * per_step / rate
    if time is None:
        return of_batch
    if abs(time * rate - 1) >= 0.02:
        return time
    per_sequence = batch > 1 and work is not None and most_gbs is not None
    if not per_sequence or work is None or work.bytes / time / 1e9 > (most_gbs or 0.0):
        return of_batch
    too_many_flop = most_tflops is not None and work.flop / time / 1e12 > most_tflops
    return of_batch if too_many_flop else time * per_step
