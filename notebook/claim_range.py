"""Which rate a claim is judged by, and the range in which it should lie: its roofline's.

An op takes the longer of what its bytes and what its FLOP take. Right of the ridge that is the
FLOP, and the row is judged by TFLOP/s; left of it the bytes, and it is judged by GB/s. Where the
other rate was claimed, its range is that of the longer time all the same.
"""

from __future__ import annotations

import msgspec

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_work import COUNTED, LINK_OPS, flop_of, share_here
from roofwatch.roofline.expected import Range
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.peaks import TENSOR_KEYS
from roofwatch.roofline.per_cent import per_cents
from roofwatch.roofline.precision import lacks
from roofwatch.roofline.published import (
    EMULATED,
    MFU,
    published_bandwidth,
    published_compute,
    published_link,
    published_work,
)
from roofwatch.roofline.workload import ELEMENT_BITS, Work

GBS, TFLOPS = "gbs", "tflops"
MATRIX_OPS = ("matmul", "attention")
MOVING_OPS = (*LINK_OPS, "copy", "fill", "embedding")
"""They compute nothing: whatever FLOP are said of them, their rate is that of bytes."""
WIDER = {
    "fp64": ("fp64_tensor",),
    "fp32": ("tf32", "fp32_matrix"),
    "fp16": ("fp16_acc16",),
    "fp8": ("fp8_fast",),
}
"""Other units that a kernel of a type may have used, unless it is a matmul and the type tells."""
FLOATS = ("fp16", "bf16", "fp8", "mxfp8", "fp4")
PACKED_BITS = 8
UNPACKED = ("fp16", "bf16")  # what packed weights are multiplied in where they have no unit
LOWEST_MEMORY = 0.5  # of nominal: no published range begins below, so the slope matters up to there


class Counts(msgspec.Struct, frozen=True):
    """What a claim's launch or step moves and computes; ``sure_flop`` where less may be meant."""

    bytes: float | None
    flop: float | None
    sure_flop: float | None

    @property
    def intensity(self) -> float | None:
        """FLOP per byte."""
        return self.flop / self.bytes if self.flop and self.bytes else None

    @property
    def sure(self) -> bool:
        """Whether the row leaves open how many FLOP are this card's."""
        return self.flop == self.sure_flop


def counts_of(
    claim: Claim, work: Work | None, claimed_flop: float | None, claimed_bytes: float | None
) -> Counts:
    """Bytes by formula or as stated, else as counted; so the FLOP."""
    moved = (float(work.bytes) if work else None) or claim.bytes_counted or claimed_bytes
    flop = flop_of(claim, work) or claim.flop_counted or claimed_flop
    share = share_here(claim) if claim.op == "decode" else 1.0
    return Counts(moved, flop, flop * share if flop else None)


def judged_by(
    claim: Claim,
    gbs: float | None,
    tflops: float | None,
    counts: Counts,
    key: str | None,
    card: Nominal | None,
) -> str:
    """Which rate is the number in question: the one that was claimed, else its ridge's side."""
    if claim.op in MOVING_OPS:
        return GBS
    stated = claim.claimed_tflops is not None or claim.claimed_mfu is not None
    if (claim.claimed_gbs is not None) != stated:
        return TFLOPS if stated else GBS
    ridge, intensity = card.ridge.get(key or "") if card else None, counts.intensity
    right = ridge is not None and intensity is not None and intensity >= ridge
    flop, moved = claim.flop_counted, claim.bytes_counted
    if claim.op in COUNTED and flop and counts.bytes and ridge is not None and not stated:
        return TFLOPS if right else GBS
    if claim.op == "other" and flop and moved and not stated:
        return GBS  # nobody knows the ridge
    if (flop is None) != (moved is None) and not stated:
        return TFLOPS if flop is not None else GBS
    if claim.op == "decode":  # of weights without a unit nobody knows what they ran on
        return TFLOPS if right and counts.sure and not is_emulated(claim, card) else GBS
    if claim.op in MATRIX_OPS:
        return TFLOPS if tflops is not None or gbs is None else GBS
    return TFLOPS if claim.op == "other" and gbs is None and tflops is not None else GBS


def is_emulated(claim: Claim, nominal: Nominal | None) -> bool:
    """Whether this card has no unit for the row's type, so that fp32 lanes do the work."""
    if nominal is None or claim.dtype is None or "fp32" not in nominal.peaks_tflops:
        return False
    if claim.dtype in nominal.peaks_tflops or claim.dtype not in FLOATS:
        return False
    if claim.dtype == "fp16":
        return "fp16_vector" not in nominal.peaks_tflops
    return lacks(claim.dtype, nominal.compute_capability) is not None


