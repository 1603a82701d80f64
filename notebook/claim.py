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


WHAT: dict[str, str] = {
    "id": "a name of your own; rows that share it are points of one experiment",
    "gpu": "the card, as its driver prints it or as people say: T4, 'A100 80GB SXM', 4090",
    "op": "what ran: " + ", ".join(OPS),
    "m": "rows of a matmul's result; rows of a softmax or norm",
    "n": "columns of a matmul's result; columns of a softmax or norm",
    "k": "the inner dimension of a matmul",
    "batch": "matmuls in one call; sequences of a decode step",
    "elements": "of one tensor",
    "dtype": "of the operands: " + ", ".join(DTYPES),
    "math": "ieee, tf32 or sparse",
    "time": "of one launch or step, with its unit: 183us, 1.2ms",
    "time_s": "the same in seconds",
    "time_ms": "the same in milliseconds",
    "time_us": "the same in microseconds",
    "claimed": "the number itself, with its unit: 900GB/s, 260TFLOP/s, 60tok/s, '46 MFU %%' "
    "(a whole model's: op other)",
    "claimed_gbs": "the number in GB/s (1e9 bytes)",
    "claimed_tflops": "the number in TFLOP/s (int8: TOPS)",
    "claimed_tokens_per_s": "tokens of the whole batch",
    "bytes_counted": "the bytes that the number counts, with a unit: 4GiB",
    "flop_counted": "the FLOP that the number counts",
    "nominal_gbs": "the bandwidth that it was compared with",
    "nominal_tflops": "the peak that it was compared with",
    "synchronized": "true or false: whether the host's clock waited for the card",
    "timing": "event, graph, host or profiler",
    "model": "for your own eyes",
    "context": "tokens in the KV cache of a sequence (kv_len is another word for it)",
    "note": "for your own eyes",
    "read_bytes": "what was read in all, with a unit; for any op",
    "write_bytes": "what was written in all",
    "params": "of a model: 8B (of a mixture of experts those that a token uses)",
    "weight_bytes": "of its weights on this card: 4.5GB",
    "kv_bytes_per_token": "of one sequence: 128KiB",
    "kv_len": "tokens in the KV cache of a sequence",
    "tokens_per_step": "with speculation: tokens that one pass yields",
}
"""What each field of a row says; ``%%`` stands for one in a help text."""
