"""The odd one of several: by a robust spread, with a floor, never of two."""

from __future__ import annotations

import pytest

from roofwatch.roofline.odd_ones import odd_ones

FLOOR = 0.02

EIGHT = {f"card {i}": 700.0 + 2 * i for i in range(8)}


def test_eight_cards_alike_have_none() -> None:
    assert odd_ones(EIGHT, FLOOR) == []
    assert odd_ones(dict.fromkeys("abc", 5.0), FLOOR) == []


def test_one_slow_card_is_named_with_its_numbers() -> None:
    found = odd_ones({**EIGHT, "card 3": 600.0}, FLOOR)
    assert [(o.name, o.value) for o in found] == [("card 3", 600.0)]
    assert found[0].middle == pytest.approx(707, abs=2)
    assert found[0].off == pytest.approx(600 / found[0].middle - 1)


def test_the_furthest_comes_first_whichever_side_it_lies_on() -> None:
    found = odd_ones({**EIGHT, "hot": 500.0, "other": 900.0}, FLOOR)
    assert [o.name for o in found] == ["hot", "other"]
    assert found[0].off < 0 < found[1].off


@pytest.mark.parametrize("values", [{}, {"a": 1.0}, {"a": 1.0, "b": 9.0}])
def test_of_two_neither_is_the_odd_one(values: dict[str, float]) -> None:
    assert odd_ones(values, FLOOR) == []


def test_three_tell_one() -> None:
    assert [o.name for o in odd_ones({"a": 100.0, "b": 101.0, "c": 80.0}, FLOOR)] == ["c"]


def test_values_that_agree_too_well_leave_room_for_the_floor() -> None:
    near = {"a": 100.0, "b": 100.0, "c": 100.0, "d": 100 * (1 + FLOOR) - 0.01}
    assert odd_ones(near, FLOOR) == []
    assert [o.name for o in odd_ones({**near, "d": 100 * (1 + FLOOR) + 0.01}, FLOOR)] == ["d"]
    assert [o.name for o in odd_ones(near, floor=0.01)] == ["d"]


def test_values_that_scatter_have_none() -> None:
    assert odd_ones({"a": 100.0, "b": 120.0, "c": 80.0, "d": 140.0, "e": 60.0}, FLOOR) == []


def test_what_is_nothing_has_no_share() -> None:
    assert odd_ones({"a": 0.0, "b": 0.0, "c": 5.0}, FLOOR) == []
