"""Peak keys: which of a card's nominal rates an operation is judged by."""

from __future__ import annotations

PEAK_KEYS: tuple[str, ...] = (
    "fp64",
    "fp64_tensor",
    "fp32",
    "tf32",
    "fp16",
    "fp16_acc16",
    "bf16",
    "fp8",
    "fp8_fast",
    "int8",
    "fp4",
)
"""The rates that a measurement may be judged by, in the order in which they are shown."""

EXTRA_KEYS: tuple[str, ...] = ("fp16_vector", "fp32_matrix")
"""Rates that the table holds besides: fp16 on the vector lanes, fp32 on AMD's matrix cores."""

VECTOR_LANES: dict[str, str] = {"fp64": "fp64", "fp32": "fp32", "fp16_vector": "fp16"}
"""Peaks that vector lanes deliver, each with its lane's type; tensor cores deliver the others."""

TENSOR_KEYS: frozenset[str] = frozenset((*PEAK_KEYS, *EXTRA_KEYS)) - VECTOR_LANES.keys()

# One rate whatever the operation and the accumulator.
_PLAIN = {
    "tf32": "tf32",
    "bf16": "bf16",
    "int8": "int8",
    "fp4": "fp4",
    "mxfp4": "fp4",
    "nvfp4": "fp4",
    # Block-scaled fp8 reaches the fast row even where fp32 accumulation halves plain fp8.
    "mxfp8": "fp8_fast",
}

_ON_TENSOR_CORES = frozenset({"matmul", "gemm", "linear", "attention"})
_MOVING = {"copy", "embedding", "fill", "read", "h2d", "d2h"}
_ELEMENTWISE = {"add", "bias", "dropout", "gelu", "mul", "relu", "silu", "triad"}
_REDUCING = {"layernorm", "reduce", "rmsnorm", "softmax"}
_ON_VECTOR_LANES = frozenset(_MOVING | _ELEMENTWISE | _REDUCING)


def uses_tensor_cores(op: str) -> bool:
    """Whether ``op`` multiplies matrices. An op of unknown name is taken to do so.

    Unknown counts as yes because the tensor peak is the higher one: a rate may then be called
    low, but never impossible.
    """
    words = frozenset(op.replace("-", "_").split("_"))
    return bool(words & _ON_TENSOR_CORES) or not words & _ON_VECTOR_LANES


def peak_key(
    dtype: str,
    math: str = "ieee",
    accumulate: str | None = None,
    *,
    op: str = "matmul",
    has_fp64_tensor: bool = False,
) -> str | None:
    """The peak that an operation is judged by; None for a dtype that has no peak.

    Args:
        dtype: element type, e.g. ``"fp16"``, ``"fp32"``, ``"fp8"``.
        math: ``"ieee"``, ``"tf32"`` or ``"sparse"``; sparse math is judged by the dense peak.
        accumulate: what the sums are kept in, e.g. ``"fp32"``, ``"fp16"``, ``"reduced"``;
            None is what torch does by itself, fp32.
        op: the operation; only matrix operations run on tensor cores.
        has_fp64_tensor: whether the card's tensor cores take fp64.
    """
    if dtype == "fp32":
        return "tf32" if math == "tf32" and uses_tensor_cores(op) else "fp32"
    if dtype == "fp64":
        return "fp64_tensor" if has_fp64_tensor and uses_tensor_cores(op) else "fp64"
    if dtype == "fp16":
        return "fp16_acc16" if accumulate == "fp16" else "fp16"
    if dtype == "fp8":
        return "fp8_fast" if accumulate in ("reduced", "fp16") else "fp8"
    return _PLAIN.get(dtype)


def unit(peak_key: str) -> str:
    """The unit of a rate judged by this peak: integer operations are counted in TOPS."""
    return "TOPS" if peak_key == "int8" else "TFLOP/s"
