"""What a call's operators must do, counted as they run: FLOP by torch's counter, bytes by shapes.

torch counts the FLOP of matrix products, convolutions and attention only; of all else one operation
an element is counted, more where the house's table says so. Bytes are eager ones: each operator's
distinct inputs read once and its outputs written once; views move nothing.
"""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from roofwatch.probes.on_cuda import fp32_math
from roofwatch.roofline.aten import (
    ALLOCATING,
    COMPLEX_PRODUCT,
    DTYPE_KEYS,
    FETCHING,
    MOVING,
    OVERWRITING,
    WAITING,
    complex_element_flop,
    element_flop,
    has_formula,
)
from roofwatch.roofline.floors import Counted


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
    with (
        FlopCounterMode(display=False, custom_mapping=_formulas()) as flop,
        _eager(),
        _Counting(flop, device) as seen,
    ):
        call()
    found: CallCount = seen.result()
    return found


def _eager() -> Any:
    """Compiled code hides its operators: in it they run one by one, where torch can be told so."""
    known = hasattr(torch.compiler, "set_stance")
    return torch.compiler.set_stance("force_eager") if known else contextlib.nullcontext()


def _formulas() -> dict[Any, Callable[..., int]]:
    """FLOP of products that torch's counter does not know, from their shapes."""

    def attention(q: Any, k: Any, v: Any, *_: Any, **__: Any) -> int:
        return int(2 * math.prod(q[:-1]) * k[-2] * (q[-1] + v[-1]))

    def product(a: Any, b: Any, *_: Any, **__: Any) -> int:
        return int(2 * a[-2] * a[-1] * b[-1])

    names: dict[str, Callable[..., int]] = {
        "_scaled_dot_product_flash_attention_for_cpu": attention,
        "_scaled_dot_product_fused_attention_overrideable": attention,
        "_int_mm": product,
    }
    return {getattr(torch.ops.aten, n): f for n, f in names.items() if hasattr(torch.ops.aten, n)}


class _Counting(TorchDispatchMode):
    """Sees each operator below autograd, with its tensors."""

    supports_higher_order_operators = True

    def __init__(self, flop: FlopCounterMode, device: str) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
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
        namespace, _, name = func._schema.name.partition("::")
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
        if any(t.layout != torch.strided for t in everything):
            of_sparse = _sparse_flop(name, inputs, outputs)
            flop = of_sparse or 0.0
            if of_sparse is None:
                self._uncounted[name] = None
        elif flop:
            flop *= COMPLEX_PRODUCT if any(t.is_complex() for t in inputs) else 1
        else:
            flop = _element_flop(name, inputs, outputs)
            if not has_formula(namespace, name):
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
    """Bytes that it really spans: an expanded one repeats what it has; sparse: what it stores."""
    if tensor.layout != torch.strided:
        parts = _stored(tensor)
        if parts is None:
            return tensor.numel() * tensor.element_size()
        return sum(p.numel() * p.element_size() for p in parts)
    return min(tensor.numel() * tensor.element_size(), _memory(tensor)[1])


def _stored(tensor: torch.Tensor) -> tuple[torch.Tensor, ...] | None:
    """Values and indices of a sparse tensor; None for what is laid out in another way."""
    if tensor.layout == torch.sparse_coo:
        return tensor._values(), tensor._indices()
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return tensor.values(), tensor.crow_indices(), tensor.col_indices()
    if tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        return tensor.values(), tensor.ccol_indices(), tensor.row_indices()
    return None


def _sparse_flop(
    name: str, inputs: list[torch.Tensor], outputs: list[torch.Tensor]
) -> float | None:
    """2 nnz N of sparse times dense with N columns; None where no formula of ours tells.

    Each stored value meets one row (or column) of the dense operand (two operations a pair).
    """
    sparse = [t for t in inputs if t.layout != torch.strided]
    if name in MOVING:
        return 0.0
    if not any(word in name for word in ("mm", "mv")) or len(sparse) != 1 or len(outputs) != 1:
        return None
    parts, out = _stored(sparse[0]), outputs[0]
    factors = [t for t in inputs if t is not out][-2:]  # an addend stands before them
    if parts is None or len(factors) < 2 or out.layout != torch.strided or not out.numel():
        return None
    columns = out.numel() / out.shape[0 if factors[0] is sparse[0] else -1]
    flop = 2.0 * parts[0].numel() * columns
    return flop * COMPLEX_PRODUCT if sparse[0].is_complex() else flop


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
    sizes = [t.numel() for t in (*inputs, *outputs)]
    if any(t.is_complex() for t in (*inputs, *outputs)):
        return complex_element_flop(name) * max(sizes, default=0)
    if not any(t.is_floating_point() for t in (*inputs, *outputs)):
        return 0.0
    return element_flop(name) * max(sizes, default=0)


def _peak_key(name: str, tensors: list[torch.Tensor], kwargs: Any) -> str | None:
    """The rate that judges it: by the type of its first floating operand, fp32 as torch is set."""
    dtypes = [t.dtype for t in tensors if t.dtype.is_floating_point or t.is_complex()] or [
        t.dtype for t in tensors[:1]
    ]
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
