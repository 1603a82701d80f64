"""FLOP and bytes of recorded products: matrices, convolutions, attention.

A multiply-add is two FLOP. Backward passes are counted by their own products: two of a
convolution's size (one for each gradient that is asked for), five for attention's two.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from roofwatch.roofline.aten import COMPLEX_PRODUCT
from roofwatch.roofline.recorded_call import (
    Argument,
    RecordedCall,
    Shape,
    broadcast,
    truth,
    whole_numbers,
)
from roofwatch.roofline.workload import RESULT, Traffic, Work

Done = tuple[Work, str]
"""The work, and the element type of the operands."""
_WIDER = {"int8": 4, "fp8": 2}
"""Bytes of a result's element where it is not its operands' (see ``workload.RESULT``)."""


def _product(
    call: RecordedCall, a: Argument, b: Argument, flop: float, result: Shape, *more: Argument
) -> Done | None:
    if not (a.is_tensor and b.is_tensor) or a.dtype != b.dtype:
        return None
    size = _WIDER[a.dtype] if a.dtype in RESULT and a.dtype in _WIDER else a.element_bytes
    flop *= COMPLEX_PRODUCT if a.is_complex else 1
    read = (a, b, *(m for m in more if m.is_tensor))
    tensors = [Traffic(name=f"in{i}", read_bytes=t.bytes) for i, t in enumerate(read)]
    tensors.append(Traffic(name="out", write_bytes=math.prod(result) * size))
    return Work(op=call.name, shape={}, flop=flop, tensors=tuple(tensors)), a.dtype


def _mm_of(call: RecordedCall, a: Argument, b: Argument, *more: Argument) -> Done | None:
    """[..., m, k] x [..., k, n], leading dimensions broadcast; 2MNK each."""
    if len(a.dims) < 2 or len(b.dims) < 2 or a.dims[-1] != b.dims[-2]:
        return None
    lead = broadcast((a.dims[:-2], b.dims[:-2]))
    if lead is None:
        return None
    m, k, n = a.dims[-2], a.dims[-1], b.dims[-1]
    return _product(call, a, b, 2.0 * math.prod(lead) * m * n * k, (*lead, m, n), *more)


def _mm(call: RecordedCall) -> Done | None:
    return _mm_of(call, call.at(0), call.at(1))


def _addmm(call: RecordedCall) -> Done | None:
    return _mm_of(call, call.at(1), call.at(2), call.at(0))


def _matmul(call: RecordedCall) -> Done | None:
    a, b = call.at(0), call.at(1)
    if len(a.dims) == 1:
        a = a._replace(dims=(1, *a.dims), strides=None)
    if len(b.dims) == 1:
        b = b._replace(dims=(*b.dims, 1), strides=None)
    return _mm_of(call, a, b)


def _addmv(call: RecordedCall) -> Done | None:
    b = call.at(2)
    return _mm_of(call, call.at(1), b._replace(dims=(*b.dims, 1), strides=None), call.at(0))


def _linear(call: RecordedCall) -> Done | None:
    """x [..., k] times the weights [n, k]."""
    x, w = call.at(0), call.at(1)
    if not x.dims or len(w.dims) != 2 or x.dims[-1] != w.dims[1]:
        return None
    rows = math.prod(x.dims[:-1])
    flop = 2.0 * rows * w.dims[0] * w.dims[1]
    return _product(call, x, w, flop, (rows, w.dims[0]), call.at(2))


# -- convolutions ----------------------------------------------------------------------------

_AT = {  # where padding, stride, dilation and transposed stand
    "cudnn_convolution": (2, 3, 4, None),
    "miopen_convolution": (3, 4, 5, None),
    "mkldnn_convolution": (3, 4, 5, None),
    "convolution": (4, 3, 5, 6),
    "_convolution": (4, 3, 5, 6),
    "convolution_overrideable": (4, 3, 5, 6),
    "_conv_depthwise2d": (5, 4, 6, None),
    "thnn_conv2d": (5, 4, None, None),
    "_slow_conv2d_forward": (5, 4, None, None),
}


def _convolution(call: RecordedCall) -> Done | None:
    """Each result takes a product with the kernel over one group's channels (2 FLOP a weight)."""
    x, w = call.at(0), call.at(1)
    padding_at, stride_at, dilation_at, transposed_at = _AT[call.name]
    if transposed_at is not None and truth(call.at(transposed_at).value) is not False:
        return None
    sides = len(w.dims) - 2
    if sides < 1 or len(x.dims) != len(w.dims):
        return None
    padding = _sized(call.at(padding_at).value, sides)
    stride = _sized(call.at(stride_at).value, sides)
    dilation = (1,) * sides if dilation_at is None else _sized(call.at(dilation_at).value, sides)
    if padding is None or stride is None or dilation is None or 0 in stride:
        return None
    each = zip(x.dims[2:], w.dims[2:], padding, stride, dilation, strict=True)
    out = tuple((n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, p, s, d in each)
    if any(n < 1 for n in out):
        return None
    result = (x.dims[0], w.dims[0], *out)
    flop = 2.0 * math.prod(result) * math.prod(w.dims[1:])
    bias = call.at(2) if call.name not in ("cudnn_convolution",) else Argument()
    return _product(call, x, w, flop, result, bias)


def _convolution_backward(call: RecordedCall) -> Done | None:
    """A product of the forward size for each of the input's and the weights' gradients."""
    grad, x, w = call.at(0), call.at(1), call.at(2)
    mask = [truth(part) for part in call.at(10).value.strip("[] ").split(",")]
    if len(mask) != 3 or None in mask or truth(call.at(7).value) is not False:
        return None
    if len(grad.dims) < 3 or not (grad.is_tensor and x.is_tensor and w.is_tensor):
        return None
    flop = 2.0 * math.prod(grad.dims) * math.prod(w.dims[1:]) * (bool(mask[0]) + bool(mask[1]))
    read = [Traffic(name=f"in{i}", read_bytes=t.bytes) for i, t in enumerate((grad, x, w))]
    written = (x.bytes if mask[0] else 0) + (w.bytes if mask[1] else 0)
    tensors = (*read, Traffic(name="out", write_bytes=written))
    return Work(op=call.name, shape={}, flop=flop, tensors=tensors), x.dtype


def _sized(text: str, sides: int) -> Shape | None:
    """A recorded list of so many numbers; one stands for all."""
    found = whole_numbers(text)
    if found is None or len(found) not in (1, sides):
        return None
    return found * sides if len(found) == 1 else found


# -- attention -------------------------------------------------------------------------------

_HEADS_SECOND = 1  # [batch, heads, tokens, width]
_TOKENS_SECOND = 2  # [batch, tokens, heads, width]
_FORWARD = {  # what stands second, where the causal flag is, and what a varying length is told by
    "_scaled_dot_product_flash_attention": (_HEADS_SECOND, 4, ()),
    "_scaled_dot_product_flash_attention_for_cpu": (_HEADS_SECOND, 4, ()),
    "_scaled_dot_product_efficient_attention": (_HEADS_SECOND, 6, ()),
    "_scaled_dot_product_cudnn_attention": (_HEADS_SECOND, 6, ()),
    "_cudnn_attention_forward": (_HEADS_SECOND, 10, (4, 5)),
    "_flash_attention_forward": (_TOKENS_SECOND, 8, (3, 4)),
    "_efficient_attention_forward": (_TOKENS_SECOND, 9, (4, 5)),
}
_BACKWARD = {
    "_scaled_dot_product_flash_attention_backward": (_HEADS_SECOND, 11, (6, 7)),
    "_scaled_dot_product_cudnn_attention_backward": (_HEADS_SECOND, 14, (9, 10)),
    "_scaled_dot_product_efficient_attention_backward": (_HEADS_SECOND, 11, ()),
    "_cudnn_attention_backward": (_HEADS_SECOND, 14, (9, 10)),
    "_flash_attention_backward": (_TOKENS_SECOND, 11, (6, 7)),
}


def _attention(call: RecordedCall) -> Done | None:
    """Two products, 2 n m (d + d') a head; half of them under a causal mask (as ``workload``)."""
    second, causal_at, lengths = _FORWARD[call.name]
    return _attended(call, (0, 1, 2), second, causal_at, lengths, backward=False)


def _attention_backward(call: RecordedCall) -> Done | None:
    """Five products where the way there has two: the scores anew, and four gradients."""
    second, causal_at, lengths = _BACKWARD[call.name]
    return _attended(call, (1, 2, 3), second, causal_at, lengths, backward=True)


def _attended(
    call: RecordedCall,
    at: tuple[int, int, int],
    second: int,
    causal_at: int,
    lengths: tuple[int, ...],
    backward: bool,
) -> Done | None:
    q, k, v = (call.at(i) for i in at)
    if any(not t.is_tensor or len(t.dims) != 4 for t in (q, k, v)):
        return None
    if any(call.at(i).is_tensor and call.at(i).elements for i in lengths):
        return None  # sequences of varying length: their sum is not in the shapes
    causal = _causal(call.at(causal_at).value)
    tokens = 2 if second == _HEADS_SECOND else 1
    n, m = q.dims[tokens], k.dims[tokens]
    if causal is None or (causal and n != m):
        return None
    rows = q.elements // q.dims[3] if q.dims[3] else 0
    wide = q.dims[3] + v.dims[3]
    flop = 2.0 * rows * m * wide * (0.5 if causal else 1.0) * (2.5 if backward else 1.0)
    result = (*q.dims[:3], v.dims[3])
    if not backward:
        return _product(call, q, k, flop, result, v)
    out_bytes = math.prod(result) * q.element_bytes
    read = q.bytes + k.bytes + v.bytes + 2 * out_bytes  # and the result with its gradient
    tensors = (
        Traffic(name="in", read_bytes=read),
        Traffic(name="out", write_bytes=q.bytes + k.bytes + v.bytes),
    )
    return Work(op=call.name, shape={}, flop=flop, tensors=tensors), q.dtype


def _causal(value: str) -> bool | None:
    """A flag, or a kind of mask of which 0 is none and 1 the causal one."""
    return truth(value)


_Formula = Callable[[RecordedCall], Done | None]
PRODUCTS: dict[str, _Formula] = {
    **dict.fromkeys(("mm", "bmm", "_int_mm", "_scaled_mm"), _mm),
    **dict.fromkeys(("addmm", "baddbmm", "_addmm_activation", "addmm_", "baddbmm_"), _addmm),
    **dict.fromkeys(("matmul", "dot", "vdot", "mv"), _matmul),
    **dict.fromkeys(("addmv", "addmv_"), _addmv),
    "linear": _linear,
    **dict.fromkeys(_AT, _convolution),
    "convolution_backward": _convolution_backward,
    **dict.fromkeys(_FORWARD, _attention),
    **dict.fromkeys(_BACKWARD, _attention_backward),
}
"""Formulas by operator; each returns None where a shape that it needs is not recorded."""
