"""Robust spread on numbers whose outliers are known."""

from __future__ import annotations

import random

import pytest

from roofwatch.roofline.robust_spread import FARTHEST, limit, split_of, spread_of


def test_the_spread_of_normal_figures_is_their_standard_deviation() -> None:
    dice = random.Random(1)
    values = [dice.gauss(100, 2) for _ in range(2000)]
    assert spread_of(values, 0.001).deviation == pytest.approx(2, rel=0.05)


def test_one_slow_card_of_eight_is_named_with_its_distance() -> None:
    values = [4280, 4290, 4275, 4283, 4270, 4288, 4279, 3890]
    spread = spread_of(values, 0.003, len(values))
    assert [v for v in values if spread.under(v)] == [3890]
    assert spread.median == 4279.5
    assert spread.deviations(3890) == pytest.approx(389.5 / spread.deviation)


def test_what_like_cards_differ_by_is_no_outlier_however_close_the_others_are() -> None:
    values = [100.0] * 7 + [96.5]
    assert not spread_of(values, 0.04).under(96.5)
    assert spread_of(values, 0.03).under(96.5)


def test_a_fast_card_is_no_slow_one() -> None:
    values = [100.0] * 7 + [140.0]
    spread = spread_of(values, 0.01)
    assert not any(spread.under(v) for v in values)
    assert spread.deviations(140.0) < 0


def test_of_two_the_spread_names_none() -> None:
    spread = spread_of([100.0, 50.0], 0.01)
    assert not spread.under(50.0)


def test_a_thousand_good_cards_have_no_outlier() -> None:
    """A fixed limit of 3.5 would name one in four thousand figures."""
    assert limit(1) == FARTHEST
    assert limit(10_240) == pytest.approx(4.42, abs=0.01)
    named = 0
    for seed in range(20):
        dice = random.Random(seed)
        values = [dice.gauss(100, 1) for _ in range(1024)]
        spread = spread_of(values, 0.001, 1024)
        named += any(spread.under(v) for v in values)
    assert named <= 3


def test_two_groups_are_told_where_a_median_cannot() -> None:
    split = split_of([100.0, 61.0, 99.0, 60.0], 0.04)
    assert split is not None
    assert split.slow == (1, 3)
    assert split.fast_median == 99.5
    assert split_of([100.0, 98.0], 0.04) is None
    assert split_of([100.0, 90.0, 80.0, 70.0], 0.04) is None  # no gap parts them
    assert split_of([100.0], 0.04) is None
    assert split_of([100.0, 101.0, 60.0], 0.04) is None  # one of three: the spread tells
    assert split_of([100.0, 88.0, 70.0, 60.0], 0.04) is None  # as wide as the gap
    pair = split_of([100.0, 90.0], 0.04)
    assert pair is not None
    assert pair.slow == (1,)
