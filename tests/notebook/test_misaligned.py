"""A dimension that keeps a library from its fast kernels."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT
from roofwatch.notebook.no_tensor_core import misaligned
from roofwatch.notebook.reading import Reading

BASE: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "fp16",
    "peak_key": "fp16",
    "judged": "tflops",
    "tflops": 50.0,
    "shape": {"m": 4096, "n": 4095, "k": 4097},
    "low": 100.0,
    "high": 130.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def test_odd_dimensions_of_a_slow_matmul() -> None:
    found = misaligned(reading())
    assert found is not None
    assert found.code == found.name == "no-tensor-core"
    assert (found.severity, found.root, found.fit) == (SUSPECT, "peak", 0.9)
    assert found.evidence == {
        "tflops": 50.0,
        "peak_key": "fp16",
        "dimensions": "n = 4095, k = 4097",
    }


@pytest.mark.parametrize(("tflops", "fit"), [(59.0, 0.9), (61.0, 0.6), (95.0, None)])
def test_alignment_costs_forty_per_cent_and_more(tflops: float, fit: float | None) -> None:
    found = misaligned(reading(tflops=tflops))
    assert (found.fit if found else None) == fit


@pytest.mark.parametrize(
    "fields",
    [
        {"shape": {"m": 8, "n": 16, "k": 4096}},
        {"shape": {}},
        {"op": "attention"},
        {"peak_key": "fp32"},
        {"emulated": True},
        {"judged": "gbs", "gbs": 1.0},
        {"low": None},
        {"protocol": "burst"},
    ],
)
def test_silent_elsewhere(fields: dict[str, object]) -> None:
    assert misaligned(reading(**fields)) is None
