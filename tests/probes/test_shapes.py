"""Wave-aligned shapes."""

from __future__ import annotations

import pytest

from roofwatch.probes.shapes import (
    DEEP,
    DEEP_WAVES,
    MOST,
    SQUARES,
    TILES,
    Shape,
    candidates,
    grid,
)
from roofwatch.roofline.attribution import wave_share
from roofwatch.roofline.kernel_name import USUAL_TILE

CARDS = [10, 40, 108, 114, 132, 148]


@pytest.mark.parametrize("units", CARDS)
def test_shapes_fill_whole_waves_or_are_squares(units: int) -> None:
    for shape in candidates(units, 2e12):
        square = shape.m == shape.n == shape.k
        assert square or wave_share(shape.m, shape.n, USUAL_TILE, units) == 1


@pytest.mark.parametrize("units", CARDS)
def test_fp64_has_a_tile_of_its_own_and_deep_shapes(units: int) -> None:
    shapes = candidates(units, 1e13, "fp64")
    aligned = [s for s in shapes if s.k in DEEP and not s.m == s.n == s.k]
    assert aligned
    tile = TILES["fp64"]
    for shape in aligned:
        assert wave_share(shape.m, shape.n, tile, units) == 1
        assert shape.m // tile[0] * (shape.n // tile[1]) // units in DEEP_WAVES
    assert max(s.k for s in shapes) > max(s.k for s in candidates(units, 1e13, "bf16"))


def test_only_a_type_with_a_tile_of_its_own_differs() -> None:
    assert candidates(132, 2e12, "bf16") == candidates(132, 2e12, "fp8") == candidates(132, 2e12)
    assert candidates(132, 2e12, "fp64") != candidates(132, 2e12)


def test_the_h200s_best_known_grid_is_among_them() -> None:
    assert grid(4 * 132) in ((22, 24), (24, 22), (33, 16))
    assert any(s.m * s.n == 2816 * 6144 for s in candidates(132, 2e12))


@pytest.mark.parametrize("tile", [USUAL_TILE, *TILES.values()])
@pytest.mark.parametrize("tiles", [1, 7, 132, 528, 1056])
def test_a_grid_holds_all_tiles_and_is_the_nearest_to_square(
    tiles: int, tile: tuple[int, int]
) -> None:
    rows, columns = grid(tiles, tile)
    assert rows * columns == tiles

    def lopsided(r: int) -> float:
        sides = r * tile[0], tiles // r * tile[1]
        return max(sides) / min(sides)

    assert lopsided(rows) == min(lopsided(r) for r in range(1, tiles + 1) if tiles % r == 0)


@pytest.mark.parametrize("dtype", ["bf16", "fp64"])
def test_the_budget_holds_and_the_list_is_short(dtype: str) -> None:
    shapes = candidates(132, 1.4e11, dtype)
    assert 1 <= len(shapes) <= MOST
    assert all(s.flop <= 1.4e11 for s in shapes)
    assert list(shapes) == sorted(shapes, key=lambda s: -s.flop)
    assert len(set(shapes)) == len(shapes)


def test_where_waves_mean_nothing_squares_are_left() -> None:
    assert {s.m for s in candidates(1, 1e15)} == set(SQUARES)


def test_something_is_tried_however_slow_the_device() -> None:
    assert candidates(1, 1.0) == (Shape(1024, 1024, 1024),)
    assert candidates(132, 1.0, "fp64") == (Shape(1024, 1024, 1024),)
    assert Shape(2, 3, 5).flop == 60
