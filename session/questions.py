"""The seeds' five questions, answered from a session. All five stand in every record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from roofwatch.notebook.finding import Finding
from roofwatch.roofline.per_cent import per_cent, spaced
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.workload import ELEMENT_BITS, add_scalar
from roofwatch.session.attribution import Attributed, attributed, bandwidth_attributed
from roofwatch.session.checks import MISSING, Check
from roofwatch.session.decode import decode_curves
from roofwatch.session.decode_shape import shape_said
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.kernel_map import (
    COMPUTE,
    MEMORY,
    OVER,
    OVERHEAD,
    TFLOPS,
    KernelPoint,
    kernel_map,
)
from roofwatch.session.kernel_reason import Cause
from roofwatch.session.question_checks import (
    bandwidth_checks,
    compute_checks,
    decode_checks,
    kernel_checks,
    ridge_checks,
)
from roofwatch.session.rate_scale import RateScale, rate_scale
from roofwatch.session.rates import intensity, value
from roofwatch.session.ridges import between_ridges, changing_side, ridges
from roofwatch.session.roof_doubts import doubted_probes
from roofwatch.session.roofs import STREAMS, ComputeRoof, Roofs
from roofwatch.session.sm_clock import SPIN
from roofwatch.session.three_digits import three_digits
from roofwatch.session.throttle import fall

BOTH_BIND = (Cause.ARITHMETIC.name.lower(), Cause.BESIDE_BYTES.name.lower())
"""Causes of a kernel whose bytes take longest and whose functions take nearly as long."""
NO_VALUE = {"b_star": "never", "first_bend": "not_seen", "last_over_first": "too_few"}
"""Why a figure of a decode curve is null; as in a plan, b* is where no batch reaches the roof."""


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question, its answer in a sentence, the figures, and the checks that it rests on."""

    number: int
    question: str
    answer: str
    values: dict[str, Any]
    checks: list[Check] = []

    @property
    def missing(self) -> int:
        """How many of its checks nothing was measured for."""
        return sum(c.word == MISSING for c in self.checks)


def questions(
    session: Session, own: Roofs, found: Sequence[Finding] | None = None
) -> list[Question]:
    """Answers 1 to 5; one that cannot be given names the probe that would give it.

    ``found`` spares judging the session again.
    """
    main = main_roof(own)
    doubts = doubted_probes(session, own, found)
    asked = [
        _bandwidth(session, own),
        _compute(session, own, main, doubts),
        _ridge(session, own, main, doubts),
        _decode(session, own),
        _kernels(session, own, main),
    ]
    # What is not known is left out of the values; the answer says what would tell.
    return [
        msgspec.structs.replace(q, values={k: v for k, v in q.values.items() if v is not None})
        for q in asked
    ]


def main_roof(own: Roofs) -> ComputeRoof | None:
    """The precision that stands for the card: the one held for seconds, else the first measured."""
    return own.compute.get(own.main_key or "")


def _share(part: float, whole: float | None) -> str:
    return f", {part / whole * 100:.0f} % of nominal" if whole else ""


def _unknown(session: Session, nominal: object, what: str, so: str = "no share of it") -> str:
    """That a nominal figure is not known of the device, and what that leaves; empty where it is."""
    if nominal is not None:
        return ""
    device = "CPU" if session.device.kind == "cpu" else "card"
    return f" No nominal {what} is known for this {device}, so {so}."


def _bandwidth(session: Session, own: Roofs) -> Question:
    question = "What share of the nominal bandwidth does this card reach?"
    if own.bandwidth is None or own.bandwidth_gbs is None:
        return Question(
            number=1,
            question=question,
            answer="The add_scalar probe would tell.",
            values={},
            checks=bandwidth_checks(session, own),
        )
    whole = own.nominal_gbs
    return Question(
        number=1,
        question=question,
        answer=f"{three_digits(own.bandwidth_gbs)} GB/s by {own.bandwidth.probe}"
        f"{_share(own.bandwidth_gbs, whole)}.{_unknown(session, whole, 'bandwidth')}"
        f"{_as_held(session, own)}"
        f"{_lost_bandwidth(session, own)}",
        values={
            "bandwidth_gbs": own.bandwidth_gbs,
            "nominal_gbs": whole,
            "of_nominal": own.bandwidth_gbs / whole if whole else None,
        },
        checks=bandwidth_checks(session, own),
    )


