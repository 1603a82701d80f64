"""Tokens per second over batch, as rows of text."""

from __future__ import annotations

import pytest

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.drawing.telling import telling
from roofwatch.tui.drawing.throughput_plot import (
    CROSSES,
    DASHES,
    DOTS,
    RINGS,
    SOLID,
    Line,
    _apart,
    plot,
    short,
)

BATCHES = [1 << i for i in range(8)]


def line(name: str, texture: str, per_step: float = 200.0, bend: float = 0.0) -> Line:
    points = [(float(b), per_step * b / (1 + bend * b)) for b in BATCHES]
    return Line(name, points, texture, "burst")


FIVE = [
    line("graph", SOLID, 200, 0.01),
    line("eager", CROSSES, 76, 0.0),
    line("predicted", RINGS, 206, 0.01),
    line("paper", DASHES, 230, 0.008),
    line("linear", DOTS, 200),
]


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize(("cells", "height"), [(80, 10), (119, 17), (198, 40), (48, 6)])
def test_it_fills_its_size(cells: int, height: int, glyphs: Glyphs) -> None:
    rows = plot(FIVE, cells, height, glyphs)
    assert [width(r) for r in rows] == [cells] * height
    if glyphs is ASCII:
        assert all(ord(c) < 128 for r in rows for c in text_of(r))


@pytest.mark.parametrize(("cells", "height"), [(39, 20), (80, 5), (0, 0)])
def test_without_room_nothing_is_drawn(cells: int, height: int) -> None:
    assert plot(FIVE, cells, height, UNICODE) == []


def test_without_a_figure_nothing_is_drawn() -> None:
    bad = Line("graph", [(1.0, 0.0), (2.0, float("nan")), (4.0, float("inf"))], SOLID, "burst")
    assert plot([bad], 80, 20, UNICODE) == []


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_every_line_is_told_by_its_texture_and_its_name(glyphs: Glyphs) -> None:
    rows = [text_of(r) for r in plot(FIVE, 120, 24, glyphs)]
    names = {name: next(r for r in rows if f" {name} " in r) for name in (x.name for x in FIVE)}
    assert len(set(names.values())) == len(FIVE)  # none stands on another's row
    picture = "\n".join(r[8:90] for r in rows[:-2])
    for sign in (glyphs.cross, glyphs.ring, glyphs.nominal, glyphs.slope):
        assert sign in picture
    solid = "*" if glyphs is ASCII else "⠒"
    assert solid in picture


def test_names_carry_the_last_figure() -> None:
    text = "\n".join(text_of(r) for r in plot(FIVE, 120, 24, UNICODE))
    assert "── graph 11.2k" in text
    assert "·· linear 25.6k" in text


def test_the_axis_counts_by_doublings() -> None:
    axis = text_of(plot(FIVE, 100, 20, UNICODE)[-1])
    assert axis.split() == ["1", "2", "4", "8", "16", "32", "64", "128", "batch"]
    ticks = [text_of(r).split()[0] for r in plot(FIVE, 100, 40, UNICODE) if "┤" in text_of(r)]
    assert ticks[-4:] == ["1k", "500", "200", "100"]


def test_what_is_linear_may_leave_through_the_top() -> None:
    flat = Line("paper", [(1.0, 100.0), (4096.0, 120.0)], DASHES, "strong")
    up = Line("linear", [(1.0, 100.0), (4096.0, 409600.0)], DOTS, "axis")
    rows = [text_of(r) for r in plot([flat, up], 100, 20, UNICODE)]
    assert "·· linear, 410k at 4096" in rows[0]
    assert not any(r.endswith("linear") or "linear 4" in r for r in rows)
    dots = rows[2].index("·")
    assert 0 < rows[0].index("·· linear") - dots <= 6  # beside the place where it leaves
    for cells in range(40, 120):
        rows = [text_of(r) for r in plot([flat, up], cells, 20, UNICODE, [(2.0, "full 2")])]
        assert sum("linear" in r for r in rows) == bool(rows), cells
        assert not any("linear 4" in r for r in rows)
    assert "300" not in "".join(r[:8] for r in rows)


def test_a_post_stands_where_its_batch_is() -> None:
    rows = [text_of(r) for r in plot(FIVE, 100, 20, UNICODE, [(16.0, "memory full 16")])]
    at = rows[-1].index("16")
    assert "memory full 16" in rows[0]
    assert sum("│" in r[at - 1 : at + 2] for r in rows[:-2]) >= 14
    for outside in (0.5, 1.0, 128.0, 1e6):
        assert plot(FIVE, 100, 20, UNICODE, [(outside, "x")]) == plot(FIVE, 100, 20, UNICODE)


def test_one_batch_alone_is_a_point() -> None:
    one = Line("graph", [(1.0, 200.0)], SOLID, "burst")
    rows = [text_of(r) for r in plot([one], 80, 12, UNICODE)]
    assert sum(r[8:60].count("×") for r in rows) == 1


@pytest.mark.parametrize(
    ("wanted", "rows", "placed"),
    [
        ([3, 3, 3], 10, [3, 4, 5]),
        ([9, 9, 9], 10, [7, 8, 9]),
        ([0, 9, 0], 10, [0, 9, 1]),
        ([5, 5, 5], 2, [0, 1, None]),
    ],
)
def test_names_move_apart(wanted: list[int], rows: int, placed: list[int | None]) -> None:
    assert _apart(wanted, rows, [3.0, 2.0, 1.0]) == placed


def test_of_names_in_one_row_the_larger_stands_higher() -> None:
    assert _apart([0, 0, 0], 9, [1.0, 3.0, 2.0]) == [2, 0, 1]


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_marks_stand_at_their_points_alone_and_on_their_side_of_the_line(glyphs: Glyphs) -> None:
    points = [(b, 707.0 * b**0.94) for b in BATCHES]
    for share, above in ((1.04, True), (0.96, False)):
        rings = Line("predicted", [(b, r * share) for b, r in points], RINGS, "strong")
        crosses = Line("eager", [(b, r / 4) for b, r in points], CROSSES, "sustained")
        rows = plot([Line("graph", points, SOLID, "burst"), rings, crosses], 118, 15, glyphs)
        end = len(text_of(rows[-2]).rstrip())
        picture = [text_of(r)[8:end] for r in rows[:-2]]
        assert sum(r.count(glyphs.cross) for r in picture) == len(points)
        for y, text in enumerate(picture):
            for x, sign in enumerate(text):
                if sign == glyphs.ring:
                    rest = picture[:y] if above else picture[y + 1 :]
                    assert all(r[x] in f" ⠀{glyphs.cross}" for r in rest), (x, y)


@pytest.mark.parametrize(
    ("value", "said"), [(204.3, "204"), (9480, "9.48k"), (25600, "25.6k"), (1.2e6, "1.2M")]
)
def test_rates_are_short(value: float, said: str) -> None:
    assert short(value) == said


def test_the_rows_that_tell_most() -> None:
    assert telling(8, 8) == list(range(8))
    assert telling(8, 3, 5) == [0, 5, 7]
    assert telling(9, 4, 6, None, 2) == [0, 2, 6, 8]
    assert telling(9, 3, 6, 2) == [0, 6, 8]
    assert telling(8, 5, None) == [0, 1, 3, 5, 7]
    assert telling(16, 6, 4) == [0, 4, 6, 9, 12, 15]
    assert telling(8, 1) == [0]
    assert telling(3, 0) == []
