"""What a claim's op and shape must do: FLOP and each tensor's bytes, where the row says enough."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.operands import PACKED, packed
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
COUNTED = ("attention", "other")  # ops whose FLOP only the row itself can tell


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
        return 2.0 * claim.params * times * _yielded(claim)
    return None


def _work(claim: Claim) -> Work | None:
    op, dtype = claim.op, claim.dtype
    if op == "decode":
        return _decode(claim)
    if op == "matmul" and claim.m and claim.n and claim.k:
        if claim.read_bytes or claim.write_bytes:
            return _matmul_as_stated(claim, claim.m, claim.n, claim.k)
        if dtype in ELEMENT_BITS:
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
        flop = (claim.flop_counted or 0.0) if op in COUNTED else 0.0
        return Work(op=op, shape={}, flop=flop, tensors=_stated(claim))
    return None


def elements_of(claim: Claim) -> int | None:
    """Elements of one tensor."""
    if claim.elements:
        return claim.elements
    return claim.m * claim.n if claim.m and claim.n else None


def formula_bytes(claim: Claim) -> float | None:
    """Of a matmul whose row states its bytes: those of the formula; None without a type."""
    work = work_of(msgspec.structs.replace(claim, read_bytes=None, write_bytes=None))
    stated = claim.op == "matmul" and (claim.read_bytes or claim.write_bytes)
    return float(work.bytes) if stated and work is not None else None


ROUNDED = 0.98  # of the least bytes: a figure with two digits is that far off


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


def _matmul_as_stated(claim: Claim, m: int, n: int, k: int) -> Work:
    """A matmul with the bytes that its row states, as packed weights or second reads have them.

    What is not stated is the formula's; below the packed operands nothing is believed.
    """
    times, known = claim.batch or 1, claim.dtype in ELEMENT_BITS
    size = ELEMENT_BITS[claim.dtype or ""] / 8 if known else PACKED
    least_read, least_written = packed(m, n, k, size, claim)
    read, written = least_read, least_written
    if known:
        one = _matmul(m, n, k, claim.dtype or "", times)
        read = float(sum(t.read_bytes for t in one.tensors))
        written = float(sum(t.write_bytes for t in one.tensors))
    read = max(claim.read_bytes or read, least_read)
    written = max(claim.write_bytes or written, least_written)
    shape = {"m": m, "n": n, "k": k}
    return Work(
        op="matmul",
        shape={**shape, "batch": times} if times > 1 else shape,
        flop=2.0 * m * n * k * times,
        tensors=(
            Traffic(name="read", read_bytes=round(read)),
            Traffic(name="written", write_bytes=round(written)),
        ),
    )


def understated_bytes(claim: Claim) -> float | None:
    """What a matmul's row states that it read or wrote, where no packed form is that small."""
    if claim.op != "matmul" or not (claim.m and claim.n and claim.k):
        return None
    size = ELEMENT_BITS[claim.dtype] / 8 if claim.dtype in ELEMENT_BITS else PACKED
    least_read, least_written = packed(claim.m, claim.n, claim.k, size, claim)
    stated = ((claim.read_bytes, least_read), (claim.write_bytes, least_written))
    if any(said and said < ROUNDED * least for said, least in stated):
        return sum(said or 0.0 for said, _ in stated)
    return None


def weights_bytes(claim: Claim) -> float | None:
    """Bytes of the weights: as stated, else parameters in the row's type."""
    if claim.weight_bytes:
        return claim.weight_bytes
    if claim.params and claim.dtype in ELEMENT_BITS:
        return claim.params * ELEMENT_BITS[claim.dtype] / 8
    return None


def share_here(claim: Claim) -> float:
    """The share of the parameters that stated weights may hold: one card's, or packed ones.

    1 where nothing leaves that open.
    """
    weights = claim.weight_bytes
    if not weights or not claim.params:
        return 1.0
    return min(1.0, weights * 8 / ELEMENT_BITS.get(claim.dtype or "", 16) / claim.params)


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
    work = workload.decode(params, weights, claim.batch or 1, kv_bytes(claim) or 0.0)
    return msgspec.structs.replace(work, flop=work.flop * _yielded(claim))


def _yielded(claim: Claim) -> float:
    """Tokens of a sequence that one pass verifies and yields: each costs its own FLOP."""
    return max(1.0, claim.tokens_per_step or 1.0)


def is_step_time(claim: Claim) -> bool:
    """Whether a row's time is that of one decode step, not one over its rate of tokens."""
    rate, time = claim.claimed_tokens_per_s, claim.time_s
    return claim.op == "decode" and time is not None and not (rate and abs(time * rate - 1) < 0.02)


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
