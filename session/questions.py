"""The seeds' five questions, answered from a session. All five stand in every record."""

from __future__ import annotations

from typing import Any

import msgspec

from roofwatch.session.fold import Session
from roofwatch.session.rates import gbs, intensity
from roofwatch.session.roofs import WHICH, ComputeRoof, Roofs
from roofwatch.session.throttle import fall

STOP = 0.90  # seed: at 90 % of the measured roof, look at another kernel


class Question(msgspec.Struct, frozen=True, kw_only=True):
    """A question, its answer in a sentence, the figures, and the checks that were made."""

    number: int
    question: str
    answer: str
    values: dict[str, Any]
    checks: list[dict[str, Any]] = []


def questions(session: Session, own: Roofs) -> list[Question]:
    """Answers 1 to 5; one that cannot be given names the probe that would give it."""
    main = main_roof(own)
    asked = [
        _bandwidth(session, own),
        _compute(session, own, main),
        _ridge(own, main),
        _decode(),
        _kernels(own, main),
    ]
    # What is not known is left out of the values; the answer says what would tell.
    return [
        msgspec.structs.replace(q, values={k: v for k, v in q.values.items() if v is not None})
        for q in asked
    ]


def main_roof(own: Roofs) -> ComputeRoof | None:
    """The precision that stands for the card: the one held for seconds, else the first measured."""
    flats = [c for c in own.compute.values() if c.best_tflops]
    return next((c for c in flats if c.sustained_tflops), flats[0] if flats else None)


def _share(part: float, whole: float | None) -> str:
    return f", {part / whole * 100:.0f} % of nominal" if whole else ""


def _bandwidth(session: Session, own: Roofs) -> Question:
    question = "What share of the nominal bandwidth does this card reach?"
    if own.bandwidth is None or own.bandwidth_gbs is None:
        return Question(
            number=1, question=question, answer="The add_scalar probe would tell.", values={}
        )
    checks = []
    control = next(
        (
            m
            for m in session.measured()
            if m.protocol == "stream"
            and m.probe != own.bandwidth.probe
            and m.op == own.bandwidth.op
        ),
        None,
    )
    if control is not None:
        ratio = gbs(control) / own.bandwidth_gbs
        checks.append(
            {
                "check": f"{control.dtype} moves bytes as fast",
                "ratio": round(ratio, 4),
                "ok": abs(ratio - 1) <= 0.02,
            }
        )
    whole = own.nominal_gbs
    return Question(
        number=1,
        question=question,
        answer=f"{own.bandwidth_gbs:.0f} GB/s by {own.bandwidth.probe}"
        f"{_share(own.bandwidth_gbs, whole)}.",
        values={
            "bandwidth_gbs": own.bandwidth_gbs,
            "nominal_gbs": whole,
            "of_nominal": own.bandwidth_gbs / whole if whole else None,
        },
        checks=checks,
    )


def _compute(session: Session, own: Roofs, main: ComputeRoof | None) -> Question:
    question = "What share of the nominal compute does it reach, and why not all of it?"
    if main is None or main.best_tflops is None:
        return Question(number=2, question=question, answer="A matmul probe would tell.", values={})
    seen = fall(session)
    held = (
        f" Held for seconds it is {main.sustained_tflops:.4g}: {seen.sentence}."
        if main.sustained_tflops and seen is not None and seen.price_tflops and seen.reasons
        else ""
    )
    whole = main.nominal_tflops
    return Question(
        number=2,
        question=question,
        answer=f"{main.best_tflops:.4g} TFLOP/s in {main.peak_key}"
        f"{_share(main.best_tflops, whole)}.{held}",
        values={
            "peak_key": main.peak_key,
            "burst_tflops": main.burst_tflops,
            "sustained_tflops": main.sustained_tflops,
            "nominal_tflops": whole,
            "of_nominal": main.best_tflops / whole if whole else None,
        },
    )


def _ridge(own: Roofs, main: ComputeRoof | None) -> Question:
    question = "How far is the measured ridge from the nominal one, and which one decides?"
    seen = {
        which: roof.ridge
        for which in WHICH
        if main is not None and (roof := own.roof(main.peak_key, which)) is not None
    }
    if "burst" not in seen and "sustained" not in seen:
        return Question(
            number=3,
            question=question,
            answer="The add_scalar probe and a matmul probe would tell.",
            values=seen,
        )
    said = ", ".join(f"{ridge:.0f} {which}" for which, ridge in seen.items())
    return Question(
        number=3,
        question=question,
        answer=f"{said} FLOP/byte. For estimates on paper and for other cards take the nominal "
        "one, for your own points the measured one. Only work whose intensity lies between them "
        "changes side.",
        values=seen,
    )


def _decode() -> Question:
    return Question(
        number=4,
        question="What shape has the decode curve from batch 1 to 128, and where does it bend?",
        answer="A decode probe would tell; the quick suite has none.",
        values={},
    )


def _kernels(own: Roofs, main: ComputeRoof | None) -> Question:
    question = "Which kernels reach the compute roof, and which never will?"
    roof = own.roof(main.peak_key, "burst") if main else None
    if main is None or main.burst is None or roof is None:
        return Question(
            number=5,
            question=question,
            answer="The add_scalar probe and a matmul probe would tell.",
            values={},
        )
    return Question(
        number=5,
        question=question,
        answer=f"Those right of {roof.ridge:.0f} FLOP/byte: the large matmul here has "
        f"{intensity(main.burst):.0f}. y = x + 1 has "
        f"{intensity(own.bandwidth) if own.bandwidth else 0:.2g}: its time is bytes over "
        f"bandwidth, and only fewer bytes help. At {STOP * 100:.0f} % of the measured roof, stop.",
        values={"ridge": roof.ridge, "matmul_intensity": intensity(main.burst)},
    )
