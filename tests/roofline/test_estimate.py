"""The interval of a median, and that of the ratio of two figures."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.estimate import Estimate, estimate, over
from roofwatch.roofline.statistics import EXACT, median, median_interval

positive = st.floats(1e-9, 1e9)


def test_few_values_tell_nothing_of_their_median_and_five_their_range() -> None:
    assert median_interval([1.0, 2.0, 3.0, 4.0]) is None
    assert median_interval([3.0, 1.0, 2.0, 5.0, 4.0]) == (1.0, 5.0)


@pytest.mark.parametrize(
    ("n", "rank"),
    [(6, 1), (8, 1), (9, 2), (10, 2), (15, 4), (20, 6), (25, 8), (50, 18), (100, 40)],
)
def test_the_ranks_are_those_of_the_tables(n: int, rank: int) -> None:
    # Two-sided 95 % limits of the sign test, as printed in tables of order statistics.
    assert median_interval([float(i) for i in range(1, n + 1)]) == (rank, n + 1 - rank)


def test_counted_and_approximated_ranks_meet() -> None:
    counted = median_interval([float(i) for i in range(EXACT)])
    beyond = median_interval([float(i) for i in range(EXACT + 1)])
    assert counted is not None
    assert beyond is not None
    assert abs(counted[0] - beyond[0]) <= 1


def test_the_interval_holds_the_median_as_often_as_it_says() -> None:
    chance = random.Random(7)
    held = 0
    for _ in range(2000):
        found = median_interval([chance.lognormvariate(0, 1) for _ in range(12)])
        assert found is not None
        held += found[0] <= 1.0 <= found[1]
    assert 0.95 <= held / 2000 <= 0.98


@given(st.lists(positive, min_size=5, max_size=60))
def test_the_interval_is_around_the_median(values: list[float]) -> None:
    found = median_interval(values)
    assert found is not None
    assert found[0] <= median(values) <= found[1]


def test_a_rate_turns_the_interval_of_its_times_round() -> None:
    found = estimate([1.0, 2.0, 2.0, 2.0, 4.0], lambda t: 8 / t)
    assert found == Estimate(4.0, (2.0, 8.0))


@pytest.mark.parametrize("values", [[], [0.0] * 5, [math.inf] * 5, [math.nan] * 5])
def test_what_is_no_figure_has_no_estimate(values: list[float]) -> None:
    assert estimate(values) is None


def test_a_ratio_adds_the_distances_as_squares() -> None:
    a = Estimate(100.0, (100 * math.exp(-0.03), 100 * math.exp(0.03)))
    b = Estimate(110.0, (110 * math.exp(-0.04), 110 * math.exp(0.04)))
    found = over(b, a)
    assert found is not None
    assert found.interval is not None
    assert found.value == pytest.approx(1.1)
    assert found.interval == pytest.approx((1.1 * math.exp(-0.05), 1.1 * math.exp(0.05)))


def test_without_one_interval_the_ratio_has_none() -> None:
    assert over(Estimate(2.0), Estimate(1.0, (0.9, 1.1))) == Estimate(2.0)


@given(positive, positive, st.floats(1, 2), st.floats(1, 2))
def test_turning_the_ratio_round_turns_its_interval_round(
    a: float, b: float, wide_a: float, wide_b: float
) -> None:
    one = Estimate(a, (a / wide_a, a * wide_a))
    other = Estimate(b, (b / wide_b, b * wide_b))
    there, back = over(one, other), over(other, one)
    assert there is not None
    assert back is not None
    assert there.interval is not None
    assert back.interval is not None
    assert there.interval[0] == pytest.approx(1 / back.interval[1])
    assert there.interval[0] <= there.value * (1 + 1e-12)


def test_figures_of_any_size_have_a_ratio_or_none() -> None:
    assert over(Estimate(1e300), Estimate(1e-300)) is None
    far = over(Estimate(1.0, (1e-300, 1e300)), Estimate(1.0, (1e-300, 1e300)))
    assert far is not None
    assert far.value == 1.0
