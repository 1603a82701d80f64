"""Sizes, times and digits in words: the unit that suits them, and no exponent at its edge."""

from __future__ import annotations

import pytest

from roofwatch.roofline.digits_said import digits_said
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.time_said import time_said


@pytest.mark.parametrize(
    ("size_bytes", "said"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1 << 10, "1 KiB"),
        (1 << 16, "64 KiB"),
        (1_047_552, "1023 KiB"),  # not 1.02e+03
        ((1 << 20) - 1, "1 MiB"),
        (60_400_000, "57.6 MiB"),
        (1 << 30, "1 GiB"),
        (150_121_480_192, "140 GiB"),
        (5 << 40, "5 TiB"),
    ],
)
def test_a_size_stands_in_the_largest_unit_that_it_fills(size_bytes: int, said: str) -> None:
    assert size_said(size_bytes) == said


def test_four_digits_tell_two_tensors_apart() -> None:
    near = [round(1.3333 * (1 << 30)), round(1.334 * (1 << 30))]
    assert [size_said(size) for size in near] == ["1.33 GiB"] * 2
    assert [size_said(size, 4) for size in near] == ["1.333 GiB", "1.334 GiB"]


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.0, "0 ns"),
        (8.4e-7, "840 ns"),
        (8e-6, "8 us"),
        (9.997e-4, "1000 us"),  # not 1e+03
        (3.6e-3, "3.6 ms"),
        (2.5, "2.5 s"),
        (1234.0, "1234 s"),
    ],
)
def test_a_time_stands_in_the_unit_that_suits_it(seconds: float, said: str) -> None:
    assert time_said(seconds) == said


def test_more_digits_where_they_are_asked_for() -> None:
    assert time_said(6.826e-4, 4) == "682.6 us"
    assert digits_said(67109.4, 4) == "67109"
    assert digits_said(1.5e12, 4) == "1.5e+12"
