"""The height of a chart: its steps, its limits' own rows, and what is at them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.drawing.railed_scale import Rail, RailedScale, nice

MAX, NOMINAL = Rail(1980.0, "max"), Rail(1830.0, "nominal")
LIMIT = Rail(700.0, "limit", 0.03)


def test_each_limit_has_a_row_to_itself() -> None:
    scale = RailedScale((345.0, 1980.0), [MAX, NOMINAL], 8, 4, from_zero=False)
    assert scale.rail_rows() == [(0, MAX), (2, NOMINAL)]
    rows = {scale.row(mhz) for mhz in range(345, 1981)}
    assert rows == {1, 3, 4, 5, 6, 7}
    assert scale.row(1831.0) == 1
    assert scale.row(1830.0) == 3


def test_what_swings_around_a_limit_is_at_it() -> None:
    scale = RailedScale((100.0, 720.0), [LIMIT], 5, 4, from_zero=True)
    assert scale.rail_rows() == [(0, LIMIT)]
    assert scale.dot(720.0) == scale.dot(700.0) == 4
    scale = RailedScale((100.0, 766.0), [LIMIT], 5, 4, from_zero=True)
    ((at, _),) = scale.rail_rows()
    assert scale.row(766.0) < at < scale.row(720.0)
    assert scale.top == 800.0


@pytest.mark.parametrize(("rows", "kept"), [(1, 0), (2, 1), (3, 1), (4, 1), (5, 2), (12, 2)])
def test_limits_without_room_are_left_out_the_last_first(rows: int, kept: int) -> None:
    scale = RailedScale((345.0, 1980.0), [MAX, NOMINAL], rows, 4, from_zero=False)
    assert scale.rails == [MAX, NOMINAL][:kept]


def test_the_ends_move_in_steps() -> None:
    ends = {
        (s.top, s.bottom)
        for low in range(1410, 1600, 7)
        for s in (RailedScale((low, 1980.0), [MAX], 6, 4, from_zero=False),)
    }
    assert ends == {(1980.0, 1400.0)}
    level = RailedScale((1950.0, 1980.0), [MAX], 6, 4, from_zero=False)
    assert level.bottom == 1400.0  # noise is no fall


def test_nice_steps() -> None:
    assert [nice(v) for v in (1.0, 1.9, 2.0, 4.9, 5.0, 87.5, 247.5)] == [1, 1, 2, 2, 5, 50, 200]


figures = st.one_of(st.floats(0, 1e12), st.sampled_from([0.0, 5e-324, 1e-320, 1e-9, 1e12]))


@given(
    figures,
    figures,
    st.lists(st.builds(Rail, figures, st.just("x"), st.sampled_from([0.0, 0.03])), max_size=3),
    st.integers(1, 30),
    st.sampled_from([1, 4]),
    st.booleans(),
    st.lists(figures, min_size=2, max_size=9),
)
def test_every_value_has_a_place_and_higher_ones_none_below(
    low: float,
    high: float,
    rails: list[Rail],
    rows: int,
    dots: int,
    from_zero: bool,
    values: list[float],
) -> None:
    low, high = sorted((low, high))
    scale = RailedScale((low, high), rails, rows, dots, from_zero)
    owned = {row for row, _ in scale.rail_rows()}
    assert len(owned) == len(scale.rails)
    places = [scale.dot(value) for value in sorted(values)]
    assert all(0 <= dot < rows * dots and dot // dots not in owned for dot in places)
    assert places == sorted(places, reverse=True)


def test_where_rows_stand_for_unequal_steps_is_told() -> None:
    uneven = RailedScale((200.0, 1980.0), [Rail(1980.0, ""), Rail(1830.0, "")], 6, 4, False)
    assert uneven.breaks() == {2}
    even = RailedScale((0.0, 100.0), [Rail(50.0, "")], 9, 4, True)
    assert even.breaks() == set()
    assert RailedScale((0.0, 100.0), [], 9, 4, True).breaks() == set()
