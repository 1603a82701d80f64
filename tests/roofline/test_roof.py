"""Ridge, attainable and the three distances."""

from __future__ import annotations

import pytest

from roofwatch.roofline.roof import Roof, distances


@pytest.mark.parametrize(
    ("bandwidth", "peak", "ridge"),
    [(2039, 312, 153), (320, 65, 203), (3350, 989, 295), (3200, 850, 265.6), (4000, 1000, 250)],
)
def test_ridges_of_the_seeds(bandwidth: float, peak: float, ridge: float) -> None:
    assert Roof(bandwidth_gbs=bandwidth, peak_tflops=peak).ridge == pytest.approx(ridge, abs=0.5)


def test_attainable_is_the_lower_of_slope_and_flat() -> None:
    roof = Roof(bandwidth_gbs=270, peak_tflops=50)
    assert roof.attainable_tflops(1) == pytest.approx(0.27)
    assert roof.attainable_tflops(roof.ridge) == pytest.approx(50)
    assert roof.attainable_tflops(1e6) == 50


def test_distances_of_a_decode_point() -> None:
    roof = Roof(bandwidth_gbs=270, peak_tflops=50)
    seen = distances(1.0, 0.27 * 0.54, roof, 65)
    assert seen.of_roof == pytest.approx(0.54)  # the seed: decode at 54 % of its roof
    assert seen.of_ridge == pytest.approx(1 / roof.ridge)
    assert seen.of_nominal == pytest.approx(50 / 65)


def test_seed_kernel_at_48_of_52_is_past_the_stop() -> None:
    roof = Roof(bandwidth_gbs=270, peak_tflops=52)
    assert distances(1365, 48, roof, 65).of_roof == pytest.approx(0.923, abs=0.001)
