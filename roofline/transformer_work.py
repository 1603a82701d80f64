"""FLOP and bytes of a transformer's kernels, and of chains of them before and after fusion."""

from __future__ import annotations

import msgspec

from roofwatch.roofline import decode_work
from roofwatch.roofline.model import Model
from roofwatch.roofline.workload import (
    ELEMENT_FLOP,
    Traffic,
    Work,
    elementwise,
    linear,
    rowwise,
    size_bytes,
)

DECODE_LINEAR, PREFILL_LINEAR = "decode_linear", "prefill_linear"
DECODE_ATTENTION, PREFILL_ATTENTION = "decode_attention", "prefill_attention"
SAMPLING = "sampling"
MATRIX_OPS = (DECODE_LINEAR, PREFILL_LINEAR, DECODE_ATTENTION, PREFILL_ATTENTION)
"""Ops of the map whose FLOP are products of matrices: tensor cores do them."""

TOKEN_BYTES = 8  # a chosen token is an int64
THREE_COS, SILU_MUL = "three_cos", "silu_mul"
BIAS_GELU_DROPOUT = "bias_gelu_dropout"

CHAINS: dict[str, tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]] = {
    THREE_COS: (("cos", ("x",), ("a",)), ("cos", ("a",), ("b",)), ("cos", ("b",), ("y",))),
    SILU_MUL: (("silu", ("gate",), ("a",)), ("mul", ("a", "up"), ("y",))),
    BIAS_GELU_DROPOUT: (
        ("add", ("x", "bias"), ("a",)),
        ("gelu", ("a",), ("b",)),
        ("dropout", ("b",), ("y", "mask")),
    ),
}
"""Kernels of a chain: each one's op, the tensors that it reads, those that it writes.

Seeds: three cos (Day 1), SiLU times another row (Day 18: 5 tensors, fused 3), bias, GELU and
dropout (the H100 note). torch's dropout also writes which elements it kept, a byte each.
"""


def chain(op: str, rows: int, columns: int, dtype: str) -> Work:
    """A chain kernel by kernel: what lies between two of them is written and read again."""
    traffic: dict[str, list[int]] = {}
    for _, reads, writes in CHAINS[op]:
        for name in reads:
            traffic.setdefault(name, [0, 0])[0] += _size(name, rows, columns, dtype)
        for name in writes:
            traffic.setdefault(name, [0, 0])[1] += _size(name, rows, columns, dtype)
    return _chained(op, rows, columns, traffic)


def fused(op: str, rows: int, columns: int, dtype: str) -> Work:
    """The same in one kernel: inputs read once, the result written once, nothing between."""
    kernels = CHAINS[op]
    written = {name for _, _, writes in kernels for name in writes}
    inputs = [name for _, reads, _ in kernels for name in reads if name not in written]
    traffic = {name: [_size(name, rows, columns, dtype), 0] for name in inputs}
    traffic["y"] = [0, _size("y", rows, columns, dtype)]
    return _chained(op, rows, columns, traffic)


def once(rows: int, columns: int, dtype: str) -> Work:
    """One cos over the tensor of three: as long as they take when bytes alone count."""
    shape = {"rows": rows, "columns": columns}
    one = elementwise("cos", rows * columns, dtype)
    return msgspec.structs.replace(one, op=THREE_COS, shape=shape)


def _size(name: str, rows: int, columns: int, dtype: str) -> int:
    if name == "mask":
        return rows * columns
    return size_bytes(columns if name == "bias" else rows * columns, dtype)


def _chained(op: str, rows: int, columns: int, traffic: dict[str, list[int]]) -> Work:
    each = sum(ELEMENT_FLOP[kernel] for kernel, _, _ in CHAINS[op])
    return Work(
        op=op,
        shape={"rows": rows, "columns": columns},
        flop=each * rows * columns,
        tensors=tuple(
            Traffic(name=name, read_bytes=read, write_bytes=written)
            for name, (read, written) in traffic.items()
        ),
    )


def scaled_rows(op: str, rows: int, columns: int, dtype: str) -> Work:
    """A norm that multiplies by a row of weights (a LayerNorm also adds one)."""
    work = rowwise(op, rows, columns, dtype)
    names = ("scale", "bias") if op == "layernorm" else ("scale",)
    weights = (Traffic(name=name, read_bytes=size_bytes(columns, dtype)) for name in names)
    return msgspec.structs.replace(work, tensors=(*work.tensors, *weights))


def layer(op: str, tokens: int, model: Model, dtype: str) -> Work:
    """The up projection of ``model`` for so many tokens: a batch of a decode step, or a prompt."""
    work = linear(tokens, model.hidden, model.intermediate, dtype)
    return msgspec.structs.replace(work, op=op)


def decode_attention(model: Model, batch: int, context: int, dtype: str) -> Work:
    """One layer's attention of one new token a sequence (see decode_work.attention)."""
    work = decode_work.attention(model, batch, context, dtype)
    return msgspec.structs.replace(work, op=DECODE_ATTENTION)


def prefill_attention(model: Model, tokens: int, dtype: str) -> Work:
    """One layer's causal attention over a prompt, which keeps no score matrix: 2 n^2 h d FLOP.

    Half of 4 n^2 h d, the upper triangle is never needed (Dao, 2023, counts the same way). Queries
    and results have all heads, keys and values the KV heads alone.
    """
    m = model
    rows, cached = (size_bytes(tokens * size, dtype) for size in (m.q_size, m.kv_size))
    return Work(
        op=PREFILL_ATTENTION,
        shape={
            "tokens": tokens,
            "heads": m.heads,
            "kv_heads": m.kv_heads,
            "head_dim": m.head_dim,
        },
        flop=2.0 * tokens * tokens * m.q_size,
        tensors=(
            Traffic(name="q", read_bytes=rows),
            Traffic(name="keys", read_bytes=cached),
            Traffic(name="values", read_bytes=cached),
            Traffic(name="o", write_bytes=rows),
        ),
    )


def sampling(rows: int, vocab: int, top_k: int, dtype: str) -> Work:
    """One token a row out of its logits, by temperature, the best k and a draw.

    A division by the temperature and a comparison a logit; softmax, a division and a comparison
    (the draw) for each of the k. Only the logits and the tokens count as bytes.
    """
    per_row = 2.0 * vocab + (ELEMENT_FLOP["softmax"] + 2.0) * top_k
    return Work(
        op=SAMPLING,
        shape={"rows": rows, "columns": vocab, "top_k": top_k},
        flop=per_row * rows,
        tensors=(
            Traffic(name="logits", read_bytes=size_bytes(rows * vocab, dtype)),
            Traffic(name="token", write_bytes=TOKEN_BYTES * rows),
        ),
    )
