"""What a call's operators must do, counted while they run: FLOP by torch's counter, bytes by shapes.

torch counts the FLOP of matrix products, convolutions and attention only; of all else one operation
an element is counted, more where the house's table says so. Bytes are eager ones: each operator's
distinct inputs read once and its outputs written once; views move nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from roofwatch.probes.on_cuda import fp32_math
from roofwatch.roofline.floors import Counted
from roofwatch.roofline.workload import ROWWISE_FLOP

DTYPE_KEYS = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int8": "int8",
    "float8_e4m3fn": "fp8",
    "float8_e5m2": "fp8",
}
SILU_FLOP = 4.0  # an element, as of the softmax (seed, Day 17: SiLU, RMSNorm and softmax alike)
ELEMENT_FLOP = {
    "_softmax": ROWWISE_FLOP["softmax"],
    "_log_softmax": ROWWISE_FLOP["softmax"],
    "native_layer_norm": ROWWISE_FLOP["layernorm"],
    "native_group_norm": ROWWISE_FLOP["layernorm"],
    "_fused_rms_norm": ROWWISE_FLOP["rmsnorm"],
    "silu": SILU_FLOP,
    "silu_": SILU_FLOP,
}
"""Operations an element where they are more than one."""
MOVING = frozenset(
    "copy_ _to_copy clone cat stack index gather index_select embedding fill_ zero_ zeros ones full "
    "zeros_like ones_like full_like arange repeat flip roll scatter scatter_ index_put index_put_ "
    "constant_pad_nd where masked_fill masked_fill_ tril triu lift_fresh_copy".split()
)
"""Operators that compute nothing: they move or fill."""
ALLOCATING = frozenset(
    "empty empty_like empty_strided empty_permuted new_empty new_empty_strided resize_".split()
)
OVERWRITING = frozenset(
    "copy_ fill_ zero_ normal_ uniform_ random_ bernoulli_ exponential_ geometric_".split()
)
"""Operators that write their first argument without reading it."""
FETCHING = frozenset("index gather index_select embedding take".split())
"""Operators that read of a table what they store, not all of it."""
WAITING = frozenset("_local_scalar_dense nonzero is_nonzero _unique2 equal masked_select".split())
"""Operators whose result the host must see before it can go on."""
NO_FORMULA = (
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
"""Beginnings of aten's operators that compute more than their elements tell."""
ATEN = "aten"


class CallCount(msgspec.Struct, frozen=True, kw_only=True):
    """Operators of one call on the device; views and allocations are none.

    ``waits`` are results that the host had to see; ``written_bytes`` bounds what the call takes of
    memory while it runs.
    """

    counted: tuple[Counted, ...]
    operators: int
    waits: int
    written_bytes: float
    uncounted: tuple[str, ...]


def count(call: Callable[[], object], device: str) -> CallCount:
    """Run ``call`` once and count what happens on ``device`` (``cpu`` or ``cuda``).

    Compiled functions run their eager operators meanwhile. What the call raises passes, and so
    does what torch's counter cannot count.
    """
    with FlopCounterMode(display=False, custom_mapping=_formulas()) as flop, _eager():
        with _Counting(flop, device) as seen:
            call()
    return seen.result()


def _eager() -> Any:
    """Compiled code hides its operators: in it they run one by one, where torch can be told so."""
    if hasattr(torch.compiler, "set_stance"):
        return torch.compiler.set_stance("force_eager")
    import contextlib

    return contextlib.nullcontext()


