"""Day 18's self-test: another card and another model, and what a number smells of."""

from __future__ import annotations

import random

from roofwatch.roofline.decode import RESERVE, at_roof, decode_of
from roofwatch.roofline.example import DAY_18
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.model import Model
from roofwatch.roofline.published import published_bandwidth
from roofwatch.roofline.quiz import (
    BOUNDS,
    CACHE,
    CHOICE,
    FLOP_BYTE,
    GB,
    GBS,
    GO_ON,
    MEMORY,
    NUMBER,
    OVERHEAD,
    PEAK,
    PERCENT,
    STOP,
    SYNCHRONIZE,
    Ground,
    Question,
    Value,
    between,
    digits,
    pick,
)
from roofwatch.roofline.roof import STOP_HERE, Roof, distances, mfu, work_on
from roofwatch.roofline.workload import add_scalar, matmul, rowwise, size_bytes

LARGE = 4096  # of the square that a kernel's figure is taken to be of
SHIFT = 0.02  # nominal and measured ridge may lie closer than NEAR
UNFINISHED = 10.0  # times the nominal bandwidth: no cache is so fast
MOSTLY = 0.5  # of a kernel's time


def measured_ridge(sheet: Roof, peak_percent: float, bandwidth_percent: float) -> Question:
    """8. The ridge of what was measured."""
    own = Roof(
        bandwidth_gbs=sheet.bandwidth_gbs * bandwidth_percent / 100,
        peak_tflops=sheet.peak_tflops * peak_percent / 100,
    )
    return Question(
        number=8,
        note=DAY_18,
        key="measured_ridge",
        kind=NUMBER,
        answer=own.ridge,
        unit=FLOP_BYTE,
        tolerance=SHIFT,
        case="right" if own.ridge > sheet.ridge else "left",
        values={
            "peak_tflops": sheet.peak_tflops,
            "bandwidth_gbs": sheet.bandwidth_gbs,
            "peak_percent": peak_percent,
            "bandwidth_percent": bandwidth_percent,
            "own_tflops": own.peak_tflops,
            "own_gbs": own.bandwidth_gbs,
            "nominal": sheet.ridge,
            "own": own.ridge,
            "moved": 100 * abs(own.ridge / sheet.ridge - 1),
            "low": min(own.ridge, sheet.ridge),
            "high": max(own.ridge, sheet.ridge),
        },
    )


def draw_8(chance: random.Random, on: Ground) -> Question:
    """Shares as cards reach them, never both the same."""
    peak, bandwidth = 60 + chance.randrange(31), 74 + chance.randrange(20)
    return measured_ridge(on.roof, peak, bandwidth + (peak == bandwidth))


def stream(size_mib: float, time_ms: float, nominal_gbs: float) -> Question:
    """9. y = x + 1, timed: the bandwidth, and what reads alone would make of it."""
    moved = add_scalar(int(size_mib * 2**20 / 2), "fp16")
    gbs = moved.bytes / time_ms * 1e3 / GB
    reads = moved.tensors[0].read_bytes / time_ms * 1e3 / GB
    return Question(
        number=9,
        note=DAY_18,
        key="stream",
        kind=NUMBER,
        answer=gbs,
        unit=GBS,
        values={
            "size_mib": size_mib,
            "time_ms": time_ms,
            "moved_gb": moved.bytes / GB,
            "gbs": gbs,
            "reads_gbs": reads,
            "nominal_gbs": nominal_gbs,
            "share": 100 * gbs / nominal_gbs,
            "reads_share": 100 * reads / nominal_gbs,
        },
    )


def draw_9(chance: random.Random, on: Ground) -> Question:
    """A large tensor, at 76 to 92 % of nominal."""
    size_mib, nominal = pick(chance, (512, 1024, 2048)), on.roof.bandwidth_gbs
    took_s = add_scalar(size_mib * 2**19, "fp16").bytes / nominal / GB / between(chance, 0.76, 0.92)
    return stream(size_mib, digits(took_s * 1e3, 2), nominal)


def ceiling(model: Model, context: int, roof: Roof, memory_bytes: float | None) -> Question:
    """10. AI_max: whether batching makes a decode compute-bound."""
    held = decode_of(model, context)
    star = held.b_star(roof.ridge)
    values: dict[str, Value] = {
        "model": model.name,
        "context": context,
        "weights_gb": held.weights_bytes / GB,
        "kv_bytes": model.kv_bytes_per_token(),
        "sequence_gb": held.sequence_bytes / GB,
        "ai_max": held.ai_max,
        "ridge": roof.ridge,
    }
    case = "never"
    if star is not None:
        case, values["star"] = "reaches", at_roof(star)
    if memory_bytes:
        values["memory_gb"] = memory_bytes / GB
        room_gb = memory_bytes * (1 - RESERVE) / GB
        if held.weights_bytes / GB <= room_gb:
            values["sequences"] = held.memory_cap(memory_bytes, RESERVE)
        else:
            values["room_gb"] = room_gb
    return Question(
        number=10,
        note=DAY_18,
        key="ceiling",
        kind=NUMBER,
        answer=held.ai_max,
        unit=FLOP_BYTE,
        case=case,
        values=values,
    )


def draw_10(chance: random.Random, on: Ground) -> Question:
    """Any of the models, at a context of 256 to 8192."""
    context = pick(chance, (256, 1024, 2048, 4096, 8192))
    return ceiling(pick(chance, on.models), context, on.roof, on.card.memory_bytes)


