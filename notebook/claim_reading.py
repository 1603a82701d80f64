"""From a claim and the figures of its card to the reading that the rules look at."""

from __future__ import annotations

from collections.abc import Mapping

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_range import (
    GBS,
    MATRIX_OPS,
    MOVING_OPS,
    WIDER,
    counts_of,
    expected_of,
    is_emulated,
    judged_by,
)
from roofwatch.notebook.claim_work import (
    LINK_OPS,
    elements_of,
    flop_of,
    formula_bytes,
    is_step_time,
    kv_bytes,
    step_s,
    understated_bytes,
    weights_bytes,
    work_of,
)
from roofwatch.notebook.least import Least, least_of
from roofwatch.notebook.reading import ROUNDING, Reading
from roofwatch.roofline.expected import Range
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.peaks import TENSOR_KEYS, peak_key
from roofwatch.roofline.precision import skips_zeros
from roofwatch.roofline.published import (
    link_gbs,
    published_bandwidth,
)
from roofwatch.roofline.workload import ELEMENT_BITS, Work

SAME = 0.03
SUMMED = ("fp16", "fp8")  # types whose accumulator no row names
OTHER_KEYS = {"fp8_fast": "fp8", "fp8": "fp8_fast", "fp16": "fp16_vector"}


def reading_of(
    claim: Claim,
    subject: str,
    nominal: Nominal | None,
    slice_share: float | None = None,
    compared_is: tuple[str, ...] = (),
    siblings: Mapping[str, Nominal] | None = None,
) -> tuple[Reading, Range | None]:
    """The reading, and the range in which its judged rate should lie."""
    key = key_of(claim, nominal)
    if nominal is not None:
        key = _told_by_figure(claim, nominal, key)
    card = nominal or _as_compared(claim, key)
    work = work_of(claim)
    time = claim.time_s
    if claim.op == "decode":
        most_tflops = _ceiling(claim, card, key)
        time = step_s(claim, work, card.bandwidth_gbs if card else None, most_tflops)
    gbs, claimed_bytes = _gbs(claim, work, time)
    tflops, claimed_flop = _tflops(claim, work, time, card, key)
    counts = counts_of(claim, work, claimed_flop, claimed_bytes)
    judged = judged_by(claim, gbs, tflops, counts, key, card)
    if judged == GBS and gbs is None and tflops and work and work.flop:
        gbs = tflops * 1e3 / work.intensity
    on_link = claim.op in LINK_OPS
    expected, on_slope = expected_of(claim, judged, key, card, work, counts)
    memory = published_bandwidth(claim.op, card) if claim.op == "decode" and card else None
    least = least_of(
        claim,
        work,
        time,
        claim.claimed_gbs,
        tflops if claim.claimed_tflops or claim.claimed_mfu else None,
    )
    full = link_gbs(card) if on_link and card else card.bandwidth_gbs if card else None
    reading = Reading(
        subject=subject,
        op=claim.op,
        dtype=claim.dtype,
        math=claim.math or "ieee",
        math_stated=claim.math is not None,
        peak_key=key,
        gbs=gbs,
        tflops=tflops,
        judged=judged if (gbs if judged == GBS else tflops) else None,
        stated=(claim.claimed_gbs if judged == GBS else claim.claimed_tflops) is not None,
        time_s=time,
        rounding=claim.rounding,
        flop=work.flop if work and work.flop else None,
        bytes=float(work.bytes) if work else None,
        streams_bytes=_streams(work),
        claimed_bytes=claimed_bytes,
        claimed_flop=claimed_flop,
        stated_bytes=_contradicted(claim.bytes_counted, claimed_bytes, claim.rounding),
        stated_flop=_contradicted(claim.flop_counted, claimed_flop, claim.rounding),
        least=least,
        understated_bytes=understated_bytes(claim),
        formula_bytes=formula_bytes(claim),
        no_arithmetic=claim.op in MOVING_OPS and _of_flop(claim),
        of_tokens=claim.claimed_tokens_per_s is not None and claim.time_s is None,
        step_timed=is_step_time(claim),
        on_slope=on_slope,
        sparse=claim.math == "sparse" and skips_zeros(key, card.architecture if card else ""),
        shape=work.shape if work else {},
        intensity=counts.intensity if work is None else work.intensity,
        working_set_bytes=_working_set(claim, work, claimed_bytes, least),
        cache_bytes=card.llc_bytes if card else None,
        card=card.name if nominal and card else None,
        nominal_gbs=full,
        ceiling_gbs=full if on_link else card.ceiling_bandwidth_gbs if card else None,
        nominal_tflops=card.peaks_tflops.get(key) if card and key else None,
        ceiling_tflops=_ceiling(claim, card, key),
        peaks_tflops=card.peaks_tflops if card else {},
        ceilings_tflops=card.ceilings_tflops if card else {},
        has_fp64_tensor=bool(card and "fp64_tensor" in card.peaks_tflops),
        compared_gbs=claim.nominal_gbs if nominal else None,
        memory_gbs=card.bandwidth_gbs if card else None,
        compared_tflops=claim.nominal_tflops if nominal else None,
        compared_is=compared_is,
        share_stated=claim.claimed_mfu is not None,
        siblings={} if on_link else _sibling_rates(siblings, judged, key),
        link_gbs=link_gbs(card) if card else None,
        sm_count=card.sm_count if card else None,
        tdp_w=card.tdp_w if card else None,
        compute_capability=card.compute_capability if card else None,
        emulated=is_emulated(claim, nominal),
        slice_share=slice_share,
        memory_bytes=card.memory_bytes if card else None,
        low=expected.low if expected else None,
        high=expected.high if expected else None,
        usual_gbs=(memory.low * memory.high) ** 0.5 if memory else None,
        synchronized=claim.synchronized,
        timing=claim.timing,
        batch=claim.batch,
        weights_bytes=weights_bytes(claim) if claim.op == "decode" else None,
        kv_bytes=kv_bytes(claim) if claim.op == "decode" else None,
        tokens_per_step=claim.tokens_per_step,
        tokens_ratio=_tokens_ratio(claim),
    )
    return reading, expected


