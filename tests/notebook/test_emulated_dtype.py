"""A type that the card has no unit for is judged by the fp32 peak, and said so."""

from __future__ import annotations

import pytest

from roofwatch.notebook.emulated_dtype import emulated_dtype
from roofwatch.notebook.finding import NOTE
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "peak_key": "fp32",
    "judged": "tflops",
    "tflops": 2.0,
    "nominal_tflops": 8.0,
    "card": "Tesla T4",
    "emulated": True,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_bf16_on_a_t4() -> None:
    found = emulated_dtype(reading())
    assert found is not None
    assert found.code == found.name == "emulated-dtype"
    assert (found.severity, found.root) == (NOTE, "peak")
    assert found.evidence == {
        "dtype": "bf16",
        "card": "Tesla T4",
        "tflops": 2.0,
        "nominal_tflops": 8.0,
        "of_nominal": 0.25,
    }


@pytest.mark.parametrize("fields", [{"emulated": False}, {"judged": "gbs"}, {"judged": None}])
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert emulated_dtype(reading(**fields)) is None
