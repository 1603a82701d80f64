"""Ridge, attainable and the three distances; what to work on, and MFU."""

from __future__ import annotations

import pytest

from roofwatch.roofline.roof import (
    INTENSITY,
    KERNEL,
    STOP_HERE,
    Distances,
    Roof,
    distances,
    mfu,
    mfu_ceiling,
    work_on,
)


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
    assert work_on(seen) == KERNEL


def test_seed_kernel_at_48_of_52_is_past_the_stop() -> None:
    roof = Roof(bandwidth_gbs=270, peak_tflops=52)
    seen = distances(1365, 48, roof, 65)
    assert seen.of_roof == pytest.approx(0.923, abs=0.001)
    assert work_on(seen) == STOP_HERE
    assert mfu(48, 65) == pytest.approx(0.74, abs=0.002)  # and by MFU it would look unfinished


def test_no_nominal_no_third_distance() -> None:
    assert distances(1.0, 0.1, Roof(bandwidth_gbs=270, peak_tflops=50), None).of_nominal is None


@pytest.mark.parametrize(
    ("of_roof", "of_ridge", "says"),
    [
        (0.89, 1.0, KERNEL),
        (0.89, 0.01, KERNEL),
        (0.90, 1.0, STOP_HERE),
        (0.90, 0.90, STOP_HERE),
        (0.90, 0.89, INTENSITY),
        (0.99, 0.005, INTENSITY),  # a decode step that fills the bus
        (1.02, 1.0, STOP_HERE),
    ],
)
def test_what_to_work_on_turns_at_nine_tenths(of_roof: float, of_ridge: float, says: str) -> None:
    assert work_on(Distances(of_roof=of_roof, of_ridge=of_ridge, of_nominal=None)) == says


def test_left_of_the_ridge_it_also_says_stop() -> None:
    assert INTENSITY.startswith(STOP_HERE)
    assert len({INTENSITY, STOP_HERE, KERNEL}) == 3


def test_decode_on_an_a100_cannot_pass_two_thirds_of_a_per_cent() -> None:
    ridge = Roof(bandwidth_gbs=2039, peak_tflops=312).ridge
    assert mfu_ceiling(1.0, ridge) == pytest.approx(0.0065, abs=0.0001)
    assert mfu_ceiling(ridge / 2, ridge) == pytest.approx(0.5)


def test_right_of_the_ridge_only_the_peak_is_the_ceiling() -> None:
    assert mfu_ceiling(153.0, 153.0) == 1
    assert mfu_ceiling(1e5, 153.0) == 1


@pytest.mark.parametrize("intensity", [0.25, 1.0, 100.0, 203.0, 1365.0])
def test_a_kernel_on_the_nominal_roof_has_the_mfu_of_its_ceiling(intensity: float) -> None:
    roof = Roof(bandwidth_gbs=320, peak_tflops=65)
    attained = roof.attainable_tflops(intensity)
    assert mfu(attained, 65) == pytest.approx(mfu_ceiling(intensity, roof.ridge))
