"""Which matmul shapes to try: one square is not a roof, a dozen wave-aligned shapes are. Pure."""

from __future__ import annotations

import math

import msgspec

from roofwatch.roofline.kernel_name import USUAL_TILE

TILES = {"fp64": (64, 128)}
WAVES = (1, 2, 4, 8)
DEPTHS = (1024, 2048, 4096, 8192)
DEEP = (8192, 16384, 32768)  # of one type whose tiles are small: the epilogue is its loss
DEEP_WAVES = (2, 4, 8, 16)
SQUARES = (1024, 2048, 4096, 8192)
MOST = 12


class Shape(msgspec.Struct, frozen=True):
    """[m, k] x [k, n]."""

    m: int
    n: int
    k: int

    @property
    def flop(self) -> float:
        """2MNK."""
        return 2.0 * self.m * self.n * self.k


def grid(tiles: int, tile: tuple[int, int] = USUAL_TILE) -> tuple[int, int]:
    """Rows and columns of tiles whose matrix is nearest to square."""
    pairs = [(r, tiles // r) for r in range(1, tiles + 1) if tiles % r == 0]
    return min(pairs, key=lambda p: abs(math.log(p[0] * tile[0] / (p[1] * tile[1]))))


def candidates(units: int, flop_budget: float, dtype: str = "") -> tuple[Shape, ...]:
    """Up to a dozen shapes of at most ``flop_budget`` FLOP a launch, the largest first.

    Wave-aligned: the output is cut into a whole number of waves of ``units`` (SM) tiles, so that
    no SM idles in the last wave. Squares stand beside them as what people usually try. At least
    the smallest square is returned, whatever the budget.
    """
    shapes = [Shape(n, n, n) for n in SQUARES]
    if units > 1:
        tile = TILES.get(dtype, USUAL_TILE)
        small = dtype in TILES
        for waves in DEEP_WAVES if small else WAVES:
            rows, columns = grid(waves * units, tile)
            depths = DEEP if small else DEPTHS
            shapes += [Shape(rows * tile[0], columns * tile[1], k) for k in depths]
    fitting = sorted({s for s in shapes if s.flop <= flop_budget}, key=lambda s: -s.flop)
    return tuple(fitting[:MOST]) or (Shape(SQUARES[0], SQUARES[0], SQUARES[0]),)
