"""Figures to so many digits, without an exponent."""

from __future__ import annotations

import pytest

from roofwatch.roofline.digits_said import digits_said


@pytest.mark.parametrize(
    ("value", "count", "said"),
    [
        (4.5218e-6, 2, "0.0000045"),
        (4.4739243e-05, 4, "0.00004474"),
        (0.0123, 3, "0.0123"),
        (67109.4, 4, "67109"),
        (1e-15, 2, "0"),
        (1000.0, 3, "1000"),
    ],
)
def test_no_more_digits_than_asked(value: float, count: int, said: str) -> None:
    assert digits_said(value, count) == said
