"""What a kernel's name tells: whether it ran on tensor cores, and its output tile.

Names by generation, as NVIDIA's libraries print them: Turing ``s1688gemm``, Ampere ``s16816gemm``
and ``tensorop``, xmma with a ``tensor`` shape, Hopper and later ``nvjet`` and ``gmma``; ``ffma``,
``sgemm`` and ``simt`` multiply on CUDA cores.
"""

from __future__ import annotations

import re

USUAL_TILE = (128, 256)
"""Output tile of the large tensor-core kernels, for a kernel whose name tells none."""

_ON_TENSOR_CORES = re.compile(
    r"nvjet|tensorop|_tensor\d+x\d+x\d+|warpgroupsize|gmma|hmma|imma|dmma|qmma|umma|tcgen05"
    r"|(?<![a-z])[hsid]?(?:884|1688|16816|16832|168128|8816)(?:gemm|cudnn)|884gemm|1688gemm"
)
_ON_CUDA_CORES = re.compile(r"ffma|dfma|hfma|simt|(?<![0-9])[sdh]gemm|gemv|gemmSN|gemmk1")

# nvjet_sm90_tst_256x128_64x4 · tilesize128x64x16 · s16816gemm_fp16_256x128_ldg8 · s8_128x256_128x3
# One digit is a decode's tile: nvjet_tst_64x8_64x16. Behind SM90_ stands one instruction's shape.
_TILE = re.compile(r"(?:tilesize|(?<!SM\d\d)(?<!SM\d\d\d)_)([1-9]\d{0,2})x([1-9]\d{0,2})(?!\d)")


_SHARES_TILES = re.compile(r"split_?k|stream_?k", re.IGNORECASE)


def shares_tiles(name: str) -> bool:
    """Whether a kernel of this name lets several SMs work on one tile (split-K, stream-K)."""
    return _SHARES_TILES.search(name) is not None


def uses_tensor_cores(name: str) -> bool | None:
    """Whether a matmul kernel of this name runs on tensor cores; None when the name is silent."""
    if _ON_TENSOR_CORES.search(name):
        return True
    if _ON_CUDA_CORES.search(name):
        return False
    return None


def tile(name: str) -> tuple[int, int] | None:
    """Rows and columns of the output tile in the name; None when it has none.

    Libraries multiply transposed at will, so which side is which may be swapped; the number of
    tiles of a large matrix hardly changes by it.
    """
    found = _TILE.search(name)
    return (int(found[1]), int(found[2])) if found else None
