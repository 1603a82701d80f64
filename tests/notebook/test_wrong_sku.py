"""The nominal figure of another card, or of none."""

from __future__ import annotations

import pytest

from roofwatch.notebook.finding import NOTE, SUSPECT, WRONG
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.wrong_sku import other_card, wrong_sku

BASE: dict[str, object] = {
    "subject": "x",
    "op": "copy",
    "dtype": "fp16",
    "card": "NVIDIA A100-SXM4-80GB",
    "judged": "gbs",
    "gbs": 1750.0,
    "nominal_gbs": 2039.0,
    "ceiling_gbs": 2039.0,
    "compared_gbs": 2039.0,
    "low": 1600.0,
    "high": 1917.0,
}
MATMUL: dict[str, object] = {
    "op": "matmul",
    "judged": "tflops",
    "peak_key": "fp16",
    "gbs": None,
    "compared_gbs": None,
    "tflops": 250.0,
    "nominal_tflops": 312.0,
    "ceiling_tflops": 312.0,
    "peaks_tflops": {"fp16": 312.0, "tf32": 156.0, "fp32": 19.5},
    "low": 240.0,
    "high": 287.0,
}


def reading(**fields: object) -> Reading:
    return Reading(**{**BASE, **fields})  # type: ignore[arg-type]


def matmul(**fields: object) -> Reading:
    return reading(**{**MATMUL, **fields})


def test_the_bandwidth_of_another_card() -> None:
    found = wrong_sku(reading(compared_gbs=1555.0, compared_is=("NVIDIA A100-SXM4-40GB", "B", "C")))
    assert found is not None
    assert found.code == found.name == "wrong-sku"
    assert (found.severity, found.root, found.fit) == (WRONG, "peak", None)
    assert found.evidence == {
        "compared": 1555.0,
        "nominal": 2039.0,
        "unit": "GB/s",
        "card": "NVIDIA A100-SXM4-80GB",
        "others": "NVIDIA A100-SXM4-40GB, B, C",
        "of_compared": pytest.approx(1750 / 1555),
        "of_nominal": pytest.approx(1750 / 2039),
    }


def test_the_figure_of_no_card_is_suspect() -> None:
    found = wrong_sku(reading(compared_gbs=1000.0))
    assert found is not None
    assert found.code == found.name == "wrong-peak-value"
    assert found.severity == SUSPECT
    assert "others" not in found.evidence


@pytest.mark.parametrize(
    ("compared", "code", "severity"),
    [
        (2039.0, None, None),
        (2039 * 1.019, None, None),
        (2039 * 1.021, "wrong-peak-value", NOTE),
        (2039 * 0.9, "wrong-peak-value", NOTE),
        (2039 * 1.18, "wrong-peak-value", NOTE),
        (2039 * 0.83, "wrong-peak-value", SUSPECT),
        (2039 * 1.2, "wrong-peak-value", SUSPECT),
    ],
)
def test_another_clock_behind_it_is_only_noted(
    compared: float, code: str | None, severity: str | None
) -> None:
    found = wrong_sku(reading(compared_gbs=compared))
    assert (found.code if found else None, found.severity if found else None) == (code, severity)


def test_a_share_over_one_of_a_figure_nearby_matters() -> None:
    near = matmul(compared_tflops=280.0, tflops=290.0, share_stated=True)
    found = wrong_sku(near)
    assert found is not None
    assert (found.code, found.severity) == ("wrong-peak-value", SUSPECT)
    under = wrong_sku(matmul(compared_tflops=280.0, tflops=250.0, share_stated=True))
    assert under is not None
    assert under.severity == NOTE


@pytest.mark.parametrize(
    "fields",
    [
        {"compared_tflops": 312.0},
        {"compared_tflops": 312 * 1.029},
        {"compared_tflops": 624.0},  # sparse: E3
        {"compared_tflops": 156.0},  # its own tf32: E3
        {"compared_tflops": 19.5},
        {"compared_tflops": 400.0, "math": "sparse"},
        {"compared_tflops": None},
        {"compared_tflops": 500.0, "nominal_tflops": None},
    ],
)
def test_its_own_figures_are_left_to_others(fields: dict[str, object]) -> None:
    assert wrong_sku(matmul(**fields)) is None


def test_a_peak_of_another_card() -> None:
    found = wrong_sku(matmul(compared_tflops=989.4, compared_is=("NVIDIA H100 80GB HBM3",)))
    assert found is not None
    assert (found.code, found.severity) == ("wrong-sku", WRONG)
    assert found.evidence["peak_key"] == "fp16"
    assert found.evidence["unit"] == "TFLOP/s"


SIBLINGS = {"A100-SXM4-40GB": 1555.0, "A100 80GB PCIe": 1935.0, "same": 2050.0}


def test_just_right_for_a_card_of_nearly_the_same_name() -> None:
    found = other_card(reading(gbs=1340.0, siblings=SIBLINGS))
    assert found is not None
    assert (found.code, found.severity) == ("wrong-sku", SUSPECT)
    assert found.fit is not None
    assert found.evidence == {
        "rate": 1340.0,
        "unit": "GB/s",
        "card": "NVIDIA A100-SXM4-80GB",
        "nominal": 2039.0,
        "other": "A100-SXM4-40GB",
        "other_nominal": 1555.0,
        "of_other": pytest.approx(1340 / 1555),
    }


def test_impossible_here_and_right_there_is_wrong() -> None:
    found = other_card(reading(gbs=2900.0, siblings={"H100": 3350.0}))
    assert found is not None
    assert found.severity == WRONG


@pytest.mark.parametrize(
    "fields",
    [
        {"gbs": 1750.0},
        {"gbs": 500.0},
        {"gbs": 1340.0, "siblings": {}},
        {"gbs": 1340.0, "siblings": {"same": 2039 * 1.02}},
        {"gbs": 1340.0, "protocol": "stream"},
        {"gbs": 1340.0, "nominal_gbs": None},
        {"gbs": None},
    ],
)
def test_silent_in_range_or_far_from_all(fields: dict[str, object]) -> None:
    assert other_card(reading(**{"siblings": SIBLINGS, **fields})) is None