def _as_held(session: Session, own: Roofs) -> str:
    """Where the slope is of a stream that was held: what the short ones came to."""
    if own.bandwidth is None or own.bandwidth.protocol != "sustained":
        return ""
    short = [m for m in session.measured() if m.protocol == "stream" and m.op in STREAMS]
    return _disturbed(max(short, key=value, default=None), value(own.bandwidth), 1.0)


def _lost_bandwidth(session: Session, own: Roofs) -> str:
    parts = bandwidth_attributed(session, own)
    if parts is None:
        return ""
    ecc = {True: "on", False: "off", None: "not readable"}[session.device.ecc]
    turn = f" {parts.turnaround:+.0f} read/write turnaround," if parts.turnaround else ""
    rest = "refresh and row changes" if parts.turnaround else "refresh, row changes, turnaround"
    return (
        f" From nominal {parts.nominal:.0f}: {parts.clock:+.0f} memory clock,{turn} "
        f"{parts.remainder:+.0f} {rest} (ECC {ecc})."
    )


def _compute(
    session: Session, own: Roofs, main: ComputeRoof | None, doubts: Mapping[str, str]
) -> Question:
    question = "What share of the nominal compute does it reach, and why not all of it?"
    if main is None or main.best_tflops is None:
        return Question(
            number=2,
            question=question,
            answer="A matmul probe would tell.",
            values={},
            checks=compute_checks(session, own, main, doubts),
        )
    seen = fall(session, probe=main.sustained.probe) if main.sustained else None
    scale, held = rate_scale(session), ""
    if main.sustained_tflops:
        held = f" Held for seconds it is {three_digits(main.sustained_tflops * scale.factor)}"
    if held and seen is not None and seen.price_tflops and seen.reasons:
        held += f": {seen.sentence}"
    held += "." if held else ""
    held += _disturbed(main.burst, main.best_tflops, scale.factor) if main.lifted else ""
    whole = main.nominal_tflops
    return Question(
        number=2,
        question=question,
        answer=f"{three_digits(main.best_tflops * scale.factor)} {scale.of(main.peak_key)} in "
        f"{main.peak_key}"
        f"{_share(main.best_tflops, whole)}.{held}{_unknown(session, whole, 'peak')}"
        f"{_lost_compute(session, main) or _expected(session, main, scale)}",
        values={
            "peak_key": main.peak_key,
            "burst_tflops": main.burst_tflops,
            "sustained_tflops": main.sustained_tflops,
            "nominal_tflops": whole,
            "of_nominal": main.best_tflops / whole if whole else None,
        },
        checks=compute_checks(session, own, main, doubts),
    )


def _disturbed(short: Measurement | None, reached: float, factor: float) -> str:
    """Of a roof that is as held: that the short run, which should be the faster, was not."""
    if short is None:
        return ""
    return (
        f" The short run came to {three_digits(value(short) * factor)} only, though a rested "
        "device is the faster one: it was disturbed, and what is held, "
        f"{three_digits(reached * factor)}, stands for both."
    )


def _expected(session: Session, main: ComputeRoof, scale: RateScale) -> str:
    """What it was to be, where no nominal peak can be split into what is lost of it."""
    m = main.burst or main.sustained
    expect = session.expect(m.probe, m.run) if m is not None else None
    if main.nominal_tflops is not None or m is None or expect is None:
        return ""
    low, high = (three_digits(end * scale.factor) for end in (expect.low, expect.high))
    unit, why = scale.of(main.peak_key), spaced(expect.why) if expect.why else ""
    return f" Expected were {low} to {high} {unit}" + (f": {why}." if why else ".")


