"""What is said of a decode curve's shape is read off its gaps."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.session.decode import DecodeCurve, decode_curves
from roofwatch.session.decode_shape import shape_said
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.questions import questions
from roofwatch.session.roofs import roofs

SESSIONS = Path(__file__).parent.parent / "sessions"


@pytest.fixture(scope="module")
def decoded() -> Session:
    return fold(events(SESSIONS / "record" / "h200-decode.jsonl"))


@pytest.fixture(scope="module")
def curve(decoded: Session) -> DecodeCurve:
    """Of batches 1 to 128."""
    return decode_curves(decoded, roofs(decoded))[0]


def shaped(curve: DecodeCurve, *gaps: float) -> str:
    """As if the step at each batch fell short of linear by these."""
    points = curve.points[: len(gaps)]
    return shape_said(
        msgspec.structs.replace(curve, points=points, gaps=list(gaps), last_over_first=None)
    )


def test_each_shape_has_its_words(curve: DecodeCurve) -> None:
    assert shaped(curve, 0, 0.01, 0.0, 0.02) == "linear within 5 % to batch 8"
    assert shaped(curve, 0, 0.01, 0.02, 0.2) == "near linear to batch 4, 5 % off from 8"
    assert shaped(curve, 0, 0.3, 0.5) == "less than linear from the start, 5 % off from 2"
    assert shaped(curve, 0, 0.01, 0.06, 0.04, 0.2) == (
        "near linear to batch 2, 5 % off from 4 (within it again at 8)"
    )
    assert shaped(curve, 0, -0.9, 0.3) == (
        "uneven: a step at batch 2 is shorter than at 1, which is noise"
    )
    assert shaped(curve, 0) == "batch 1 alone, which is no curve"


def test_a_flat_curve_is_not_said_to_bend(curve: DecodeCurve) -> None:
    flat = msgspec.structs.replace(curve, gaps=[0.0] * len(curve.points), last_over_first=1.0)
    assert shape_said(flat) == "linear within 5 % to batch 128, +0 % a step at 128"


def test_the_answer_has_the_shape_of_every_curve(decoded: Session) -> None:
    answer = questions(decoded, roofs(decoded))[3].answer
    for c in decode_curves(decoded, roofs(decoded)):
        assert f"{c.model} at {c.context}: {shape_said(c)}" in answer
    assert "Llama-3-8B at 2048: near linear to batch 2, 5 % off from 4, +167 % a step" in answer