def key_of(claim: Claim, nominal: Nominal | None) -> str | None:
    """The peak that the row's type and math run on, on this card.

    Only a matmul goes by the tensor peak of fp64; a card without fp16 on tensor cores multiplies
    it on its lanes; Instinct cards multiply fp32 on matrix cores.
    """
    if claim.dtype is None:
        return None
    peaks = nominal.peaks_tflops if nominal else {}
    math = "ieee" if claim.math == "tf32" and nominal and "tf32" not in peaks else claim.math
    op = claim.op if claim.op != "other" else "matmul"
    has_fp64_tensor = "fp64_tensor" in peaks and claim.op == "matmul"
    key = peak_key(claim.dtype, math or "ieee", op=op, has_fp64_tensor=has_fp64_tensor)
    if key == "fp32" and math == "sparse" and (nominal is None or "tf32" in peaks):
        return "tf32"  # tensor cores alone skip zeros
    other = OTHER_KEYS.get(key or "", "")
    if key == "fp32" and claim.op in MATRIX_OPS and "fp32_matrix" in peaks:
        return "fp32_matrix"
    if key is not None and nominal is not None and key not in peaks:
        if other in peaks:
            return other
        if is_emulated(claim, nominal):
            return "fp32"
    return key


VARIANTS = {
    "fp16": "fp16_acc16",
    "fp8": "fp8_fast",
    "fp64": "fp64_tensor",
    "fp32_matrix": "fp32",
}
"""Another peak of the same type; the figure compared with may tell which was meant."""


def _told_by_figure(claim: Claim, nominal: Nominal, key: str | None) -> str | None:
    """The variant whose figure was compared with, where the rate says that it really ran."""
    other = VARIANTS.get(key or "", "")
    peaks, figure = nominal.peaks_tflops, claim.nominal_tflops
    if key not in peaks or other not in peaks or figure is None:
        return key
    rate = claim.claimed_tflops or (claim.claimed_mfu or 0.0) * figure
    if abs(figure / peaks[other] - 1) > SAME or not rate:
        return key
    if peaks[other] > peaks[key]:
        return other if rate > nominal.ceilings_tflops.get(key, peaks[key]) * ROUNDING else key
    return other if rate <= nominal.ceilings_tflops.get(other, peaks[other]) else key


def _as_compared(claim: Claim, key: str | None) -> Nominal | None:
    """Of an unknown card only the figures that the row itself compares with."""
    if claim.nominal_gbs is None and claim.nominal_tflops is None:
        return None
    peaks = {key: claim.nominal_tflops} if key and claim.nominal_tflops else {}
    full = claim.nominal_gbs
    ridge = {key: peak * 1e3 / full for key, peak in peaks.items()} if full else {}
    try:
        return Nominal(origin="user", bandwidth_gbs=full, peaks_tflops=peaks, ridge=ridge)
    except ValueError:  # no card has such a figure
        return None


