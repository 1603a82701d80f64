"""Day 1's self-test: which of three bottlenecks, and what a trip to the memory costs."""

from __future__ import annotations

import random

from roofwatch.roofline.decode import RESERVE, Decode, decode_of
from roofwatch.roofline.example import DAY_1
from roofwatch.roofline.model import Model
from roofwatch.roofline.quiz import (
    BANDWIDTH,
    BOUNDS,
    CAPACITY,
    CHOICE,
    COMPUTE,
    EITHER,
    FLOP_BYTE,
    GB,
    MEMORY,
    MS,
    NUMBER,
    OVERHEAD,
    TIMES,
    Ground,
    Question,
    between,
    digits,
    pick,
)
from roofwatch.roofline.roof import Roof, mfu_ceiling
from roofwatch.roofline.trial import Trial, fitting
from roofwatch.roofline.workload import add_scalar, elementwise, linear, matmul, relu

FUSES = 1.05  # a gain so far beyond that of the gaps is the bytes'


def batch_and_latency(first: int, second: int, first_ms: float, second_ms: float) -> Question:
    """1. The batch grows, the latency follows or does not."""
    factor, ratio = second / first, second_ms / first_ms
    trial = Trial(
        what="batch",
        time_ratio=ratio,
        compute_ratio=factor,
        memory_ratio=1.0,  # the weights are read once whatever the batch
        overhead_ratio=1.0,
    )
    fits = fitting(trial)
    answer = COMPUTE if fits == {COMPUTE} else EITHER
    values = {"first": first, "second": second, "first_ms": first_ms, "second_ms": second_ms}
    return Question(
        number=1,
        note=DAY_1,
        key="batch_and_latency",
        kind=CHOICE,
        answer=answer,
        case=answer,
        choices=(*BOUNDS, EITHER),
        values={**values, "factor": factor, "ratio": ratio},
    )


def draw_1(chance: random.Random, on: Ground) -> Question:
    """A batch four to sixteen times as large, on one side of the ridge."""
    first, times = pick(chance, (1, 2, 4, 8)), pick(chance, (4, 8, 16))
    took_ms = between(chance, 5, 40, 2)
    longer = pick(chance, (between(chance, 1.0, 1.2), times * between(chance, 0.9, 1.05)))
    return batch_and_latency(first, first * times, took_ms, digits(took_ms * longer))


def chain(passes: int, size_mb: float, roof: Roof) -> Question:
    """2. cos once and several times, eager and fused."""
    one = elementwise("cos", int(size_mb * 1e6 / 2), "fp16")
    one_ms = one.bytes / roof.bandwidth_gbs / GB * 1e3
    return Question(
        number=2,
        note=DAY_1,
        key="chain",
        kind=NUMBER,
        answer=float(passes),  # each moves what one moves
        unit=TIMES,
        values={
            "calls": "x" + ".cos()" * passes,
            "passes": passes,
            "size_mb": size_mb,
            "one_ms": one_ms,
            "chain_ms": passes * one_ms,
            "bandwidth_gbs": roof.bandwidth_gbs,
        },
    )


def draw_2(chance: random.Random, on: Ground) -> Question:
    """Two to five passes over a few hundred megabytes."""
    return chain(2 + chance.randrange(4), 128.0 * 2 ** chance.randrange(4), on.roof)


def capacity_or_bandwidth(
    model: Model, context: int, memory_bytes: float, roof: Roof, what: str
) -> Question:
    """3. What only the memory's size decides, and what only its speed."""
    held: Decode = decode_of(model, context)
    return Question(
        number=3,
        note=DAY_1,
        key="capacity_or_bandwidth",
        kind=CHOICE,
        answer=what,
        case=what,
        choices=(CAPACITY, BANDWIDTH),
        values={
            "model": model.name,
            "context": context,
            "memory_gb": memory_bytes / GB,
            "bandwidth_gbs": roof.bandwidth_gbs,
            "weights_gb": held.weights_bytes / GB,
            "sequence_gb": held.sequence_bytes / GB,
            "sequences": held.memory_cap(memory_bytes, RESERVE),
            "floor_ms": held.floor_s(roof.bandwidth_gbs) * 1e3,
            "tokens": 1 / held.floor_s(roof.bandwidth_gbs),
        },
    )


