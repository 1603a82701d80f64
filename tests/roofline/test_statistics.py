"""Median, spread and the median's own error; a drift and two modes."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.statistics import (
    APART,
    FEWEST_DRIFTING,
    FEWEST_MODES,
    drift,
    iqr,
    median,
    median_error,
    modes,
    spread,
)

times = st.lists(st.floats(1e-6, 1.0), max_size=70)


def normal(seed: int, count: int, mean: float = 1e-3, sigma: float = 0.03) -> list[float]:
    rng = random.Random(seed)
    return [rng.gauss(mean, sigma * mean) for _ in range(count)]


def test_quartiles_are_inclusive() -> None:
    assert median([1, 2, 3, 4, 5]) == 3
    assert iqr([1, 2, 3, 4, 5]) == 2
    assert spread([1, 2, 3, 4, 5]) == pytest.approx(2 / 3)


def test_one_value_has_no_spread_and_no_error_to_speak_of() -> None:
    assert iqr([7.0]) == 0
    assert median_error([7.0, 7.0]) == math.inf


def test_error_shrinks_with_the_root_of_n() -> None:
    few, many = [1.0, 1.1] * 8, [1.0, 1.1] * 32
    assert median_error(few) / median_error(many) == pytest.approx(2, rel=0.05)


def test_a_clock_that_falls_is_a_drift_up_in_time() -> None:
    assert drift([1e-3] * 10 + [1.05e-3] * 10) == pytest.approx(0.05)
    assert drift([1.05e-3] * 10 + [1e-3] * 10) == pytest.approx(-0.05 / 1.05)


def test_a_slow_ramp_drifts_by_what_its_thirds_are_apart() -> None:
    ramp = [1.0 + 0.01 * i for i in range(30)]  # medians 1.045 and 1.245, each third 0.045 wide
    assert drift(ramp) == pytest.approx(0.2 / 1.045)


def test_noise_that_hides_a_move_is_no_drift() -> None:
    assert drift([1.0, 1.2, 0.9, 1.1] * 5) == 0
    assert drift([1.0, 1.2] * 6 + [1.05, 1.25] * 6) == 0


def test_a_bump_in_the_middle_is_no_drift() -> None:
    assert drift([1.0] * 10 + [2.0] * 10 + [1.0] * 10) == 0


def test_too_few_values_show_neither_drift_nor_modes() -> None:
    few = [1.0] * 6 + [2.0] * (FEWEST_DRIFTING - 7)
    assert drift(few) == 0
    assert drift([*few, 2.0]) == 1
    some = [1.0] * 10 + [2.0] * (FEWEST_MODES - 11)
    assert modes(some) is None
    assert modes([*some, 2.0]) is not None


@pytest.mark.parametrize("count", [12, 14, 18, 24, 64])
@pytest.mark.parametrize("sigma", [0.01, 0.03])
def test_noise_seldom_drifts_and_never_has_two_modes(count: int, sigma: float) -> None:
    sets = [normal(seed, count, sigma=sigma) for seed in range(200)]
    assert sum(abs(drift(values)) > 0.03 for values in sets) <= 12
    assert sum(modes(values) is not None for values in sets) <= 2


def test_two_clock_states_are_two_modes() -> None:
    found = modes([1.0e-3, 1.1e-3] * 15 + [1.0e-3] * 10)
    assert found is not None
    assert found.fast == 1.0e-3
    assert found.slow == 1.1e-3
    assert found.slow_share == pytest.approx(15 / 40)


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("slow_share", [0.25, 0.5, 0.75])
def test_two_noisy_groups_are_found_whatever_their_order(seed: int, slow_share: float) -> None:
    slow = round(40 * slow_share)
    values = normal(seed, 40 - slow, sigma=0.005) + normal(seed + 99, slow, 1.08e-3, 0.005)
    random.Random(seed).shuffle(values)
    found = modes(values)
    assert found is not None
    assert found.slow_share == pytest.approx(slow_share)
    assert found.slow / found.fast == pytest.approx(1.08, abs=0.01)


@pytest.mark.parametrize("sigma", [0.002, 0.02, 0.1])
def test_a_normal_set_has_one_mode(sigma: float) -> None:
    assert not [seed for seed in range(100) if modes(normal(seed, 64, sigma=sigma))]


def test_an_even_spread_has_one_mode() -> None:
    # A uniform distribution's best split explains three quarters: under the 85 % asked for.
    assert modes([1.0 + 0.005 * i for i in range(64)]) is None


def test_a_few_outliers_are_no_mode() -> None:
    assert modes([1.0] * 18 + [2.0] * 2) is None
    assert modes([2.0] * 18 + [1.0] * 2) is None
    assert modes([1.0] * 17 + [2.0] * 3) is not None  # 15 % are a minority


def test_groups_closer_than_two_per_cent_are_noise() -> None:
    assert modes([1.0, 1.0 + 0.9 * APART] * 10) is None
    assert modes([1.0, 1.0 + 1.1 * APART] * 10) is not None


@pytest.mark.parametrize("values", [[], [1e-3], [1e-3] * 2, [1e-3] * 9, [0.1] * 64, [0.0] * 8])
def test_equal_values_have_neither(values: list[float]) -> None:
    assert modes(values) is None
    assert drift(values) == 0


@given(times)
def test_whatever_came_modes_are_two_and_keep_their_order(values: list[float]) -> None:
    found = modes(values)
    if found is not None:
        assert min(values) <= found.fast < found.slow <= max(values)
        assert 0.15 <= found.slow_share <= 0.851
    assert modes(values[::-1]) == found


@given(times)
def test_whatever_came_a_drift_lies_within_the_range(values: list[float]) -> None:
    moved = drift(values)
    if moved:
        assert min(values) / max(values) - 1 <= moved <= max(values) / min(values) - 1
