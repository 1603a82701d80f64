"""Which rows stand where there is room for few."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.drawing.telling import telling


@given(st.integers(1, 40), st.integers(0, 45), st.lists(st.none() | st.integers(0, 39), max_size=4))
def test_as_many_as_there_is_room_for_each_once_in_order(
    count: int, lines: int, keep: list[int | None]
) -> None:
    keep = [i for i in keep if i is None or i < count]
    chosen = telling(count, lines, *keep)
    assert len(chosen) == min(count, lines)
    assert chosen == sorted(set(chosen))
    assert set(chosen) <= set(range(count))
    if lines >= 2 + len(keep):
        assert {0, count - 1, *(i for i in keep if i is not None)} <= set(chosen)
