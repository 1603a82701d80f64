"""What a launch must do: FLOP, and each tensor's reads and writes listed apart.

Bytes are the compulsory minimum (every input read once, every output written once): exact for
streams, a lower bound for a matmul that does not fit in cache. The seeds count the same way.
"""

from __future__ import annotations

import msgspec

ELEMENT_BITS = {
    "fp64": 64,
    "fp32": 32,
    "fp16": 16,
    "bf16": 16,
    "fp8": 8,
    "int8": 8,
    "int32": 32,
    "int4": 4,
    "fp4": 4,
    "mxfp8": 8,
    "bytes": 8,
}
RESULT = {"fp8": "bf16", "mxfp8": "bf16", "int8": "int32", "int4": "int32", "fp4": "bf16"}
"""Element type of a matmul's result where it is not that of its operands."""

BLOCK = 16  # fp4 elements that share one fp8 scale (OCP microscaling, NVIDIA's NVFP4)


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


def size_bytes(elements: int, dtype: str) -> int:
    """Bytes of so many elements."""
    return elements * ELEMENT_BITS[dtype] // 8


def matmul(m: int, n: int, k: int, dtype: str, out_dtype: str | None = None) -> Work:
    """[m, k] x [k, n]: 2MNK FLOP, e(MK + KN) read and e'MN written (seed, Day 14)."""
    tensors = [
        Traffic(name="a", read_bytes=size_bytes(m * k, dtype)),
        Traffic(name="b", read_bytes=size_bytes(k * n, dtype)),
        Traffic(name="c", write_bytes=size_bytes(m * n, out_dtype or RESULT.get(dtype, dtype))),
    ]
    if dtype == "fp4":
        tensors.append(Traffic(name="scales", read_bytes=(m * k + k * n) // BLOCK))
    return Work(
        op="matmul",
        shape={"m": m, "n": n, "k": k},
        flop=2.0 * m * n * k,
        tensors=tuple(tensors),
    )


def linear(tokens: int, inputs: int, outputs: int, dtype: str) -> Work:
    """A layer's matmul: ``tokens`` rows share one trip of the weights (seed: which rows)."""
    return msgspec.structs.replace(matmul(tokens, outputs, inputs, dtype), op="linear")


def tiled(tile: int, dtype: str) -> Work:
    """A step of a matmul by tiles: two tiles read, each number of them used ``tile`` times.

    2T^3 FLOP for 2T^2 numbers, whatever the matrices (seed, H100 note); of one number a side this
    is the naive kernel, which reads both factors of every product. The sums stay on the chip.
    """
    size = size_bytes(tile * tile, dtype)
    return Work(
        op="tiled",
        shape={"tile": tile},
        flop=2.0 * tile**3,
        tensors=(Traffic(name="a", read_bytes=size), Traffic(name="b", read_bytes=size)),
    )


def _stream(
    op: str, elements: int, dtype: str, flop: float, reads: tuple[str, ...], writes: tuple[str, ...]
) -> Work:
    size = size_bytes(elements, dtype)
    return Work(
        op=op,
        shape={"elements": elements},
        flop=flop * elements,
        tensors=(
            *(Traffic(name=name, read_bytes=size) for name in reads),
            *(Traffic(name=name, write_bytes=size) for name in writes),
        ),
    )


def add_scalar(elements: int, dtype: str) -> Work:
    """y = x + 1: one FLOP an element, x read and y written (seed, Day 13: count both)."""
    return _stream("add_scalar", elements, dtype, 1, ("x",), ("y",))


def copy(elements: int, dtype: str) -> Work:
    """y = x: no FLOP, x read and y written."""
    return _stream("copy", elements, dtype, 0, ("x",), ("y",))


def add(elements: int, dtype: str) -> Work:
    """z = x + y: one FLOP an element, three streams (seed: intensity 0.17 in two-byte types)."""
    return _stream("add", elements, dtype, 1, ("x", "y"), ("z",))


def triad(elements: int, dtype: str) -> Work:
    """z = x + s y: two FLOP an element, three streams (McCalpin's STREAM)."""
    return _stream("triad", elements, dtype, 2, ("x", "y"), ("z",))


def fill(elements: int, dtype: str) -> Work:
    """y = 1: no FLOP, y written."""
    return _stream("fill", elements, dtype, 0, (), ("y",))


def relu(elements: int, dtype: str) -> Work:
    """y = max(x, 0): one comparison an element, x read and y written (seed, Day 1)."""
    return elementwise("relu", elements, dtype)


def elementwise(op: str, elements: int, dtype: str) -> Work:
    """y = f(x), an ``op`` of ``ELEMENT_FLOP``: x read and y written."""
    return _stream(op, elements, dtype, ELEMENT_FLOP[op], ("x",), ("y",))


ELEMENT_FLOP = {
    "add": 1.0,
    "mul": 1.0,
    "relu": 1.0,
    "cos": 1.0,
    "silu": 4.0,
    "gelu": 5.0,
    "dropout": 2.0,
    "softmax": 4.0,
    "rmsnorm": 4.0,
    "layernorm": 8.0,
}
"""Operations an element, a function of one argument counting as one.

Seeds: add, ReLU and cos 1 (Day 1), LayerNorm 8, RMSNorm and softmax an intensity near 1 in fp16.
Counted the same way from their definitions: SiLU x / (1 + exp(-x)) 4; GELU 0.5 x (1 + erf(c x)) 5
(Hendrycks and Gimpel, 2016); dropout a comparison and a product (its random number is no FLOP).
"""

ROWWISE_FLOP = {op: ELEMENT_FLOP[op] for op in ("softmax", "rmsnorm", "layernorm")}


def rowwise(op: str, rows: int, columns: int, dtype: str) -> Work:
    """Softmax or a norm over each row, in one pass over the memory: x read and y written."""
    work = _stream(op, rows * columns, dtype, ROWWISE_FLOP[op], ("x",), ("y",))
    return msgspec.structs.replace(work, shape={"rows": rows, "columns": columns})


def reduce(elements: int, dtype: str) -> Work:
    """The sum of x: one FLOP an element, x read; the one result does not count."""
    return _stream("reduce", elements, dtype, 1, ("x",), ())


def embedding(rows: int, columns: int, dtype: str) -> Work:
    """Rows of a table fetched and stored: no FLOP (seed, Day 17)."""
    work = _stream("embedding", rows * columns, dtype, 0, ("table",), ("y",))
    return msgspec.structs.replace(work, shape={"rows": rows, "columns": columns})


def decode(params: float, weights_bytes: float, batch: int = 1, kv_bytes: float = 0.0) -> Work:
    """One decode step: 2Nb FLOP; the weights once and every sequence's KV read (seed, Day 16)."""
    return Work(
        op="decode",
        shape={"batch": batch},
        flop=2.0 * params * batch,
        tensors=(
            Traffic(name="weights", read_bytes=round(weights_bytes)),
            *((Traffic(name="kv", read_bytes=round(kv_bytes)),) if kv_bytes else ()),
        ),
    )


def read(rows: int, columns: int, dtype: str, passes: int = 1) -> Work:
    """The sums of x's rows, ``passes`` times in one launch: x read, one element a row written."""
    elements = rows * columns
    return Work(
        op="read",
        shape={"rows": rows, "columns": columns, "passes": passes},
        flop=float(elements * passes),
        tensors=(
            Traffic(name="x", read_bytes=passes * size_bytes(elements, dtype)),
            Traffic(name="y", write_bytes=passes * size_bytes(rows, dtype)),
        ),
    )


def strided(elements: int, dtype: str, stride: int = 2) -> Work:
    """y = x[::stride] + 1 of ``elements`` results: the useful bytes alone (seed, Day 13).

    The memory moves whole sectors of 32 bytes, so it carries all of x for them.
    """
    work = _stream("strided", elements, dtype, 1, ("x",), ("y",))
    return msgspec.structs.replace(work, shape={"elements": elements, "stride": stride})


def flash_attention(tokens: int, head_dim: int, dtype: str) -> Work:
    """One head's attention over ``tokens`` that keeps no score matrix: 4 n^2 d, q k v o moved.

    Half of it under a causal mask; the intensity is then half as well.
    """
    size = size_bytes(tokens * head_dim, dtype)
    return Work(
        op="attention",
        shape={"tokens": tokens, "head_dim": head_dim},
        flop=4.0 * tokens * tokens * head_dim,
        tensors=(
            *(Traffic(name=name, read_bytes=size) for name in "qkv"),
            Traffic(name="o", write_bytes=size),
        ),
    )


def transfer(op: str, size: int) -> Work:
    """A copy over the host link: each byte crosses it once, of ``duplex`` as many each way."""
    ends = {"h2d": ("host",), "d2h": ("card",), "duplex": ("host", "card")}[op]
    tensors = tuple(Traffic(name=name, read_bytes=size) for name in ends)
    return Work(op=op, shape={"bytes": size}, flop=0.0, tensors=tensors)


def peer_copy(size: int, both_ways: bool = False) -> Work:
    """A copy from card to card: each byte crosses the link once, ``both_ways`` as many each way."""
    ends = ("there", "back") if both_ways else ("there",)
    tensors = tuple(Traffic(name=name, read_bytes=size) for name in ends)
    op = "p2p_duplex" if both_ways else "p2p"
    return Work(op=op, shape={"bytes": size}, flop=0.0, tensors=tensors)


def memcpy(size: int) -> Work:
    """A copy within the host's memory: read and written."""
    tensors = (Traffic(name="x", read_bytes=size), Traffic(name="y", write_bytes=size))
    return Work(op="memcpy", shape={"bytes": size}, flop=0.0, tensors=tensors)
