"""FLOP counted in another way: a multiply-add as one or as four, another shape."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.notebook.flop_miscounted import flop_miscounted
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "fp16",
    "peak_key": "fp16",
    "judged": "tflops",
    "tflops": 100.0,
    "nominal_tflops": 65.0,
    "ceiling_tflops": 65.0,
    "low": 40.0,
    "high": 60.0,
}
COUNTED: dict[str, object] = {"time_s": 1e-3, "flop": 50e9, "claimed_flop": 100e9}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_twice_the_flop_of_the_shape() -> None:
    found = flop_miscounted(reading(**COUNTED))
    assert found is not None
    assert found.code == found.name == "flop-miscounted"
    assert (found.severity, found.root, found.fit) == (WRONG, "flop", None)
    assert found.evidence == {
        "tflops": 100.0,
        "ratio": pytest.approx(2),
        "counted_gflop": pytest.approx(100),
        "gflop": pytest.approx(50),
        "corrected_tflops": pytest.approx(50),
        "op": "matmul",
    }


@pytest.mark.parametrize(
    ("ratio", "rounding", "fires"),
    [
        (1.0, 0.0, False),
        (1.039, 0.0, False),
        (0.961, 0.0, False),
        (1.1, 0.0, True),
        (1.1, 0.07, False),
        (0.5, 0.0, True),
        (4.0, 0.0, True),
        (1e3, 0.0, False),  # units say so
    ],
)
def test_four_per_cent_and_the_digits_are_allowed(
    ratio: float, rounding: float, fires: bool
) -> None:
    found = flop_miscounted(reading(**{**COUNTED, "claimed_flop": ratio * 50e9}, rounding=rounding))
    assert (found is not None) is fires


@pytest.mark.parametrize(
    ("tflops", "severity", "corrected"),
    [
        (100.0, WRONG, 50.0),  # over the ceiling
        (24.0, SUSPECT, 48.0),
    ],
)
def test_half_or_twice_would_be_usual(tflops: float, severity: str, corrected: float) -> None:
    found = flop_miscounted(reading(tflops=tflops))
    assert found is not None
    assert found.severity == severity
    assert found.evidence["corrected_tflops"] == corrected
    assert found.fit is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"tflops": 50.0},
        {"tflops": 15.0},
        {"tflops": 130.0},
        {"tflops": None},
        {"tflops": 24.0, "judged": "gbs", "gbs": 5.0},
        {"tflops": 24.0, "low": None},
        {"tflops": 24.0, "share_stated": True},
        {"tflops": 24.0, "time_s": 1e-3, "flop": 24e9},  # the arithmetic is known to be right
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert flop_miscounted(reading(**fields)) is None


def test_a_share_over_the_ceiling_has_a_reason_to_be_doubted() -> None:
    found = flop_miscounted(reading(tflops=100.0, share_stated=True))
    assert found is not None
    assert found.severity == WRONG


def test_up_to_nominal_a_high_rate_is_not_counted_twice() -> None:
    high: dict[str, object] = {"low": 30.0, "high": 34.0}
    assert flop_miscounted(reading(tflops=64.0, **high)) is None
    assert flop_miscounted(reading(tflops=66.0, **high)) is not None
