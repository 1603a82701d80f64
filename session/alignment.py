"""What a matmul's odd sides cost: each shape against the aligned one beside it (seed: 8 or 64)."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.catalog import percent
from roofwatch.roofline.statistics import iqr
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.rates import tflops, time_s

ALIGNMENT = "alignment"  # key and protocol of the probe
ALIGNED = "aligned"
VOCABULARY, PADDED = "vocabulary", "vocabulary padded"
COSTS = 1.05  # a factor of less is the spread of a burst; an odd side gains nothing either
APART = 2  # times what an odd side seems to gain: so much is noise, and a loss is more
KEEPS = 0.95
SIDES = ("m", "n", "k")


class AlignmentPoint(msgspec.Struct, frozen=True, kw_only=True):
    """One shape. ``divisors`` are the largest powers of two that divide its sides.

    ``of_aligned`` is its rate over that of the aligned shape beside it, ``factor`` the inverse;
    ``outside_noise`` tells whether the middle halves of the two sets of repetitions lie apart.
    """

    variant: str
    shape: dict[str, int]
    layout: str | None
    divisors: dict[str, int]
    tflops: float
    time_s: float
    of_aligned: float | None
    factor: float | None
    outside_noise: bool | None
    kernel: str | None
    status: dict[str, str] = {}


class Alignment(msgspec.Struct, frozen=True, kw_only=True):
    """The experiment: its points as measured, the worst factor, and what it says."""

    dtype: str
    points: list[AlignmentPoint]
    worst_factor: float | None
    sentence: str
    status: dict[str, str] = {}


def alignment(session: Session, run: int | None = None) -> Alignment | None:
    """The experiment of one run (the reported one by default); None where it was not measured."""
    measured = [m for m in session.group(ALIGNMENT, run) if m.op == "matmul" and m.flop]
    if not measured:
        return None
    by_variant = {m.variant: m for m in measured}
    points = [_point(m, by_variant) for m in measured]
    factors = [p.factor for p in points if p.factor is not None and p.of_aligned != 1.0]
    worst = max(factors, default=None)
    return Alignment(
        dtype=measured[0].dtype,
        points=points,
        worst_factor=worst,
        sentence=_sentence(points, session.device.kind == "cpu"),
        status={} if worst is not None else {"worst_factor": "not_measured"},
    )


def power_of_two(side: int) -> int:
    """The largest power of two that divides a side."""
    return side & -side


def _point(m: Measurement, by_variant: dict[str | None, Measurement]) -> AlignmentPoint:
    beside = by_variant.get(PADDED if m.variant in (VOCABULARY, PADDED) else ALIGNED)
    share = tflops(m) / tflops(beside) if beside else None
    compared = ("of_aligned", "factor", "outside_noise")
    status = {} if beside else dict.fromkeys(compared, "not_measured")
    if m.kernel is None:
        status["kernel"] = m.status.get("kernel", "not_measured")
    if m.layout is None:
        status["layout"] = "not_supported"
    return AlignmentPoint(
        variant=m.variant or "",
        shape={side: m.shape[side] for side in SIDES},
        layout=m.layout,
        divisors={side: power_of_two(m.shape[side]) for side in SIDES},
        tflops=tflops(m),
        time_s=time_s(m),
        of_aligned=share,
        factor=1 / share if share else None,
        outside_noise=_apart(m, beside) if beside else None,
        kernel=m.kernel,
        status=status,
    )


def _apart(m: Measurement, beside: Measurement) -> bool:
    """Whether the middle halves of two sets of repetitions, a FLOP, do not overlap."""
    (a, half_a), (b, half_b) = (
        (time_s(x) / x.flop, iqr(x.times_s) / 2 / x.flop) for x in (m, beside)
    )
    return abs(a - b) > half_a + half_b


def _sentence(points: list[AlignmentPoint], on_cpu: bool) -> str:
    """What the points say, and only that."""
    seen = {p.variant: p for p in points}
    off = [p for p in points if p.variant not in (ALIGNED, PADDED) and p.factor is not None]
    if not off:
        return "The aligned shape or the others were not measured: nothing to compare."
    luckiest = max(off, key=lambda p: p.of_aligned or 0.0)
    gained = (luckiest.of_aligned or 0.0) - 1
    noise = max(COSTS, 1 + APART * gained)
    costly = [p for p in off if (p.factor or 0.0) > noise and p.outside_noise]
    if not costly:
        scatter = "or than the repetitions scatter"
        if noise > COSTS:
            scatter += f" ({_named(luckiest)} seems {percent(gained)} faster than the aligned)"
        return (
            f"{'On this CPU' if on_cpu else 'Here'} no side that is off costs more than "
            f"{percent(COSTS - 1)} {scatter}: multiples of 8 or 64 bring nothing that can be seen."
        )
    worst = max(costly, key=lambda p: p.factor or 0.0)
    out = [
        f"{_named(worst)} runs at {worst.tflops:.3g} TFLOP/s, a factor of {worst.factor:.2g} under "
        "the aligned shape."
    ]
    keeping = [p for p in off if (p.of_aligned or 0.0) >= KEEPS]
    eights = [p for p in keeping if p.variant in ("k-8", "n-8")]
    if eights:
        out.append(f"{_keeps(eights[0], ', a multiple of 8,')}.")
    if seen.get("m-1") in keeping:
        out.append(f"{_keeps(seen['m-1'])}: no operand has rows of m.")
    words = seen.get(VOCABULARY)
    if words in costly and words is not worst:
        out.append(f"{_keeps(words)} of the rate of {seen[PADDED].shape['n']}: pad it.")
    out.append("Take sides that are multiples of 8, better of 64.")
    return " ".join(out)


def _keeps(p: AlignmentPoint, what: str = "") -> str:
    return f"{_named(p)}{what} keeps {percent(p.of_aligned or 0.0)}"


def _named(p: AlignmentPoint) -> str:
    """The sides that the variant is about: ``k=8191``, ``a vocabulary of 50257``."""
    if p.variant == VOCABULARY:
        return f"A vocabulary of {p.shape['n']}"
    sides = [part[0] for part in p.variant.split() if part[0] in SIDES]
    return ", ".join(f"{side}={p.shape[side]}" for side in sides) or p.variant
