"""Median, spread and the median's own error."""

from __future__ import annotations

import math

import pytest

from roofwatch.roofline.statistics import iqr, median, median_error, spread


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
