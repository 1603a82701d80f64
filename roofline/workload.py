"""What a launch must do: FLOP, and each tensor's reads and writes listed apart.

Bytes are the compulsory minimum (every input read once, every output written once): exact for
streams, a lower bound for a matmul that does not fit in cache. The seeds count the same way.
"""

from __future__ import annotations

import msgspec

ELEMENT_BYTES = {
    "fp64": 8,
    "fp32": 4,
    "fp16": 2,
    "bf16": 2,
    "fp8": 1,
    "int8": 1,
    "int32": 4,
}


class Traffic(msgspec.Struct, frozen=True, kw_only=True):
    """What one launch reads of a tensor and writes to it, in bytes."""

    name: str
    read_bytes: int = 0
    write_bytes: int = 0


class Work(msgspec.Struct, frozen=True, kw_only=True):
    """FLOP and traffic of one launch of ``op`` on ``shape``."""

    op: str
    shape: dict[str, int]
    flop: float
    tensors: tuple[Traffic, ...]

    @property
    def bytes(self) -> int:
        """Reads and writes of all tensors."""
        return sum(t.read_bytes + t.write_bytes for t in self.tensors)

    @property
    def intensity(self) -> float:
        """Arithmetic intensity in FLOP per byte."""
        return self.flop / self.bytes


def matmul(m: int, n: int, k: int, dtype: str, out_dtype: str | None = None) -> Work:
    """[m, k] x [k, n]: 2MNK FLOP, e(MK + KN) read and e'MN written (seed, Day 14)."""
    size = ELEMENT_BYTES[dtype]
    out = ELEMENT_BYTES[out_dtype or dtype]
    return Work(
        op="matmul",
        shape={"m": m, "n": n, "k": k},
        flop=2.0 * m * n * k,
        tensors=(
            Traffic(name="a", read_bytes=size * m * k),
            Traffic(name="b", read_bytes=size * k * n),
            Traffic(name="c", write_bytes=out * m * n),
        ),
    )


def add_scalar(elements: int, dtype: str) -> Work:
    """y = x + 1: one FLOP an element, x read and y written (seed, Day 13: count both)."""
    size = ELEMENT_BYTES[dtype] * elements
    return Work(
        op="add_scalar",
        shape={"elements": elements},
        flop=float(elements),
        tensors=(Traffic(name="x", read_bytes=size), Traffic(name="y", write_bytes=size)),
    )