def draw_3(chance: random.Random, on: Ground) -> Question:
    """A model that fits, where one does."""
    memory = on.card.memory_bytes or 0.0
    fitting_ones = [m for m in on.models if decode_of(m, 2048).memory_cap(memory, RESERVE)]
    model = pick(chance, fitting_ones or on.models[:1])
    what = pick(chance, (CAPACITY, BANDWIDTH)) if fitting_ones else BANDWIDTH
    return capacity_or_bandwidth(model, 2048, memory, on.roof, what)


def rows_of_a_layer(rows: int, width: int, roof: Roof) -> Question:
    """4. A square matmul, and the same weights under a few rows."""
    layer = linear(rows, width, width, "fp16")
    return Question(
        number=4,
        note=DAY_1,
        key="rows_of_a_layer",
        kind=NUMBER,
        answer=layer.intensity,
        unit=FLOP_BYTE,
        case=COMPUTE if layer.intensity >= roof.ridge else MEMORY,
        values={
            "rows": rows,
            "width": width,
            "mflop": layer.flop / 1e6,
            "mb": layer.bytes / 1e6,
            "intensity": layer.intensity,
            "square": matmul(width, width, width, "fp16").intensity,
            "pointwise": add_scalar(8, "fp16").intensity,
            "ridge": roof.ridge,
        },
    )


def draw_4(chance: random.Random, on: Ground) -> Question:
    """From a decode step's one row to a prefill's thousands."""
    return rows_of_a_layer(2 ** chance.randrange(13), pick(chance, (2048, 4096, 8192)), on.roof)


def compiled(busy_percent: float, faster: float) -> Question:
    """5. What torch.compile took away: gaps, or trips."""
    gain = 100 / busy_percent  # all that the gaps can give
    answer = OVERHEAD if faster <= FUSES * gain else MEMORY
    return Question(
        number=5,
        note=DAY_1,
        key="compiled",
        kind=CHOICE,
        answer=answer,
        case=answer,
        choices=BOUNDS,
        values={"busy": busy_percent, "faster": faster, "gain": gain},
    )


def draw_5(chance: random.Random, on: Ground) -> Question:
    """Mostly gaps, or none."""
    if chance.random() < 0.5:
        busy = between(chance, 12, 35, 2)
        return compiled(busy, between(chance, 1.6, 0.9 * 100 / busy, 2))
    return compiled(between(chance, 96, 99, 2), between(chance, 1.8, 3.5, 2))


def relu_of(size_gb: float, roof: Roof, lanes_tflops: float) -> Question:
    """6. ReLU over a large tensor: computing, moving, and what nvidia-smi shows."""
    one = relu(int(size_gb * GB / 2), "fp16")
    moving_ms = one.bytes / roof.bandwidth_gbs / GB * 1e3
    computing_ms = one.flop / lanes_tflops / 1e12 * 1e3
    return Question(
        number=6,
        note=DAY_1,
        key="relu_of",
        kind=NUMBER,
        answer=moving_ms,
        unit=MS,
        values={
            "size_gb": size_gb,
            "elements_g": one.shape["elements"] / GB,
            "moved_gb": one.bytes / GB,
            "bandwidth_gbs": roof.bandwidth_gbs,
            "lanes_tflops": lanes_tflops,
            "moving_ms": moving_ms,
            "computing_ms": computing_ms,
            "ratio": moving_ms / computing_ms,
            "of_peak": 100 * mfu_ceiling(one.intensity, roof.ridge),
        },
    )


def draw_6(chance: random.Random, on: Ground) -> Question:
    """Half a gigabyte to four."""
    return relu_of(pick(chance, (0.5, 1.0, 1.5, 2.0, 3.0, 4.0)), on.roof, on.lanes_tflops)


def picture(bound: str) -> Question:
    """7. Three pictures of a factory."""
    return Question(
        number=7,
        note=DAY_1,
        key="picture",
        kind=CHOICE,
        answer=bound,
        case=bound,
        choices=BOUNDS,
        values={},
    )


def draw_7(chance: random.Random, on: Ground) -> Question:
    """One of the three."""
    return picture(pick(chance, BOUNDS))
