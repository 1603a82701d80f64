"""What a recorded operator must do, by its name and shapes alone: FLOP and bytes, or not known.

Bytes are the compulsory minimum, as in ``workload``: each operand read once, each result written
once. What has no formula here is None, never 0.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import msgspec

from roofwatch.roofline.aten import MOVING, OVERWRITING, complex_element_flop, element_flop
from roofwatch.roofline.product_work import PRODUCTS
from roofwatch.roofline.recorded_call import (
    Argument,
    RecordedCall,
    Shape,
    broadcast,
    truth,
    whole_numbers,
)
from roofwatch.roofline.workload import ROWWISE_FLOP, Traffic, Work

PRODUCT, ELEMENTWISE, ROWWISE, REDUCTION, MOVE = (
    "product",
    "elementwise",
    "rowwise",
    "reduction",
    "move",
)


class OperatorWork(msgspec.Struct, frozen=True, kw_only=True):
    """Work of one call; ``result`` is the shape that it leaves, ``operands`` those that it reads.

    ``dtype`` is the element type of its arithmetic in the house's word, None where it only moves
    whole numbers.
    """

    kind: str
    work: Work
    dtype: str | None
    result: Shape = ()
    operands: tuple[Shape, ...] = ()


_UNARY = """
    abs acos asin atan bitwise_not ceil celu clamp clamp_max clamp_min cos cosh cumsum elu erf erfc
    erfinv exp exp2 expm1 flip floor frac gelu hardsigmoid hardswish hardtanh isfinite isinf isnan
    leaky_relu log log10 log1p log2 log_sigmoid logical_not logit mish nan_to_num neg pow reciprocal
    relu roll round rsqrt sigmoid sign silu sin sinh softplus sqrt square tan tanh threshold tril
    triu trunc
"""
_BINARY = """
    add atan2 bitwise_and bitwise_or bitwise_xor div elu_backward eq floor_divide fmax fmin fmod ge
    gelu_backward gt hardsigmoid_backward hardswish_backward hardtanh_backward le
    leaky_relu_backward logical_and logical_or logical_xor lt masked_fill maximum minimum
    mish_backward mul native_dropout_backward ne remainder rsub sigmoid_backward silu_backward
    softplus_backward sub tanh_backward threshold_backward true_divide
"""
_TERNARY = "addcdiv addcmul lerp where"
_TRUTHS = """
    eq ne lt le gt ge logical_and logical_or logical_xor logical_not isnan isinf isfinite
"""
ARITY = (
    dict.fromkeys(_UNARY.split(), 1)
    | dict.fromkeys(_BINARY.split(), 2)
    | dict.fromkeys(_TERNARY.split(), 3)
)
"""Operators that work element by element, and how many tensors they read at most."""
TRUTHS = frozenset(_TRUTHS.split())
"""Those whose result is true or false, a byte each."""
_SUMS = """
    sum mean max min amax amin argmax argmin prod any all var std norm linalg_vector_norm nansum
    logsumexp