def _gbs(claim: Claim, work: Work | None, time: float | None) -> tuple[float | None, float | None]:
    """The rate of bytes as claimed, else as it follows; and the bytes that the claim counts."""
    if claim.claimed_gbs is not None:
        counted = claim.claimed_gbs * 1e9 * time if time else None
        return claim.claimed_gbs, counted or claim.bytes_counted
    if time and claim.bytes_counted:
        return claim.bytes_counted / time / 1e9, claim.bytes_counted
    if time and work:
        return work.bytes / time / 1e9, None
    return None, None


def _tflops(
    claim: Claim, work: Work | None, time: float | None, card: Nominal | None, key: str | None
) -> tuple[float | None, float | None]:
    if claim.op in MOVING_OPS:
        return None, None
    if claim.claimed_tflops is not None:
        counted = claim.claimed_tflops * 1e12 * time if time else None
        return claim.claimed_tflops, counted or claim.flop_counted
    if claim.claimed_mfu is not None:
        own = card.peaks_tflops.get(key) if card and key else None
        full = claim.nominal_tflops or own
        if full is None:
            return None, None
        stated = claim.claimed_mfu * full
        return stated, stated * 1e12 * time if time else None
    if time and claim.flop_counted:
        return claim.flop_counted / time / 1e12, claim.flop_counted
    flop = flop_of(claim, work)
    return (flop / time / 1e12, None) if time and flop else (None, None)


def _of_flop(claim: Claim) -> bool:
    """Whether a row says FLOP, or a rate of them."""
    return any((claim.claimed_tflops, claim.claimed_mfu, claim.flop_counted))


def _contradicted(stated: float | None, counted: float | None, rounding: float) -> float | None:
    """What a row says that it counts, where its own rate and time give another count."""
    if stated is None or counted is None or abs(counted / stated - 1) <= SAME + rounding:
        return None
    return stated


def _tokens_ratio(claim: Claim) -> float | None:
    """Tokens that rate and time give a step, over those of the batch; 1 where they agree."""
    rate, time, batch = claim.claimed_tokens_per_s, claim.time_s, claim.batch or 1
    if claim.op != "decode" or rate is None or time is None:
        return None
    if abs(rate * time - 1) < 0.02:
        return 1.0  # a token's time, or a sequence's rate
    return rate * time / batch / (claim.tokens_per_step or 1.0)


def _streams(work: Work | None) -> tuple[float, ...]:
    if work is None:
        return ()
    return tuple(float(b) for t in work.tensors for b in (t.read_bytes, t.write_bytes) if b)


def _working_set(
    claim: Claim, work: Work | None, claimed_bytes: float | None, least: Least | None
) -> float | None:
    """All tensors together, as far as the row tells them; those that are read twice once."""
    if claim.op in LINK_OPS or claim.op == "decode":
        return None
    if work is not None:
        held = least.bytes if least is not None and least.timed else None
        return min(float(work.bytes), held or float(work.bytes))
    elements = elements_of(claim)
    if elements and claim.dtype in ELEMENT_BITS:
        return max(elements * ELEMENT_BITS[claim.dtype] / 8, claimed_bytes or 0.0)
    return claimed_bytes


def _ceiling(claim: Claim, card: Nominal | None, key: str | None) -> float | None:
    if card is None or key is None or key not in card.peaks_tflops:
        return None
    ceiling = card.ceilings_tflops.get(key, card.peaks_tflops[key])
    others = WIDER.get(key, ()) if claim.op != "matmul" or key in SUMMED else ()
    if is_emulated(claim, card):
        others = ("fp16", "bf16")  # weights are converted, and run on what there is
    ceiling = max(ceiling, *(card.ceilings_tflops.get(other, 0.0) for other in others), 0.0)
    return 2 * ceiling if claim.math == "sparse" and key in TENSOR_KEYS else ceiling


def _sibling_rates(
    siblings: Mapping[str, Nominal] | None, judged: str, key: str | None
) -> dict[str, float]:
    out = {}
    for name, other in (siblings or {}).items():
        figure = other.bandwidth_gbs if judged == GBS else other.peaks_tflops.get(key or "")
        if figure:
            out[name] = figure
    return out