def expected_of(
    claim: Claim,
    judged: str,
    key: str | None,
    card: Nominal | None,
    work: Work | None,
    counts: Counts,
) -> tuple[Range | None, bool]:
    """The range, and whether it is that of the memory's slope, in FLOP."""
    if card is None:
        return None, False
    if claim.op in LINK_OPS:
        return published_link(card), False
    if claim.op == "matmul":  # with or without its sides; a whole model's MFU is one of "other"
        sparse, emulated = claim.math == "sparse" and key in TENSOR_KEYS, is_emulated(claim, card)
        compute = published_compute(key, card, sparse, emulated) if key else None
        return _of_matmul(judged, compute, card, work)
    of_model = judged == TFLOPS and claim.op != "attention" and claim.claimed_mfu is not None
    if of_model and key in card.peaks_tflops:
        return _of_model(card.peaks_tflops[key]), False
    return _longer(judged, _units(claim, key, card), published_bandwidth(claim.op, card), counts)


def _of_model(full: float) -> Range:
    why = f"{per_cents(*MFU)} of nominal {full:.4g}, as published for whole models"
    return Range(low=MFU[0] * full, high=MFU[1] * full, unit="TFLOP/s", why=why)


def _units(claim: Claim, key: str | None, card: Nominal) -> Range | None:
    """What the units give this op; None for what only moves bytes, or has no unit."""
    emulated = is_emulated(claim, card)
    if claim.op == "decode" and (emulated or key not in card.peaks_tflops):
        return _unpacked(card, emulated and claim.dtype in UNPACKED)
    found = [published_work(claim.op, k, card) for k in (key, *WIDER.get(key, ()))] if key else []
    ranges = [r for r in found if r is not None]
    if not ranges or ranges[0] is not found[0]:
        return None
    low, own = ranges[0].low, ELEMENT_BITS.get(claim.dtype or "", 16)
    if claim.op == "decode" and own <= PACKED_BITS:  # or multiplied in 16 bits, as packed ones are
        low = min([low, *(r.low for k in UNPACKED if (r := published_work("decode", k, card)))])
    return msgspec.structs.replace(ranges[0], low=low, high=max(r.high for r in ranges))


def _unpacked(card: Nominal, on_lanes: bool) -> Range | None:
    """Of weights without a unit: from what 16 bits give, or lanes, to the best of any type."""
    each = {key: published_work("decode", key, card) for key in card.peaks_tflops}
    ranges = {key: r for key, r in each.items() if r is not None}
    if not ranges:
        return None
    usual = {*UNPACKED} & {*ranges} or {"fp32"} & {*ranges} or {*ranges}
    low = min(ranges[key].low for key in usual)
    if on_lanes and "fp32" in card.peaks_tflops:
        low = min(low, EMULATED[0] * card.peaks_tflops["fp32"])
    high = max(r.high for r in ranges.values())
    why = "from what weights give that are unpacked first to the best of any type"
    return Range(low=low, high=high, unit="TFLOP/s", why=why)


def _longer(
    judged: str, compute: Range | None, memory: Range | None, counts: Counts
) -> tuple[Range | None, bool]:
    """Of the longer time of both, in the judged rate; and whether the slope sets it."""
    own, moved, flop = memory if judged == GBS else compute, counts.bytes, counts.flop
    if own is None or compute is None or memory is None or not moved or not flop:
        return own, False
    if judged == TFLOPS:
        slope = flop / moved / 1e3
        low, high = min(own.low, memory.low * slope), min(own.high, memory.high * slope)
        why = own.why if low == own.low else f"left of the ridge: {memory.why}"
        return Range(low=low, high=high, unit=own.unit, why=why), high < own.high
    low = min(own.low, compute.low * moved / flop * 1e3)
    high = min(own.high, compute.high * moved / (counts.sure_flop or flop) * 1e3)
    why = own.why if low == own.low else f"right of the ridge: {compute.why}"
    return Range(low=low, high=high, unit=own.unit, why=why), False


def _of_matmul(
    judged: str, compute: Range | None, card: Nominal, work: Work | None
) -> tuple[Range | None, bool]:
    """The roofline: the flat, or the slope where the intensity is small, whatever a cache adds."""
    if compute is None:
        return None, False
    low, high, why, on_slope = compute.low, compute.high, compute.why, False
    slope = work.intensity / 1e3 if work is not None else 0.0
    if 0 < LOWEST_MEMORY * slope * (card.bandwidth_gbs or 0.0) < low:
        memory = published_bandwidth("copy", card)
        if memory is not None and memory.low * slope < low:
            low, why = memory.low * slope, f"left of the ridge: {memory.why}"
            high = min(high, memory.high * slope)
            on_slope = high < compute.high
    if judged == TFLOPS:
        return Range(low=low, high=high, unit=compute.unit, why=why), on_slope
    if work is None or not work.flop:
        return None, False
    per_byte = 1e3 / work.intensity
    of_bytes = Range(
        low=low * per_byte, high=high * per_byte, unit="GB/s", why=f"of the FLOP: {why}"
    )
    return of_bytes, on_slope