"""
_ROWWISE = {
    "_softmax": "softmax",
    "_log_softmax": "softmax",
    "softmax": "softmax",
    "log_softmax": "softmax",
    "native_layer_norm": "layernorm",
    "layer_norm": "layernorm",
    "native_group_norm": "layernorm",
    "native_batch_norm": "layernorm",
    "cudnn_batch_norm": "layernorm",
    "_fused_rms_norm": "rmsnorm",
    "rms_norm": "rmsnorm",
}
_OPAQUE = re.compile(r"OpaqueType<(\d{1,2})u?l?>")
_BACKWARD_OPERANDS = {
    "_softmax_backward_data": 2,
    "_log_softmax_backward_data": 2,
    "native_layer_norm_backward": 2,
}


def operator_work(call: RecordedCall, kernel: str = "") -> OperatorWork | None:
    """The work of one call; None where no formula tells it, or a shape is missing.

    ``kernel`` is the name of what it launched, which may tell an element size that is not recorded.
    """
    if call.namespace != "aten" or not call.arguments:
        return None
    if (product := PRODUCTS.get(call.name)) is not None:
        done = product(call)
        if done is None:
            return None
        work, dtype = done
        shapes = tuple(a.dims for a in call.tensors)
        return OperatorWork(kind=PRODUCT, work=work, dtype=dtype, operands=shapes)
    base = call.name.rstrip("_") or call.name
    if call.name in OVERWRITING and call.name != "copy_":
        return _filled(call)
    if (formula := _FORMULAS.get(call.name)) is not None:
        return formula(call, kernel)
    return _elementwise(call, base) if base in ARITY else None


def _done(
    call: RecordedCall,
    kind: str,
    flop: float,
    read: tuple[Argument, ...],
    written_bytes: int,
    result: Shape = (),
) -> OperatorWork:
    tensors = [Traffic(name=f"in{i}", read_bytes=a.bytes) for i, a in enumerate(read)]
    tensors.append(Traffic(name="out", write_bytes=written_bytes))
    floats = [a.dtype for a in call.tensors if a.is_float or a.is_complex]
    return OperatorWork(
        kind=kind,
        work=Work(op=call.name, shape={}, flop=flop, tensors=tuple(tensors)),
        dtype=floats[0] if floats else None,
        result=result,
        operands=tuple(a.dims for a in read),
    )


def _filled(call: RecordedCall) -> OperatorWork | None:
    out = call.at(0)
    return _done(call, MOVE, 0.0, (), out.bytes, out.dims) if out.is_tensor else None


# -- element by element ----------------------------------------------------------------------


def _elementwise(call: RecordedCall, base: str) -> OperatorWork | None:
    in_place = call.name.endswith("_")
    tensors, arity = call.tensors, ARITY[base]
    if not tensors or any(a.parts for a in call.arguments):
        return None
    shape = broadcast(a.dims for a in tensors)
    if shape is None:
        return None
    out = tensors[0] if in_place else None
    several = arity + (2 if base == "clamp" else 1 if base == "pow" else 0)
    if len(tensors) > several + (not in_place):
        return None
    if not in_place and len(tensors) == several + 1:
        out, tensors = tensors[-1], tensors[:-1]  # out=
    elements = math.prod(shape)
    size = out.element_bytes if out else 1 if base in TRUTHS else _result_bytes(tensors)
    return _done(
        call,
        ELEMENTWISE,
        _element_flop(base, tensors, elements),
        tensors,
        elements * size,
        shape,
    )


def _element_flop(name: str, tensors: tuple[Argument, ...], elements: int) -> float:
    if any(a.is_complex for a in tensors):
        return complex_element_flop(name) * elements
    if not any(a.is_float for a in tensors):
        return 0.0
    return 0.0 if name in MOVING or name in ("where",) else element_flop(name) * elements


def _result_bytes(tensors: tuple[Argument, ...]) -> int:
    """Bytes of an element of the result, by torch's promotion: a single value changes no type."""
    sized = [a for a in tensors if a.dims] or list(tensors)
    numbers = [a for a in sized if a.is_float or a.is_complex] or sized
    words = {a.dtype for a in numbers}
    if words == {"fp16", "bf16"}:
        return 4
    return max(a.element_bytes for a in numbers)


# -- rows, sums, moves -----------------------------------------------------------------------


def _rowwise(call: RecordedCall, kernel: str) -> OperatorWork | None:
    x = call.at(0)
    if not x.is_tensor:
        return None
    flop = ROWWISE_FLOP[_ROWWISE[call.name]] * x.elements
    wider = call.name in ("_softmax", "_log_softmax") and truth(call.at(2).value) is True
    size = 4 if wider else x.element_bytes
    read = tuple(a for a in call.tensors if a is x or len(a.dims) <= 2)
    return _done(call, ROWWISE, flop, read, x.elements * size, x.dims)


def _rowwise_backward(call: RecordedCall, kernel: str) -> OperatorWork | None:
    """Two tensors of the input's size read, one written; twice the work of the way there."""
    grad, other = call.at(0), call.at(1)
    if not (grad.is_tensor and other.is_tensor):
        return None
    flop = 2 * ROWWISE_FLOP["softmax" if "softmax" in call.name else "layernorm"] * grad.elements
    return _done(call, ROWWISE, flop, (grad, other), grad.bytes, grad.dims)


