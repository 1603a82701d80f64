"""Which bound a kernel of known work has, and where launches decide."""

from __future__ import annotations

import pytest

from roofwatch.roofline.floors import Ceilings
from roofwatch.roofline.kernel_bound import SHORT_S, kernel_bound, peak_key_of

CARD = Ceilings(bandwidth_gbs=4000.0, peaks_tflops={"bf16": 800.0, "fp32": 50.0})


def test_the_longer_trip_is_the_bound() -> None:
    memory = kernel_bound(1e9, 4e9, "fp32", 2e-3, CARD)
    assert (memory.bound, memory.least_s) == ("memory", pytest.approx(1e-3))
    assert memory.of_roof == pytest.approx(0.5)
    compute = kernel_bound(8e11, 4e8, "bf16", 2e-3, CARD)
    assert (compute.bound, compute.least_s) == ("compute", pytest.approx(1e-3))


@pytest.mark.parametrize(("time_s", "bound"), [(10e-6, "overhead"), (SHORT_S, "memory")])
def test_a_short_kernel_of_little_work_is_overhead(time_s: float, bound: str) -> None:
    assert kernel_bound(0.0, 4e3, None, time_s, CARD).bound == bound


def test_a_short_kernel_at_its_roof_is_not() -> None:
    assert kernel_bound(0.0, 4e6, None, 1.2e-6, CARD).bound == "memory"


def test_without_the_figure_that_decides_it_is_unknown() -> None:
    assert kernel_bound(1.0, 1.0, None, 1e-3, Ceilings()).bound == "unknown"
    dense = kernel_bound(1e12, 1e9, "fp8", 1e-3, CARD)
    assert (dense.bound, dense.why) == ("unknown", "the peak of fp8 is not known")
    # Work that multiplies no matrices is left of any ridge.
    assert kernel_bound(1e9, 1e9, "fp64", 1e-3, CARD).bound == "memory"


@pytest.mark.parametrize(
    ("kind", "dtype", "tensor", "key"),
    [
        ("product", "bf16", True, "bf16"),
        ("product", "fp32", True, "tf32"),
        ("product", "fp32", False, "fp32"),
        ("product", "fp32", None, "fp32"),
        ("product", "fp64", True, "fp64_tensor"),
        ("elementwise", "bf16", None, "fp32"),
        ("rowwise", "fp64", None, "fp64"),
        ("move", None, None, None),
    ],
)
def test_products_have_their_types_peak_all_else_the_lanes(
    kind: str, dtype: str | None, tensor: bool | None, key: str | None
) -> None:
    assert peak_key_of(kind, dtype, tensor) == key