def _lost_compute(session: Session, main: ComputeRoof) -> str:
    said, scale = [], rate_scale(session)
    for which in ("burst", "sustained"):
        found = attributed(session, main, which)
        if found is None:
            continue
        terms = found.terms
        share = {name: per_cent(part, 1, sign=True) for name, part in terms.of_nominal().items()}
        assumed = "" if found.tile_known else ", tile assumed"
        waves, rest = terms.waves * scale.factor, terms.remainder * scale.factor
        said.append(
            f"{which}: {terms.clock * scale.factor:+.0f} clock ({share['clock']}, at "
            f"{found.clock.mhz:.0f} MHz{_by(found)}), {waves:+.0f} waves "
            f"({share['waves']}{assumed}), "
            f"{rest:+.0f} the rest ({share['remainder']})"
        )
    return f" From nominal in {scale.of(main.peak_key)}, {'; '.join(said)}." if said else ""


def _by(found: Attributed) -> str:
    return "" if found.clock.source == SPIN else " by NVML, up to 100 ms old"


def _ridge(
    session: Session, own: Roofs, main: ComputeRoof | None, doubts: Mapping[str, str]
) -> Question:
    question = "How far is the measured ridge from the nominal one, and which one decides?"
    seen = ridges(own, main.peak_key) if main is not None else {}
    if "burst" not in seen and "sustained" not in seen:
        return Question(
            number=3,
            question=question,
            answer="The add_scalar probe and a matmul probe would tell.",
            values=seen,
            checks=ridge_checks(session, own, main, doubts),
        )
    said = ", ".join(f"{three_digits(ridge)} {which}" for which, ridge in seen.items())
    decides = _unknown(session, seen.get("nominal"), "ridge", "the measured one decides")
    return Question(
        number=3,
        question=question,
        answer=f"{said} FLOP/byte.{decides or _which_ridge(own)}",
        values={**seen, "changing_side": changing_side(own)},
        checks=ridge_checks(session, own, main, doubts),
    )


def _which_ridge(own: Roofs) -> str:
    work = ", ".join(between_ridges(own) or ()) or "none of the common kinds"
    return (
        " For estimates on paper and for other cards take the nominal one, for your own points the "
        f"measured one. Only work whose intensity lies between them changes side: {work}."
    )


def _decode(session: Session, own: Roofs) -> Question:
    question = "What shape has the decode curve from batch 1 to 128, and where does it bend?"
    curves = decode_curves(session, own)
    if not curves:
        answer = "The decode probe would tell: --suite decode."
        return Question(
            number=4,
            question=question,
            answer=answer,
            values={},
            checks=decode_checks(session, curves),
        )
    said = []
    values: dict[str, Any] = {}
    for c in curves:
        reduced = f" ({c.layers} of {c.layers_of} layers)" if c.layers < c.layers_of else ""
        said.append(f"{c.model}{reduced} at {c.context}: {shape_said(c)}")
        values[f"{c.model} at {c.context}"] = {
            "first_bend": c.first_bend,
            "last_over_first": c.last_over_first,
            "ai_max": c.ai_max,
            "b_star": c.b_star,
        }
        known = values[f"{c.model} at {c.context}"]
        whys = NO_VALUE if c.points[0].paper_s is not None else {}  # without roofs b* is not known
        known["status"] = {n: whys.get(n, "not_known") for n, v in known.items() if v is None}
    why = next((c.reason for c in reversed(curves) if c.reason), "")
    answer = f"{'; '.join(said)}."
    return Question(
        number=4,
        question=question,
        answer=f"{answer} {why}".strip(),
        values=values,
        checks=decode_checks(session, curves),
    )


def _of_stream(own: Roofs) -> float:
    """Intensity of y = x + 1 in the type that the bandwidth was measured in."""
    dtype = own.bandwidth.dtype if own.bandwidth else ""
    return add_scalar(1 << 20, dtype if dtype in ELEMENT_BITS else "fp16").intensity


