"""What treats a kernel of the map: it follows from why it is no faster, then from its op."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.catalog import percent
from roofwatch.roofline.kernel_name import uses_tensor_cores
from roofwatch.roofline.roof import STOP
from roofwatch.roofline.transformer_work import (
    BIAS_GELU_DROPOUT,
    DECODE_ATTENTION,
    DECODE_LINEAR,
    MATRIX_OPS,
    SAMPLING,
    SILU_MUL,
    THREE_COS,
)
from roofwatch.session.events import Measurement
from roofwatch.session.kernel_reason import OVERLAPS, Cause

CHAIN_OF = {"cos": THREE_COS, "silu": SILU_MUL, BIAS_GELU_DROPOUT: BIAS_GELU_DROPOUT}
"""The chain whose fusion tells what fusing a kernel brings."""

EVEN = 64  # seed: sides of a product in multiples of 8, better of 64
LITTLE = 0.5  # of the saving that bytes promise

_FEWER_BYTES = "fuse it with its neighbours: fewer bytes"
_OF_BYTES = {
    "embedding": "a narrower type: fewer bytes",
    DECODE_LINEAR: "a larger batch, or weights of fewer bits",
    DECODE_ATTENTION: "fewer KV heads, or a cache of fewer bits",
}
_CHEAPER = {
    "layernorm": "fewer instructions: plain sums instead of a running mean and variance",
    "rmsnorm": "fewer instructions an element",
    "softmax": "cheaper functions (an approximate exp), fewer of them: one pass over the row",
    BIAS_GELU_DROPOUT: "cheaper functions (tanh for erf)",
}
_FUNCTIONS = "cheaper functions (an approximation, a table, fewer of them)"
_BOTH = {
    Cause.ARITHMETIC: "{} and fewer bytes: both bind it",
    Cause.BESIDE_BYTES: "{}, fewer bytes, or both overlapped",
}
_OVERHEAD = {
    "graph": "fusion: fewer kernels",
    "cpu": "fewer and larger calls",
    "host": "a CUDA graph, or fusion: fewer launches",
}
_OF_CAUSE = {
    Cause.CACHE: "none: the cache serves it, only more bytes would tell",
    Cause.ROOF_LOW: "none here: measure its roof again",
    Cause.FEW_BLOCKS: "more rows at once, or a kernel that splits a row among blocks",
    Cause.SPLIT: "one kernel for all of it: torch.compile, or a fused one",
    Cause.LAUNCH_PART: "more work in each launch: a larger batch, or fusion",
    Cause.EXPONENTIALS: "a kernel that overlaps exp and products (FlashAttention-3), or fewer "
    "scores: a sliding window, a shorter prompt",
    Cause.OLDER_CARDS: "a kernel written for this card (FlashAttention-3, cuDNN's)",
    Cause.NEW_MEMORY: "write into memory that is kept (out=)",
}
_STOP = "stop here: it is at its roof"
_PROFILE = "not its bytes alone: another kernel first, or a profile of this one"
_PRODUCT = "another kernel: products of this type reach more here; or a narrower type"


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """What a treatment follows from.

    ``bytes_share`` is how much of the time the bytes take at their own roof, ``fused`` the share of
    the promised saving that fusing the kernel's chain brought; None where nothing tells.
    """

    cause: Cause
    bound: str  # "memory" | "compute" | "overhead"
    of_roof: float | None
    bytes_share: float | None
    fused: float | None
    on_cpu: bool


def treatment(m: Measurement, case: Case) -> str:
    """One short line."""
    if case.bound == "overhead":
        return _OVERHEAD.get("cpu" if case.on_cpu else m.timing, _OVERHEAD["host"])
    if case.cause in (Cause.ARITHMETIC, Cause.BESIDE_BYTES):
        return _arithmetic(m, case)
    if case.cause in _OF_CAUSE:
        return _OF_CAUSE[case.cause]
    if case.bound == "compute" and m.op in MATRIX_OPS:
        return _product(m, case)
    return _bytes(m, case)


def _arithmetic(m: Measurement, case: Case) -> str:
    cheaper = _CHEAPER.get(m.op, _FUNCTIONS)
    if case.fused is not None and case.fused >= STOP:
        return f"{_FEWER_BYTES} ({percent(case.fused)} of what they promise came)"
    if case.cause is Cause.BESIDE_BYTES or case.bound == "memory":
        cheaper = _BOTH[case.cause].format(cheaper)
    if case.fused is None:  # the arithmetic stays where fusion takes the bytes away
        little = case.cause is Cause.ARITHMETIC
        return f"{cheaper}; fusing alone brings little" if little else cheaper
    return f"{cheaper}; {_brought(case.fused)}"


def _brought(fused: float) -> str:
    if fused <= 0:
        return "fusing alone brought nothing"
    return f"fusing alone brought {percent(fused)} of what bytes promise"


def _product(m: Measurement, case: Case) -> str:
    """Sides and tensor cores only where the shape or the kernel's name says so."""
    if case.of_roof is not None and case.of_roof >= STOP:
        return _STOP
    if any(m.shape.get(side, EVEN) % EVEN for side in ("m", "n", "k")):
        return f"sides in multiples of {EVEN}"
    if not case.on_cpu and m.kernel and uses_tensor_cores(m.kernel) is False:
        return "a type, or a kernel, that runs on tensor cores"
    return _PRODUCT


def _bytes(m: Measurement, case: Case) -> str:
    explained = case.bytes_share is None or case.bytes_share >= OVERLAPS
    if not explained and m.op == SAMPLING:
        return "one kernel for all its steps"
    if not explained:
        return _PROFILE
    if m.op in CHAIN_OF and case.fused is not None and case.fused < LITTLE:
        return f"fewer bytes; {_brought(case.fused)}"
    return _OF_BYTES.get(m.op, _FEWER_BYTES)
