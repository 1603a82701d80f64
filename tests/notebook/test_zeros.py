"""Operands of zeros: over what random data reach, and under the ceiling."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.zeros import zeros

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "fp16",
    "peak_key": "fp16",
    "judged": "tflops",
    "tflops": 295.0,
    "nominal_tflops": 312.0,
    "ceiling_tflops": 312.0,
    "low": 240.0,
    "high": 281.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_ninety_five_per_cent_of_an_a100() -> None:
    found = zeros(reading())
    assert found is not None
    assert found.code == found.name == "zeros"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "conditions", 0.9)
    assert found.evidence == {
        "tflops": 295.0,
        "of_nominal": pytest.approx(295 / 312),
        "low": 240.0,
        "high": 281.0,
    }


@pytest.mark.parametrize(("tflops", "fires"), [(283.0, False), (284.0, True), (313.0, True)])
def test_a_per_cent_over_the_range_is_no_evidence(tflops: float, fires: bool) -> None:
    assert (zeros(reading(tflops=tflops)) is not None) is fires


@pytest.mark.parametrize(
    "fields",
    [
        {"tflops": 320.0},  # impossible
        {"rounding": 0.05},
        {"op": "other"},
        {"peak_key": "fp32"},
        {"peak_key": None},
        {"judged": "gbs", "gbs": 1.0},
        {"protocol": "burst"},
        {"high": None},
        {"on_slope": True},  # bytes set that range
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert zeros(reading(**fields)) is None