def _formulas() -> dict[Any, Callable[..., float]]:
    """FLOP of products that torch's counter does not know, from their shapes."""

    def attention(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> float:
        *outer, rows, width = q
        return 2.0 * math.prod(outer) * rows * k[-2] * (width + v[-1])

    def product(a: Any, b: Any, *_: Any, **__: Any) -> float:
        return 2.0 * a[-2] * a[-1] * b[-1]

    names = {
        "_scaled_dot_product_flash_attention_for_cpu": attention,
        "_scaled_dot_product_fused_attention_overrideable": attention,
        "_int_mm": product,
    }
    return {getattr(torch.ops.aten, n): f for n, f in names.items() if hasattr(torch.ops.aten, n)}


class _Counting(TorchDispatchMode):
    """Sees each operator below autograd, with its tensors."""

    supports_higher_order_operators = True

    def __init__(self, flop: FlopCounterMode, device: str) -> None:
        super().__init__()
        self._flop = flop
        self._device = device
        self._seen: Counter[tuple[str, float, float, str | None]] = Counter()
        self._waits = 0
        self._written = 0.0
        self._uncounted: dict[str, None] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        kwargs = kwargs or {}
        before = self._flop.get_total_flops()
        out = func(*args, **kwargs)
        if isinstance(func, torch._ops.OpOverload):
            self._add(func, args, kwargs, out, float(self._flop.get_total_flops() - before))
        return out

    def result(self) -> CallCount:
        """What was seen so far."""
        return CallCount(
            counted=tuple(
                Counted(op=op, calls=calls, flop=flop, bytes=size, peak_key=key)
                for (op, flop, size, key), calls in self._seen.items()
            ),
            operators=sum(self._seen.values()),
            waits=self._waits,
            written_bytes=self._written,
            uncounted=tuple(self._uncounted),
        )

    def _add(self, func: Any, args: Any, kwargs: Any, out: object, flop: float) -> None:
        name = func._schema.name.partition("::")[2]
        outputs = [*_tensors(out)]
        inputs = [*_tensors((args, kwargs))]
        if self._device == "cuda" and _comes_to_host(name, inputs, outputs):
            self._waits += 1
        everything = [*inputs, *outputs]
        if name in ALLOCATING or not everything or not self._here(everything):
            return
        written, read = _written(func, args, kwargs), {_key(t): _bytes(t) for t in inputs}
        if not written and any(_same_memory(o, inputs) for o in outputs):
            return  # a view
        overwritten = {_key(t) for t in _out_arguments(func, kwargs)}
        if name in OVERWRITING:
            overwritten |= {_key(t) for t in written}
        writes = {_key(t): _bytes(t) for t in (*outputs, *written)}
        write_bytes = sum(writes.values())
        reads = {key: size for key, size in read.items() if key not in overwritten}
        if name in FETCHING:
            read_bytes = sum(min(size, write_bytes) for size in reads.values())
        else:
            read_bytes = sum(reads.values())
        self._written += write_bytes
        if not flop:
            flop = _element_flop(name, inputs, outputs)
            if func._schema.name.partition("::")[0] != ATEN or name.startswith(NO_FORMULA):
                self._uncounted[name] = None
        key = _peak_key(name, inputs or outputs, kwargs)
        self._seen[name, flop, float(read_bytes + write_bytes), key] += 1

    def _here(self, tensors: list[torch.Tensor]) -> bool:
        """Whether an operator runs on the device: a copy over the host link is none of its own."""
        sized = [t for t in tensors if t.dim()] or tensors  # a single value may lie on the host
        return all(t.device.type == self._device for t in sized)


def _tensors(value: object) -> Iterator[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from _tensors(each)
    elif isinstance(value, dict):
        yield from _tensors(tuple(value.values()))


def _memory(tensor: torch.Tensor) -> tuple[int, int]:
    """Address and size of what holds a tensor; its own identity where it has no storage."""
    try:
        storage = tensor.untyped_storage()
        return storage.data_ptr(), storage.nbytes()
    except (RuntimeError, NotImplementedError):  # sparse, nested, or a wrapper
        return id(tensor), tensor.numel() * tensor.element_size()


def _bytes(tensor: torch.Tensor) -> int:
    """Bytes that it really spans: an expanded one repeats what it has."""
    return min(tensor.numel() * tensor.element_size(), _memory(tensor)[1])


def _key(tensor: torch.Tensor) -> tuple[object, ...]:
    offset = tensor.storage_offset() if tensor.layout == torch.strided else 0
    return _memory(tensor)[0], offset, tuple(tensor.shape)


def _same_memory(out: torch.Tensor, inputs: Iterable[torch.Tensor]) -> bool:
    address, size = _memory(out)
    return size > 0 and any(_memory(t)[0] == address for t in inputs)


def _written(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Arguments that the operator writes, by its schema."""
    found: list[torch.Tensor] = []
    for i, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[i] if i < len(args) else kwargs.get(argument.name)
            found += _tensors(value)
    return found


def _out_arguments(func: Any, kwargs: Any) -> list[torch.Tensor]:
    """Those of ``out=``, which are written and not read."""
    found: list[torch.Tensor] = []
    for argument in func._schema.arguments:
        if argument.is_out:
            found += _tensors(kwargs.get(argument.name))
    return found


def _comes_to_host(
    name: str, inputs: Iterable[torch.Tensor], outputs: Iterable[torch.Tensor]
) -> bool:
    """Whether the host must wait: it asks for a value, or copies to unpinned memory of its own."""
    if not any(t.device.type == "cuda" for t in inputs):
        return False
    return name in WAITING or any(t.device.type == "cpu" and not t.is_pinned() for t in outputs)


def _element_flop(name: str, inputs: list[torch.Tensor], outputs: list[torch.Tensor]) -> float:
    """One operation an element by the house's table; a reduction's elements are its inputs'."""
    if name in MOVING:
        return 0.0
    sizes = [t.numel() for t in (*inputs, *outputs)]
    if not any(t.is_floating_point() for t in (*inputs, *outputs)):
        return 0.0
    return ELEMENT_FLOP.get(name, 1.0) * max(sizes, default=0)


def _peak_key(name: str, tensors: list[torch.Tensor], kwargs: Any) -> str | None:
    """The rate that judges it: by the type of its first floating operand, fp32 as torch is set."""
    dtypes = [t.dtype for t in tensors if t.is_floating_point()] or [t.dtype for t in tensors[:1]]
    word = DTYPE_KEYS.get(str(dtypes[0]).removeprefix("torch."))
    on_cuda = any(t.device.type == "cuda" for t in tensors)
    if word == "int8" and "mm" not in name:
        return None
    if word == "fp8" and kwargs.get("use_fast_accum"):
        return "fp8_fast"
    if word == "fp32" and on_cuda and _as_tf32(name):
        return "tf32"
    return word


def _as_tf32(name: str) -> bool:
    """Whether this operator multiplies fp32 on tensor cores: convolutions have their own switch."""
    if "conv" in name:
        try:
            return bool(torch.backends.cudnn.allow_tf32)
        except RuntimeError:  # torch's old and new switches were mixed
            return True
    products = ("mm", "attention")
    return any(word in name for word in products) and fp32_math() == "tf32"
