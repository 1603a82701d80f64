"""The grid and a rank's page as text."""

from __future__ import annotations

import pytest
from made_fleet import made_fleet
from simulated_ranks import planted

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.fleet.fleet_grid import At, Grid, grid_rows, moved
from roofwatch.tui.fleet.rank_page import rank_rows


@pytest.fixture(scope="module")
def grid() -> Grid:
    return Grid(made_fleet(64, lost=(3,)))


def test_slow_ranks_and_lost_ones_have_a_mark_and_a_word(grid: Grid) -> None:
    rows = [text_of(r) for r in grid_rows(grid, At(), 80, 24, UNICODE)]
    assert all(len(r) == 80 for r in rows)
    assert "add_scalar" in rows[0]
    assert "4284 GB/s" in rows[2]
    lost = next(r for r in rows if "node000 3" in r)
    assert "✗" in lost
    assert "silent: silent for 20 s" in lost
    slow = next(r for r in rows if "node001 1" in r)
    assert slow.count("▲") == 1 + 5  # the rank, and each figure on show
    assert "-9.1 %" in slow


def test_it_is_drawn_in_ascii_too(grid: Grid) -> None:
    for at in (At(), At(rank=9)):
        assert all(text_of(r).isascii() for r in grid_rows(grid, at, 80, 24, ASCII))
        assert all(
            text_of(r).isascii() or "°" in text_of(r)
            for r in rank_rows(grid, grid.ranks[at.rank], 76, ASCII)
        )


@pytest.mark.parametrize("size", [(80, 24), (200, 60), (20, 6), (120, 36)])
def test_the_cursor_stays_on_show_wherever_it_goes(grid: Grid, size: tuple[int, int]) -> None:
    at = At()
    for rows, columns in ((10**6, 0), (-3, 10**6), (-(10**6), 0), (30, -1), (0, -(10**6))):
        at = moved(grid, at, *size, rows, columns)
        drawn = grid_rows(grid, at, *size, UNICODE)
        assert sum("▸" in text_of(r) for r in drawn) == 1
        assert len(drawn) <= size[1]
        assert all(width(r) == size[0] for r in drawn)
    assert at == At(rank=30, top=at.top, column=0)


def test_the_next_marked_rank_is_found_round_and_round(grid: Grid) -> None:
    marked = sorted({3, *planted(64)})
    at, seen = 0, []
    for _ in marked:
        at = grid.next_marked(at)
        seen.append(at)
    assert seen == marked
    assert grid.next_marked(at) == marked[0]


def test_a_ranks_page_has_its_figures_its_distance_and_the_cause(grid: Grid) -> None:
    text = [text_of(r) for r in rank_rows(grid, grid.ranks[9], 76, UNICODE)]
    assert text[0].startswith("node001 card 1   rank 9   NVIDIA H200")
    assert text[1] == "done, slow"
    assert any(t.startswith("add_scalar-fp16, GB/s") and "-9.1 %" in t for t in text)
    assert any("power-capped: its power limit is 500 W, the others' 700 W" in t for t in text)
    assert any(t.startswith("finding: SM clock 1425 of 1980 MHz") for t in text)
    assert all(len(t) <= 76 for t in text)
    lost = [text_of(r) for r in rank_rows(grid, grid.ranks[3], 76, UNICODE)]
    assert lost[1].startswith("silent: silent for 20 s")
    assert len(lost) == 2
