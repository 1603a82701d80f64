"""A person's number with everything that was said about it, in SI: what ``check`` takes."""

from __future__ import annotations

import msgspec

OPS = (
    "matmul",
    "add",
    "add_scalar",
    "copy",
    "triad",
    "read",
    "reduce",
    "fill",
    "relu",
    "softmax",
    "layernorm",
    "rmsnorm",
    "embedding",
    "decode",
    "attention",
    "h2d",
    "d2h",
    "other",
)
DTYPES = (
    "fp64",
    "fp32",
    "fp16",
    "bf16",
    "fp8",
    "mxfp8",
    "fp4",
    "int32",
    "int8",
    "int4",
    "bytes",
)
MATHS = ("ieee", "tf32", "sparse")
TIMINGS = ("event", "graph", "host", "profiler")


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """One row; None is «not said». Sizes in bytes, times in seconds, rates in GB/s and TFLOP/s.

    ``rounding`` is what the digits given leave open, as a share: half a unit of the last one of
    time and claim together.
    """

    op: str
    id: str | int | float | None = None
    gpu: str | None = None
    m: int | None = None
    n: int | None = None
    k: int | None = None
    batch: int | None = None
    elements: int | None = None
    dtype: str | None = None
    math: str | None = None
    time_s: float | None = None
    claimed_gbs: float | None = None
    claimed_tflops: float | None = None
    claimed_mfu: float | None = None  # a share
    claimed_tokens_per_s: float | None = None
    bytes_counted: float | None = None
    flop_counted: float | None = None
    nominal_gbs: float | None = None
    nominal_tflops: float | None = None
    synchronized: bool | None = None
    timing: str | None = None
    model: str | None = None
    context: int | None = None
    note: str | None = None
    read_bytes: float | None = None
    write_bytes: float | None = None
    params: float | None = None
    weight_bytes: float | None = None
    kv_bytes_per_token: float | None = None
    kv_len: int | None = None
    tokens_per_step: float | None = None
    rounding: float = 0.0
