"""A curve of one range a column: gaps, runs that connect, and shapes that do not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.column_curve import Curve, dots_of, draw, held_over
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.railed_scale import RailedScale
from roofwatch.tui.drawing.rows_of_text import text_of


def picture(curve: Curve, rows: int = 2, glyphs: Glyphs = UNICODE, lead: int = 0) -> list[str]:
    scale = RailedScale((0.0, 100.0), [], rows, dots_of(glyphs), from_zero=True)
    canvas = Canvas(len(curve) - lead, rows)
    draw(canvas, curve, lead, scale, glyphs, "clock")
    return [text_of(canvas.row(y)) for y in range(rows)]


def flat(*values: float | None) -> Curve:
    return [None if v is None else (v, v) for v in values]


def test_a_level_is_the_same_character_in_every_cell() -> None:
    assert picture(flat(*[100.0] * 6)) == ["⠉" * 6, " " * 6]
    assert picture(flat(*[0.0] * 6)) == [" " * 6, "⣀" * 6]
    assert picture(flat(*[0.0] * 6), glyphs=ASCII) == [" " * 6, "." * 6]


def test_a_fall_is_a_run_that_connects() -> None:
    assert picture(flat(100.0, 100.0, 0.0, 0.0)) == ["⠉⠉⡆ ", "  ⣇⣀"]
    assert picture(flat(0.0, 0.0, 100.0, 100.0)) == ["  ⡏⠉", "⣀⣀⠇ "]
    assert picture(flat(100.0, 0.0), rows=3, glyphs=ASCII) == ["'*", " *", " *"]


def test_a_spike_within_a_column_is_kept() -> None:
    rows = picture([(0.0, 0.0), (0.0, 100.0), (0.0, 0.0)])
    assert rows == [" ⡇ ", "⣀⣇⣀"]


def test_noise_of_one_dot_is_none() -> None:
    assert picture([(50.0, 60.0)] * 5) == picture([(55.0, 55.0)] * 5)


def test_what_leads_to_the_chart_stands_outside() -> None:
    assert picture(flat(100.0, 0.0, 0.0), lead=1) == ["⡆ ", "⣇⣀"]


def test_short_gaps_take_what_came_before_and_long_ones_stay() -> None:
    curve = flat(1.0, None, 2.0, None, None, None, 3.0, None, None)
    assert held_over(curve, 1, 9) == flat(1.0, 1.0, 2.0, None, None, None, 3.0, None, None)
    assert held_over(curve, 3, 9) == flat(1.0, 1.0, 2.0, 2.0, 2.0, 2.0, 3.0, 3.0, 3.0)
    assert held_over(curve, 3, 8)[7:] == flat(3.0, None)  # the last one is yet to come
    assert held_over([], 3, 0) == []
    assert held_over(flat(None, None), 3, 2) == flat(None, None)


ranges = st.one_of(
    st.none(), st.tuples(st.floats(0, 100), st.floats(0, 100)).map(lambda p: (min(p), max(p)))
)


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@given(st.lists(ranges, min_size=12, max_size=40), st.integers(1, 6), st.integers(1, 5))
def test_a_shifted_window_shows_the_same_shapes(
    glyphs: Glyphs, curve: Curve, rows: int, shift: int
) -> None:
    one = picture(curve[:-shift], rows, glyphs, lead=1)
    other = picture(curve[shift:], rows, glyphs, lead=1)
    for a, b in zip(one, other, strict=True):
        assert a[shift:-1] == b[: len(a) - shift - 1]


@given(st.lists(ranges, min_size=2, max_size=30), st.integers(1, 5))
def test_neighbouring_columns_touch(curve: Curve, rows: int) -> None:
    lines = picture(curve, rows, ASCII)
    marked = [{y for y in range(rows) if lines[y][x] != " "} for x in range(len(curve))]
    for x in range(1, len(curve)):
        if curve[x] is not None and curve[x - 1] is not None:
            nearest = min(abs(a - b) for a in marked[x] for b in marked[x - 1])
            assert nearest <= 1
    for each, rows_of in zip(curve, marked, strict=True):
        assert bool(rows_of) == (each is not None)
