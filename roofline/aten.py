"""What aten's operators do to memory, by name: which move, which only read in part, which wait."""

from __future__ import annotations

from roofwatch.roofline.workload import ELEMENT_FLOP

DTYPE_KEYS = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int8": "int8",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
    "complex64": "fp32",
    "complex128": "fp64",
}
"""The peak key of each of torch's types; TF32 and the accumulator are told elsewhere."""

_FAMILY = {
    "_softmax": "softmax",
    "_log_softmax": "softmax",
    "native_layer_norm": "layernorm",
    "native_group_norm": "layernorm",
    "_fused_rms_norm": "rmsnorm",
    "silu": "silu",
    "silu_": "silu",
    "gelu": "gelu",
    "native_dropout": "dropout",
}
"""Operators of several operations an element, and which of the house's table they are."""

_MOVING = """
    copy_ _to_copy clone cat stack index gather index_select embedding fill_ zero_ zeros ones full
    zeros_like ones_like full_like new_zeros new_ones new_full arange repeat flip roll scatter
    scatter_ index_put index_put_ constant_pad_nd where masked_fill masked_fill_ tril triu
    lift_fresh_copy _local_scalar_dense
"""
_ALLOCATING = """
    empty empty_like empty_strided empty_permuted new_empty new_empty_strided resize_
"""
_OVERWRITING = """
    copy_ fill_ zero_ normal_ uniform_ random_ bernoulli_ exponential_ geometric_
"""
_FETCHING = "index gather index_select embedding take"
_WAITING = "_local_scalar_dense nonzero is_nonzero _unique2 equal masked_select"

MOVING = frozenset(_MOVING.split())
"""Operators that compute nothing: they move or fill."""
ALLOCATING = frozenset(_ALLOCATING.split())
"""Operators that touch no memory: they set it aside."""
OVERWRITING = frozenset(_OVERWRITING.split())
"""Operators that write their first argument without reading it."""
FETCHING = frozenset(_FETCHING.split())
"""Operators that read of a table what they store, not all of it."""
WAITING = frozenset(_WAITING.split())
"""Operators whose result the host must see before it can go on."""

_NO_FORMULA = (
    "_cudnn_rnn",
    "mkldnn_rnn_layer",
    "_cdist",
    "_fft",
    "linalg_",
    "_linalg_",
    "cholesky",
    "_weight_int",
    "sort",
    "topk",
)
"""Beginnings of names of operators that compute more than their elements tell."""


def element_flop(name: str) -> float:
    """Operations an element by the house's table, one where it says nothing else (seed, Day 1)."""
    if name in MOVING:
        return 0.0
    family = _FAMILY.get(name)
    return ELEMENT_FLOP[family] if family is not None else 1.0


COMPLEX_PRODUCT = 4
"""A complex multiply-add is four real ones, whatever the product."""


def complex_element_flop(name: str) -> float:
    """Real operations of a complex element: 6 of a product, 2 of a sum, by the definition."""
    if name in MOVING:
        return 0.0
    return 6.0 if name in ("mul", "mul_") else 2.0


def has_formula(namespace: str, name: str) -> bool:
    """Whether an operator's FLOP are told by its elements, where torch's counter tells none."""
    return namespace == "aten" and not name.startswith(_NO_FORMULA)
