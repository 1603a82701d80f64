"""E7, seed error 7: arithmetic intensity taken for the batch; KV bytes bend a decode curve."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

WORTH_SAYING = 0.10  # KV bytes under a tenth of the weights explain no bend


def ai_equals_batch(reading: Reading) -> Finding | None:
    """A decode step of a batch: its KV bytes, known or missing, beside those of the weights."""
    batch, weights = reading.batch, reading.weights_bytes
    if reading.op != "decode" or not batch or batch < 2 or not weights:
        return None
    if reading.kv_bytes is None:
        return _missing(reading, batch, weights)
    kv = reading.kv_bytes
    if kv < WORTH_SAYING * weights or not reading.intensity:
        return None
    if (reading.tokens_per_step or 1.0) > 1.0:
        return None  # its intensity is no more that of the batch
    return finding(
        "E7",
        "kv_bytes",
        severity=NOTE,
        subject=reading.subject,
        batch=batch,
        intensity=reading.intensity,
        weights_gb=weights / 1e9,
        kv_gb=kv / 1e9,
        kv_share=kv / (weights + kv),
        ai_max=2 * (reading.flop or 0) / 2 / batch / (kv / batch) if reading.flop else None,
    )


def _missing(reading: Reading, batch: int, weights: float) -> Finding | None:
    """By weights alone it is slow: how many KV bytes a sequence would explain it."""
    usual_gbs = reading.usual_gbs
    if not reading.below or not reading.time_s or not usual_gbs or reading.gbs is None:
        return None
    unseen = usual_gbs * 1e9 * reading.time_s - weights
    if unseen <= 0:
        return None
    return finding(
        "E7",
        "kv_missing",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.9,
        batch=batch,
        gbs=reading.gbs,
        usual_gbs=usual_gbs,
        weights_gb=weights / 1e9,
        unseen_gb=unseen / 1e9,
        unseen_mb_per_sequence=unseen / batch / 1e6,
    )


class Bend(msgspec.Struct, frozen=True, kw_only=True):
    """A measured decode curve that leaves linear, and what its step's growth is made of.

    Times in milliseconds: of the first and the last batch, by how much the step grew, and how much
    of that are KV bytes and kernels; what the last batch's FLOP and bytes take by the roofs.
    """

    subject: str
    context: int
    first_bend: int
    batch: int
    intensity: float
    ai_max: float
    first_ms: float
    last_ms: float
    kv_ms: float
    kernels_ms: float
    flop_ms: float
    bytes_ms: float


def bend(seen: Bend) -> Finding:
    """Why a curve of our own bends: by KV bytes, by its kernels, or by compute after all."""
    if seen.flop_ms > seen.bytes_ms:
        return _bent(seen, "bend_compute")
    return _bent(seen, "bend_kv" if seen.kv_ms >= seen.kernels_ms else "bend_kernels")


def _bent(seen: Bend, case: str) -> Finding:
    return finding(
        "E7",
        case,
        severity=NOTE,
        subject=seen.subject,
        context=seen.context,
        first_bend=seen.first_bend,
        batch=seen.batch,
        intensity=seen.intensity,
        ai_max=seen.ai_max,
        first_ms=seen.first_ms,
        last_ms=seen.last_ms,
        grew_ms=seen.last_ms - seen.first_ms,
        kv_ms=seen.kv_ms,
        kernels_ms=seen.kernels_ms,
        flop_ms=seen.flop_ms,
        bytes_ms=seen.bytes_ms,
    )