def _kernels(session: Session, own: Roofs, main: ComputeRoof | None) -> Question:
    question = "Which kernels reach the compute roof, and which never will?"
    roof = own.roof(main.peak_key, "burst") if main else None
    if main is None or main.burst is None or roof is None:
        return Question(
            number=5,
            question=question,
            answer="The add_scalar probe and a matmul probe would tell.",
            values={},
            checks=kernel_checks(session, own, main, []),
        )
    mapped = kernel_map(session, own)
    checks = kernel_checks(session, own, main, mapped)
    if mapped:
        return msgspec.structs.replace(_by_map(question, roof.ridge, mapped), checks=checks)
    return Question(
        number=5,
        question=question,
        answer=f"Those right of {three_digits(roof.ridge)} FLOP/byte: the large matmul here has "
        f"{three_digits(intensity(main.burst))}. y = x + 1 has {_of_stream(own):.3g}: its "
        "time is bytes over bandwidth, and only fewer bytes help. At "
        f"{STOP * 100:.0f} % of the measured roof, stop.",
        values={"ridge": roof.ridge, "matmul_intensity": intensity(main.burst)},
        checks=checks,
    )


def _by_map(question: str, ridge: float, mapped: list[KernelPoint]) -> Question:
    """Which kernels of the map stand on the flat, which on the slope, which wait for launches."""
    flat = [p for p in mapped if p.roof_unit == TFLOPS and p.bound != OVERHEAD]
    waiting = [p for p in mapped if p.bound == OVERHEAD]
    slope = [p for p in mapped if p.roof_unit != TFLOPS and p.bound == MEMORY]
    own = [p for p in mapped if p.roof_unit != TFLOPS and p.bound == COMPUTE]
    said = []
    if flat:
        each = ", ".join(f"{p.label} {_of_roof(p)}" for p in flat)
        said.append(f"Right of {three_digits(ridge)} FLOP/byte and under the flat: {each}.")
    if slope:
        said.append(f"{_never(slope)}.")
    if own:
        each = ", ".join(p.label for p in own)
        said.append(f"Under neither line: {each}; functions on the common lanes take longer.")
    if waiting:
        each = ", ".join(p.label for p in waiting)
        said.append(f"Waiting for launches, under no line: {each}.")
    return Question(
        number=5,
        question=question,
        answer=" ".join(said),
        values={
            "ridge": ridge,
            "reach": {p.label: p.of_roof for p in flat},
            "never": [p.label for p in (*slope, *own)],
            "overhead": [p.label for p in waiting],
        },
    )


def _never(slope: list[KernelPoint]) -> str:
    """Those left of the ridge whose bytes take longest, by what else the map says of them."""
    highest = max(p.intensity for p in slope)
    each = ", ".join(p.label for p in slope)
    alone = [p.label for p in slope if p.of_roof is None or STOP <= p.of_roof <= OVER]
    both = [p.label for p in slope if p.label not in alone and p.cause in BOTH_BIND]
    rest = [
        f"{p.label} ({per_cent(p.of_roof)})"
        for p in slope
        if p.of_roof is not None and p.label not in (*alone, *both)
    ]
    bytes_alone = "time is bytes over bandwidth, and only fewer bytes help"
    said = [f"Never, at {highest:.3g} FLOP/byte and less: {each}"]
    if len(alone) == len(slope):
        said.append(f"Their {bytes_alone}")
    elif alone:
        said.append(f"Of {', '.join(alone)} the {bytes_alone}")
    if both:
        said.append(f"Bytes and functions both bind {', '.join(both)}")
    if rest:
        said.append(f"Not at the slope, so not by their bytes alone: {', '.join(rest)}")
    return ". ".join(said)


def _of_roof(p: KernelPoint) -> str:
    if not p.of_roof:
        return ""
    return f"({three_digits(p.intensity)} FLOP/byte, {per_cent(p.of_roof)} of the roof)"
