"""Wave-aligned shapes."""

from __future__ import annotations

import pytest

from roofwatch.probes.shapes import MOST, TILE, Shape, candidates, grid


@pytest.mark.parametrize("units", [10, 40, 108, 114, 132, 148])
def test_shapes_fill_whole_waves_or_are_squares(units: int) -> None:
    for shape in candidates(units, 2e12):
        tiles = shape.m * shape.n / (TILE[0] * TILE[1])
        assert shape.m == shape.n == shape.k or tiles % units == 0


def test_the_h200s_best_known_grid_is_among_them() -> None:
    assert grid(4 * 132) in ((22, 24), (24, 22), (33, 16))
    assert any(s.m * s.n == 2816 * 6144 for s in candidates(132, 2e12))


def test_the_budget_holds_and_the_list_is_short() -> None:
    shapes = candidates(132, 1.4e11)
    assert 1 <= len(shapes) <= MOST
    assert all(s.flop <= 1.4e11 for s in shapes)
    assert list(shapes) == sorted(shapes, key=lambda s: -s.flop)


def test_something_is_tried_however_slow_the_device() -> None:
    assert candidates(1, 1.0) == (Shape(1024, 1024, 1024),)
    assert Shape(2, 3, 5).flop == 60
