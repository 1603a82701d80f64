"""Figures of one column, and microseconds in the terminal's characters."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.micro import micro, unit_of
from roofwatch.tui.drawing.numbers import money
from roofwatch.tui.drawing.rows_of_text import row, text_of
from roofwatch.tui.drawing.significant import cost, significant


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (0.99979, "1.00"),
        (1.0, "1.00"),
        (0, "0"),
        (0.0009436, "0.000944"),
        (12, "12.0"),
        (99.96, "100"),
        (4382.7, "4383"),
        (-0.25, "-0.250"),
        (1e-9, "<0.000001"),
        (1e30, ">999999"),
        (math.inf, ">999999"),
        (math.nan, "n/a"),
        (None, "n/a"),
    ],
)
def test_three_digits_are_kept(value: float | None, said: str) -> None:
    assert significant(value) == said


@given(st.floats(allow_nan=False), st.integers(1, 6), st.integers(1, 6))
def test_never_in_exponent_form(value: float, digits: int, decimals: int) -> None:
    text = significant(value, digits, decimals)
    assert "e" not in text
    assert len(text) <= decimals + 4 or abs(value) >= 1


@given(st.floats(1e-8, 1e6))
def test_a_cost_is_what_money_says_with_its_noughts(amount: float) -> None:
    assert float(cost(amount)) == float(money(amount, ""))


def test_a_microsecond_is_written_as_the_terminal_can() -> None:
    rows = [row(" 11.1 us a launch, 5 users, us ", ("7 us", "strong"))]
    assert text_of(micro(rows, UNICODE)[0]) == " 11.1 µs a launch, 5 users, us 7 µs"
    assert micro(rows, ASCII) == rows
    assert (unit_of("us", UNICODE), unit_of("us", ASCII), unit_of("ms", UNICODE)) == (
        "µs",
        "us",
        "ms",
    )