def _reduced(call: RecordedCall, kernel: str) -> OperatorWork | None:
    """One operation an element; of the result only what the recorded dimensions tell."""
    x = call.at(0)
    if not x.is_tensor:
        return None
    dims = whole_numbers(call.at(2 if call.name == "linalg_vector_norm" else 1).value)
    written = 0
    if dims and call.name not in ("max", "min", "norm", "var", "std"):
        if any(not -len(x.dims) <= d < len(x.dims) for d in dims):
            return None
        gone = {d % len(x.dims) for d in dims}
        left = tuple(n for i, n in enumerate(x.dims) if i not in gone)
        written = math.prod(left) * (8 if call.name.startswith("arg") else x.element_bytes)
    flop = float(x.elements) if x.is_float or x.is_complex else 0.0
    return _done(call, REDUCTION, flop, (x,), written)


def _copied(call: RecordedCall, kernel: str) -> OperatorWork | None:
    out, source = call.at(0), call.at(1)
    if not (out.is_tensor and source.is_tensor):
        return None
    return _done(call, MOVE, 0.0, (source,), out.bytes, out.dims)


def _cat(call: RecordedCall, kernel: str) -> OperatorWork | None:
    """A list's element type is not recorded; the kernel's name tells the size of its elements."""
    shapes, told = call.at(0).parts, _OPAQUE.search(kernel)
    if not shapes or told is None:
        return None
    size = sum(math.prod(shape) for shape in shapes) * int(told[1])
    traffic = (Traffic(name="in", read_bytes=size), Traffic(name="out", write_bytes=size))
    work = Work(op=call.name, shape={}, flop=0.0, tensors=traffic)
    return OperatorWork(kind=MOVE, work=work, dtype=None, operands=shapes)


def _fetched(call: RecordedCall, kernel: str) -> OperatorWork | None:
    """Rows of a table: what is stored is read of it, and the indices."""
    table = call.at(0)
    indices = call.at(1) if call.name == "embedding" else call.at(2)
    if not (table.is_tensor and indices.is_tensor):
        return None
    if call.name == "gather":
        result = indices.dims
    else:
        dims = whole_numbers(call.at(1).value) if call.name == "index_select" else (0,)
        if not dims or not table.dims or not -len(table.dims) <= dims[0] < len(table.dims):
            return None
        at = dims[0] % len(table.dims)
        result = (*table.dims[:at], *indices.dims, *table.dims[at + 1 :])
    size = math.prod(result) * table.element_bytes
    traffic = (
        Traffic(name="table", read_bytes=size),
        Traffic(name="indices", read_bytes=indices.bytes),
        Traffic(name="out", write_bytes=size),
    )
    work = Work(op=call.name, shape={}, flop=0.0, tensors=traffic)
    dtype = table.dtype if table.is_float else None
    return OperatorWork(kind=MOVE, work=work, dtype=dtype, result=result, operands=(indices.dims,))


def _dropped(call: RecordedCall, kernel: str) -> OperatorWork | None:
    """x read; y and a mask of a byte an element written."""
    x = call.at(0)
    if not x.is_tensor:
        return None
    flop = element_flop("native_dropout") * x.elements
    written = x.elements * (x.element_bytes + 1)
    return _done(call, ELEMENTWISE, flop, (x,), written, x.dims)


_Formula = Callable[[RecordedCall, str], OperatorWork | None]
_FORMULAS: dict[str, _Formula] = {
    **dict.fromkeys(_ROWWISE, _rowwise),
    **dict.fromkeys(_BACKWARD_OPERANDS, _rowwise_backward),
    **dict.fromkeys(_SUMS.split(), _reduced),
    **dict.fromkeys(("embedding", "index_select", "gather"), _fetched),
    "copy_": _copied,
    "cat": _cat,
    "native_dropout": _dropped,
}
