"""Day 18, the steps of TinyLlama on a T4: their floor, where the curve bends, and why."""

from __future__ import annotations

from functools import partial

from roofwatch.roofline.decode import Decode, decode_of, gap_to_linear
from roofwatch.roofline.example import (
    DAY_18,
    FLOP_BYTE,
    OWN,
    ROUNDED,
    TIMES,
    WRONG,
    Example,
    Seeds,
    at,
    example,
    nominal_roof,
)

OVERHEAD_S = 7.8e-3
"""Constant time of a step that all of the seed's bends share; it names it nowhere."""
GB, MS = 1e9, 1e-3
BENT = 0.05
POWERS, ALL = tuple(1 << i for i in range(1, 12)), tuple(range(2, 2048))

say = partial(example, DAY_18)


def examples(s: Seeds) -> list[Example]:
    """The curve, then what its steps are made of."""
    return [*_bends(s), *_parts(s)]


def off_linear(d: Decode, batch: int, overhead_s: float) -> float:
    """By how much a batch falls short of linear on that T4."""
    return gap_to_linear(d.step_s(1, OWN, overhead_s), d.step_s(batch, OWN, overhead_s))


def _first_bent(d: Decode, overhead_s: float, batches: tuple[int, ...]) -> int:
    return next(b for b in batches if off_linear(d, b, overhead_s) > BENT)


def _bends(s: Seeds) -> list[Example]:
    short = decode_of(s.tiny, 256)
    t4 = nominal_roof(s.t4)
    one_s, many_s = (short.step_s(b, OWN, OVERHEAD_S) for b in (1, 128))

    def step(batch: int, seconds: float, said: str) -> Example:
        moved = f"{short.bytes(batch) / GB:.2f} GB / {OWN.bandwidth_gbs:g} GB/s"
        how = f"{moved} + {OVERHEAD_S / MS:g} ms"
        return say(f"TinyLlama step, batch {batch}", how, (seconds / MS, "ms", 2), said)

    def bend(context: int, batch: int, decimals: int, said: str | None = None) -> Example:
        d, overhead_s = decode_of(s.tiny, context), OVERHEAD_S if said else 0.0
        first_s, last_s = (d.step_s(b, OWN, overhead_s) / MS for b in (1, batch))
        what = f"{'off linear' if said else 'without overhead'}, {batch} at {context}"
        how = f"1 - {first_s:.2f} / {last_s:.2f} ms"
        return say(what, how, (100 * off_linear(d, batch, overhead_s), "%", decimals), said)

    return [
        say(
            "TinyLlama floor on a T4",
            at(short.weights_bytes, t4),
            (short.floor_s(t4.bandwidth_gbs) / MS, "ms", 1),
            "6.9",
        ),
        step(1, one_s, "16"),
        step(128, many_s, "19"),
        say(
            "tokens, batch 128 over 1",
            f"128 x {one_s / MS:.2f} / {many_s / MS:.2f} ms",
            (128 * one_s / many_s, TIMES, 1),
            "109",
        ),
        bend(256, 16, 2, "2"),
        bend(256, 64, 2, "8"),
        bend(256, 128, 1, "15"),
        bend(2048, 128, 1, "57"),
        bend(256, 128, 1),
        bend(2048, 128, 1),
        say(
            "first power of two over 5 %",
            "1 - t(1) / t(b) at 256",
            (_first_bent(short, OVERHEAD_S, POWERS), "", 0),
            "64",
        ),
        say(
            "first batch over 5 %",
            "1 - t(1) / t(b) at 256",
            (_first_bent(short, OVERHEAD_S, ALL), "", 0),
            "64",
            slip=ROUNDED,
            why="64 is the first power of two; without overhead "
            f"{_first_bent(short, 0.0, POWERS)} is, and {_first_bent(short, 0.0, ALL)} of all",
        ),
    ]


def _parts(s: Seeds) -> list[Example]:
    short, n160 = decode_of(s.tiny, 256), decode_of(s.tiny, 160)
    one_s, many_s = (short.step_s(b, OWN, OVERHEAD_S) for b in (1, 128))
    at_160 = [n160.step_s(b, OWN, OVERHEAD_S) for b in (1, 128)]
    own_s = short.floor_s(OWN.bandwidth_gbs)
    nominal_s = short.floor_s(nominal_roof(s.t4).bandwidth_gbs)
    grown, grown_160 = many_s / one_s - 1, at_160[1] / at_160[0] - 1
    return [
        say(
            "batch 128, computing",
            f"{short.flop(128) / GB:.0f} GFLOP / {OWN.peak_tflops:g} TFLOP/s",
            (short.compute_s(128, OWN) / MS, "ms", 1),
            "5.6",
        ),
        say(
            "batch 128, moving",
            f"{short.bytes(128) / GB:.2f} GB / {OWN.bandwidth_gbs:g} GB/s",
            (short.move_s(128, OWN) / MS, "ms", 1),
            "10.9",
        ),
        say(
            "batch 128 intensity, 256",
            f"{short.flop(128) / GB:.0f} GFLOP / {short.bytes(128) / GB:.2f} GB",
            (short.intensity(128), FLOP_BYTE, 0),
            "96",
        ),
        say(
            "step growth to 128, 256",
            f"{many_s / MS:.2f} / {one_s / MS:.2f} ms - 1",
            (100 * grown, "%", 1),
            "17",
        ),
        say(
            "step growth to 128, 160",
            f"{at_160[1] / MS:.2f} / {at_160[0] / MS:.2f} ms - 1",
            (100 * grown_160, "%", 1),
            "17",
            slip=WRONG,
            why=f"{100 * grown:.1f} % is n = 256, not about 160",
        ),
        say(
            "overhead of a batch 1 step",
            f"{OVERHEAD_S / MS:g} / {one_s / MS:.2f} ms",
            (100 * OVERHEAD_S / one_s, "%", 0),
            "most",
            slip=WRONG,
            why=f"{OVERHEAD_S / MS:g} ms beside {short.move_s(1, OWN) / MS:.2f} ms of bytes",
        ),
        say(
            "batch 1 step, of its roof",
            f"{own_s / MS:.2f} / {one_s / MS:.2f} ms",
            (100 * own_s / one_s, "%", 0),
            "54",
            slip=WRONG,
            why=f"54 % would be a step of {own_s / 0.54 / MS:.1f} ms",
        ),
        say(
            "step of 10 to 20 ms, of roof",
            f"{own_s / MS:.2f} ms / 20 and 10 ms",
            (100 * own_s / 20e-3, "%", 0),
            "40 to 70",
            slip=WRONG,
            why=f"weights over {OWN.bandwidth_gbs:g} GB/s; over the nominal bandwidth "
            f"{100 * nominal_s / 20e-3:.0f} to {100 * nominal_s / 10e-3:.0f} %",
            upper=100 * own_s / 10e-3,
        ),
    ]