def of_the_roof(tflops: float, own_tflops: float, nominal: Roof) -> Question:
    """11. A kernel under the measured roof: go on, or look elsewhere."""
    square = matmul(LARGE, LARGE, LARGE, "fp16")
    own = Roof(bandwidth_gbs=nominal.bandwidth_gbs, peak_tflops=own_tflops)
    gaps = distances(square.intensity, tflops, own, nominal.peak_tflops)
    case = STOP if work_on(gaps) == STOP_HERE else GO_ON
    values: dict[str, Value] = {
        "tflops": tflops,
        "own_tflops": own_tflops,
        "nominal_tflops": nominal.peak_tflops,
        "of_nominal": 100 * mfu(tflops, nominal.peak_tflops),
        "of_own": 100 * mfu(tflops, own_tflops),
    }
    then = Question(
        number=11,
        note=DAY_18,
        key="of_the_roof_next",
        kind=CHOICE,
        answer=case,
        choices=(GO_ON, STOP),
        values=values,
    )
    return Question(
        number=11,
        note=DAY_18,
        key="of_the_roof",
        kind=NUMBER,
        answer=100 * mfu(tflops, own_tflops),
        unit=PERCENT,
        tolerance=SHIFT,
        case=case,
        values=values,
        then=then,
    )


def draw_11(chance: random.Random, on: Ground) -> Question:
    """A roof of 72 to 88 % of nominal, a kernel at 60 to 98 % of that, away from 90."""
    own = digits(on.roof.peak_tflops * between(chance, 0.72, 0.88))
    part = pick(chance, (between(chance, 0.60, 0.88), between(chance, 0.92, 0.98)))
    return of_the_roof(digits(own * part), own, on.roof)


def norm(rows: int, hidden: int, time_us: float, roof: Roof) -> Question:
    """12. RMSNorm: launched, or moved."""
    size = rowwise("rmsnorm", rows, hidden, "fp16").bytes + size_bytes(hidden, "fp16")
    floor_us = size / roof.bandwidth_gbs / GB * 1e6
    answer = MEMORY if floor_us >= MOSTLY * time_us else OVERHEAD
    return Question(
        number=12,
        note=DAY_18,
        key="norm",
        kind=CHOICE,
        answer=answer,
        case=answer,
        choices=BOUNDS,
        values={
            "rows": rows,
            "hidden": hidden,
            "time_us": time_us,
            "kb": size / 1e3,
            "floor_us": floor_us,
            "bandwidth_gbs": roof.bandwidth_gbs,
            "moving": 100 * floor_us / time_us,
            "rest": 100 * (1 - floor_us / time_us),
        },
    )


def draw_12(chance: random.Random, on: Ground) -> Question:
    """One row, as in a decode step, or a prefill's many."""
    hidden = pick(chance, (2048, 4096, 8192))
    if chance.random() < 0.6:
        return norm(1, hidden, between(chance, 5, 12, 2), on.roof)
    rows = 65536
    least = rowwise("rmsnorm", rows, hidden, "fp16").bytes / on.roof.bandwidth_gbs / GB * 1e6
    return norm(rows, hidden, digits(least / between(chance, 0.75, 0.9)), on.roof)


def first_suspect(card: Nominal, roof: Roof, seen: float, size_mib: float | None) -> Question:
    """13. A number outside of what was expected: where to look first.

    ``seen`` is a stream's GB/s over tensors of ``size_mib``, or without a size an fp32 matmul's
    TFLOP/s. Raises ValueError where nothing is expected of the card.
    """
    values: dict[str, Value] = {"seen": seen, "bandwidth_gbs": roof.bandwidth_gbs}
    if size_mib is None:
        fp32 = card.peaks_tflops["fp32"]
        values |= {"wrong_tflops": roof.peak_tflops, "right_tflops": fp32}
        values |= {"wrong": 100 * mfu(seen, roof.peak_tflops), "right": 100 * mfu(seen, fp32)}
        answer = PEAK
    else:
        usual = published_bandwidth("add_scalar", card)
        if usual is None:
            raise ValueError(f"{card.name}: nothing is expected of its streams")
        ratio = seen / roof.bandwidth_gbs
        values |= {"size_mib": size_mib, "low": usual.low, "high": usual.high, "ratio": ratio}
        answer = SYNCHRONIZE if ratio > UNFINISHED else CACHE
    return Question(
        number=13,
        note=DAY_18,
        key="first_suspect",
        kind=CHOICE,
        answer=answer,
        case=answer,
        choices=(CACHE, PEAK, SYNCHRONIZE),
        values=values,
    )


def draw_13(chance: random.Random, on: Ground) -> Question:
    """One of three mistakes, as far as the card's figures allow them."""
    bandwidth, fp32 = on.roof.bandwidth_gbs, on.card.peaks_tflops.get("fp32")
    known = published_bandwidth("add_scalar", on.card) is not None
    what = pick(chance, ((CACHE, SYNCHRONIZE) if known else ()) + ((PEAK,) if fp32 else ()))
    if what == PEAK and fp32:
        return first_suspect(on.card, on.roof, digits(fp32 * between(chance, 0.78, 0.92)), None)
    times = between(chance, 30, 120) if what == SYNCHRONIZE else between(chance, 1.3, 2.9)
    size_mib = 1.0 if what == CACHE else 512.0
    return first_suspect(on.card, on.roof, digits(bandwidth * times), size_mib)
