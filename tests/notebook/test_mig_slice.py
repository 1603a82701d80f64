"""A MIG slice: named, or a rate that a slice of this card would give."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT
from roofwatch.notebook.mig_slice import mig_slice, slice_suspected
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "judged": "tflops",
    "tflops": 262.0 / 7,
    "nominal_tflops": 312.0,
    "compute_capability": "8.0",
    "low": 240.0,
    "high": 287.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_a_slice_that_the_name_says() -> None:
    found = mig_slice(reading(slice_share=14 / 108, tflops=35.0, low=30.0))
    assert found is not None
    assert found.code == found.name == "mig-slice"
    assert (found.severity, found.root, found.fit) == (NOTE, "peak", None)
    assert found.evidence == {
        "slice_share": pytest.approx(14 / 108),
        "nominal": 312.0,
        "unit": "TFLOP/s",
    }


@pytest.mark.parametrize("slices", [1, 2, 3, 4])
def test_a_rate_of_so_many_sevenths(slices: int) -> None:
    found = slice_suspected(reading(tflops=262.0 * slices / 7))
    assert found is not None
    assert (found.severity, found.root) == (SUSPECT, "conditions")
    assert found.evidence == {
        "rate": pytest.approx(262 * slices / 7),
        "unit": "TFLOP/s",
        "slices": slices,
    }
    assert found.fit is not None
    assert 0 < found.fit <= 0.25  # likelier causes come first


@pytest.mark.parametrize("capability", ["9.0", "10.0", "10.3"])
def test_other_cards_that_can_be_sliced(capability: str) -> None:
    assert slice_suspected(reading(compute_capability=capability)) is not None


@pytest.mark.parametrize(
    "fields",
    [
        {"compute_capability": "7.5"},
        {"compute_capability": "8.9"},
        {"compute_capability": None},
        {"op": "h2d"},
        {"protocol": "burst"},
        {"tflops": 262.0},
        {"tflops": 262 * 1.5 / 7},
        {"tflops": 262 / 70},
        {"low": None},
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert slice_suspected(reading(**fields)) is None
