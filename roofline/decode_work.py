"""What each part of a decode step must do: FLOP and bytes, which add up to the step's.

Bytes of a part include its activations (they stay in the last-level cache); those of the whole step
are weights and KV cache alone, which come from memory (seed, Day 16, and what is really read: of
an input embedding with a matrix of its own only the tokens' rows).
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.model import Model
from roofwatch.roofline.workload import (
    ROWWISE_FLOP,
    Traffic,
    Work,
    embedding,
    linear,
    rowwise,
    size_bytes,
)

LINEAR = ("qkv", "out", "gate_up", "down", "head")
"""Parts that read weights once, however large the batch."""


def parts(model: Model, batch: int, context: int, dtype: str) -> tuple[Work, ...]:
    """One call of each part, in the order of a step; ``op`` names the part.

    Sides are tokens x inputs x outputs of a linear part; [batch, heads, context, head size] of the
    attention: 4 n h d FLOP a sequence, the keys and values of n tokens read.
    """
    m = model
    return (
        _named("embedding", embedding(batch, m.hidden, dtype)),
        _named("rmsnorm", _rmsnorm(batch, m.hidden, dtype)),
        _named("qkv", linear(batch, m.hidden, m.qkv_size, dtype)),
        _rotary(m, batch, dtype),
        attention(m, batch, context, dtype),
        _named("out", _accumulated(linear(batch, m.q_size, m.hidden, dtype))),
        _named("gate_up", linear(batch, m.hidden, 2 * m.intermediate, dtype)),
        _silu_mul(m, batch, dtype),
        _named("down", _accumulated(linear(batch, m.intermediate, m.hidden, dtype))),
        _named("head", linear(batch, m.hidden, m.vocab, dtype)),
    )


def attention(model: Model, batch: int, context: int, dtype: str) -> Work:
    """One layer's attention of one new token a sequence over ``context`` cached ones.

    Intensity in two-byte types: query heads over KV heads (the seed's 1 is that without groups).
    """
    m = model
    rows = size_bytes(batch * m.q_size, dtype)
    cached = size_bytes(batch * context * m.kv_size, dtype)
    return Work(
        op="attention",
        shape={
            "batch": batch,
            "context": context,
            "heads": m.heads,
            "kv_heads": m.kv_heads,
            "head_dim": m.head_dim,
        },
        flop=4.0 * batch * context * m.q_size,
        tensors=(
            Traffic(name="q", read_bytes=rows),
            Traffic(name="keys", read_bytes=cached),
            Traffic(name="values", read_bytes=cached),
            Traffic(name="o", write_bytes=rows),
        ),
    )


def step(model: Model, layers: int, batch: int, context: int, dtype: str) -> Work:
    """The whole step of ``layers`` layers: weights once, every sequence's KV cache.

    FLOP: 2 a weight and sequence of the linear parts, and 4 n h d L of the attention.
    """
    m = msgspec.structs.replace(model, layers=layers)
    each = {w.op: w for w in parts(m, batch, context, dtype)}
    once = ("head",)
    linear_flop = sum(each[op].flop * (1 if op in once else layers) for op in LINEAR)
    kv = batch * context * m.kv_bytes_per_token(dtype)
    return Work(
        op="decode",
        shape={"batch": batch, "context": context, "layers": layers, "layers_of": model.layers},
        flop=linear_flop + layers * each["attention"].flop,
        tensors=(
            Traffic(name="weights", read_bytes=size_bytes(m.read_params, dtype)),
            Traffic(name="kv", read_bytes=kv),
        ),
    )


def _named(op: str, work: Work) -> Work:
    return msgspec.structs.replace(work, op=op)


def _accumulated(work: Work) -> Work:
    """The same with its result added to what is there: that is read as well."""
    tensors = tuple(
        msgspec.structs.replace(t, read_bytes=t.write_bytes) if t.name == "c" else t
        for t in work.tensors
    )
    return msgspec.structs.replace(work, tensors=tensors)


def _rmsnorm(rows: int, columns: int, dtype: str) -> Work:
    work = rowwise("rmsnorm", rows, columns, dtype)
    scale = Traffic(name="scale", read_bytes=size_bytes(columns, dtype))
    return msgspec.structs.replace(work, tensors=(*work.tensors, scale))


def _rotary(m: Model, batch: int, dtype: str) -> Work:
    """Queries and keys turned (three operations an element), keys and values stored."""
    turned = batch * (m.q_size + m.kv_size)
    return Work(
        op="rotary",
        shape={"rows": batch, "columns": m.qkv_size},
        flop=3.0 * turned,
        tensors=(
            Traffic(name="qkv", read_bytes=size_bytes(batch * m.qkv_size, dtype)),
            Traffic(name="q", write_bytes=size_bytes(batch * m.q_size, dtype)),
            Traffic(name="kv", write_bytes=size_bytes(2 * batch * m.kv_size, dtype)),
        ),
    )


def _silu_mul(m: Model, batch: int, dtype: str) -> Work:
    elements = batch * m.intermediate
    return Work(
        op="silu_mul",
        shape={"rows": batch, "columns": m.intermediate},
        flop=(ROWWISE_FLOP["rmsnorm"] + 1) * elements,
        tensors=(
            Traffic(name="gate_up", read_bytes=2 * size_bytes(elements, dtype)),
            Traffic(name="y", write_bytes=size_bytes(elements, dtype)),
        ),
    )
