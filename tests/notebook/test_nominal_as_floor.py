"""E6: nominal is no floor; a number beside it that is where it should be."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, finding
from roofwatch.notebook.nominal_as_floor import nominal_as_floor
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "judged": "gbs",
    "gbs": 264.0,
    "nominal_gbs": 320.0,
    "compared_gbs": 320.0,
    "low": 240.0,
    "high": 288.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_a_good_number_beside_nominal() -> None:
    found = nominal_as_floor(reading(), [])
    assert found is not None
    assert (found.code, found.name) == ("E6", "nominal-as-floor")
    assert (found.severity, found.root) == (NOTE, "peak")
    assert found.evidence == {
        "rate": 264.0,
        "unit": "GB/s",
        "nominal": 320.0,
        "of_nominal": 0.825,
        "low": 240.0,
        "high": 288.0,
    }


def test_a_compute_rate_too() -> None:
    found = nominal_as_floor(
        reading(
            op="matmul",
            judged="tflops",
            tflops=50.0,
            nominal_tflops=65.0,
            compared_tflops=65.0,
            low=34.0,
            high=60.0,
        ),
        [],
    )
    assert found is not None
    assert found.evidence["unit"] == "TFLOP/s"


@pytest.mark.parametrize(
    "fields",
    [
        {"compared_gbs": None},
        {"nominal_gbs": None},
        {"gbs": 100.0},
        {"gbs": 310.0},
        {"gbs": 314.0, "high": 330.0},  # 98 %: nominal is reached
        {"share_stated": True},
        {"low": None, "high": None},
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert nominal_as_floor(reading(**fields), []) is None


def test_silent_beside_a_suspicion_not_beside_a_note() -> None:
    suspect = finding("throttled", "possible", severity=SUSPECT, subject="x", op="copy")
    note = finding("throttled", "possible", severity=NOTE, subject="x", op="copy")
    assert nominal_as_floor(reading(), [suspect]) is None
    assert nominal_as_floor(reading(), [note]) is not None


def test_a_datasheets_figure_alone_is_a_question() -> None:
    found = nominal_as_floor(reading(gbs=None), [])
    assert found is not None
    assert found.severity == NOTE
    assert found.evidence == {"nominal": 320.0, "unit": "GB/s", "low": 240.0, "high": 288.0}
    assert nominal_as_floor(reading(gbs=None, low=None), []) is None
    assert nominal_as_floor(reading(gbs=None, compared_gbs=None), []) is None
