"""E3: compared with the peak of another precision, unit or sparsity."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.wrong_peak import another_unit, compared_with_other_peak, cuda_cores

A100: dict[str, object] = {
    "subject": "x",
    "op": "matmul",
    "dtype": "bf16",
    "peak_key": "bf16",
    "judged": "tflops",
    "tflops": 250.0,
    "nominal_tflops": 312.0,
    "ceiling_tflops": 312.0,
    "peaks_tflops": {"fp32": 19.5, "tf32": 156.0, "bf16": 312.0, "int8": 500.0},
    "ceilings_tflops": {"fp32": 19.5, "tf32": 156.0, "bf16": 312.0, "int8": 500.0},
    "low": 240.0,
    "high": 287.0,
}
FP32: dict[str, object] = {
    **A100,
    "dtype": "fp32",
    "peak_key": "fp32",
    "tflops": 17.0,
    "nominal_tflops": 19.5,
    "ceiling_tflops": 19.5,
    "low": 16.4,
    "high": 19.5,
}


def of(base: dict[str, object], **fields: object) -> Reading:
    return Reading(**{**base, **fields})  # type: ignore[arg-type]


def test_compared_with_the_sparse_figure() -> None:
    found = compared_with_other_peak(of(A100, compared_tflops=624.0))
    assert found is not None
    assert (found.code, found.name) == ("E3", "wrong-peak")
    assert (found.severity, found.root, found.fit) == (WRONG, "peak", None)
    assert found.evidence == {
        "tflops": 250.0,
        "compared_tflops": 624.0,
        "of_compared": pytest.approx(250 / 624),
        "peak_key": "bf16",
        "nominal_tflops": 312.0,
        "of_nominal": pytest.approx(250 / 312),
        "dtype": "bf16",
        "math": "ieee",
    }


@pytest.mark.parametrize(
    ("base", "compared", "other"),
    [
        (FP32, 312.0, "bf16"),
        (FP32, 156.0, "tf32"),
        (FP32, 160.0, "tf32"),
        (FP32, 624.0, "bf16"),  # another one's sparse figure
        (A100, 19.5, "fp32"),
        (A100, 1000.0, "int8"),
    ],
)
def test_compared_with_another_peak_of_the_card(
    base: dict[str, object], compared: float, other: str
) -> None:
    found = compared_with_other_peak(of(base, compared_tflops=compared))
    assert found is not None
    assert (found.severity, found.evidence["other_key"]) == (WRONG, other)


@pytest.mark.parametrize(
    "fields",
    [
        {"compared_tflops": None},
        {"compared_tflops": 312.0},
        {"compared_tflops": 320.0},
        {"compared_tflops": 350.0},  # another clock
        {"compared_tflops": 624.0, "math": "sparse"},
        {"compared_tflops": 777.0},
        {"compared_tflops": 624.0, "peak_key": None},
        {"compared_tflops": 156.0, "nominal_tflops": None, "peaks_tflops": {}},
    ],
)
def test_its_own_figure_or_an_unknown_one_is_silent(fields: dict[str, object]) -> None:
    assert compared_with_other_peak(of(A100, **fields)) is None


def test_an_emulated_type_compared_with_a_tensor_peak() -> None:
    peaks = {"fp32": 8.1, "fp16": 65.0}
    t4: dict[str, object] = {**FP32, "dtype": "bf16", "emulated": True, "peaks_tflops": peaks}
    found = compared_with_other_peak(of(t4, nominal_tflops=8.1, compared_tflops=65.0))
    assert found is not None
    assert found.evidence["other_key"] == "fp16"


@pytest.mark.parametrize(
    ("tflops", "fires"), [(18.0, True), (4.8, False), (4.9, True), (19.6, False), (12.0, True)]
)
def test_no_more_than_cuda_cores_give(tflops: float, fires: bool) -> None:
    found = cuda_cores(of(A100, tflops=tflops))
    assert (found is not None) is fires
    if found:
        full = tflops >= 0.55 * 19.5  # what a library's CUDA-core kernel reaches
        assert (found.code, found.severity, found.fit) == ("E3", SUSPECT, 0.95 if full else 0.55)
        assert found.evidence["other_tflops"] == 19.5
        assert found.evidence["of_other"] == pytest.approx(tflops / 19.5)


@pytest.mark.parametrize(
    "fields",
    [
        {"op": "attention"},
        {"protocol": "burst"},
        {"emulated": True},
        {"peaks_tflops": {}},
        {"low": None},
        {"peak_key": "fp32"},
        {"peaks_tflops": {"fp32": 200.0}, "tflops": 150.0},  # over 60 % of the tensor range
    ],
)
def test_cuda_cores_are_not_suspected_elsewhere(fields: dict[str, object]) -> None:
    assert cuda_cores(of(A100, **{"tflops": 18.0, **fields})) is None


def test_fp32_that_only_tf32_reaches() -> None:
    found = another_unit(of(FP32, tflops=120.0))
    assert found is not None
    assert (found.code, found.severity) == ("E3", WRONG)
    assert found.evidence["other_key"] == "tf32"
    assert found.evidence["of_other"] == pytest.approx(120 / 156)
    assert another_unit(of(FP32, tflops=160.0)) is None  # nor does tf32


def test_under_the_ceiling_a_faster_unit_is_a_suspicion() -> None:
    found = another_unit(of(FP32, tflops=22.0, ceiling_tflops=25.0))
    assert found is not None
    assert found.severity == SUSPECT


def test_twice_the_dense_rate_is_a_count_of_zeros() -> None:
    found = another_unit(of(A100, tflops=540.0))
    assert found is not None
    assert found.severity == WRONG
    assert "other_key" not in found.evidence
    assert found.evidence["other_tflops"] == 624.0


@pytest.mark.parametrize(
    "fields",
    [
        {"tflops": 17.0},
        {"tflops": 120.0, "math": "tf32"},
        {"tflops": 120.0, "share_stated": True},
        {"tflops": 120.0, "op": "other"},
        {"tflops": 120.0, "protocol": "burst"},
        {"tflops": 120.0, "judged": "gbs", "gbs": 1.0},
        {"tflops": 120.0, "high": None},
    ],
)
def test_another_unit_is_not_suspected_elsewhere(fields: dict[str, object]) -> None:
    assert another_unit(of(FP32, **fields)) is None
