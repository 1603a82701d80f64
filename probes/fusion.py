"""The same work in several kernels, in one, and in a graph (seed, Day 1)."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import torch
from torch.nn import functional

from roofwatch.probes import streams
from roofwatch.probes.compiled import NotCompiled, compile_now, workshop
from roofwatch.probes.device import CudaTarget, GraphTimer, Target
from roofwatch.probes.operands import TORCH_DTYPE
from roofwatch.probes.place import Place, Point
from roofwatch.probes.timing import Launch, Report, Timed, steady
from roofwatch.roofline import transformer_work
from roofwatch.roofline.probe_spec import ProbeSpec
from roofwatch.roofline.transformer_work import BIAS_GELU_DROPOUT, SILU_MUL, THREE_COS
from roofwatch.roofline.workload import ELEMENT_BITS

ONCE, EAGER, GRAPH, COMPILED = "once", "eager", "graph", "compiled"
GPU_TENSOR_BYTES = 512 << 20
CPU_TENSOR_BYTES = 16 << 20  # what a call allocates is then memory that was touched before
TENSORS = 8
WIDTH = {"cuda": 14336, "cpu": 5632}  # of the MLP of Llama-3-8B, of TinyLlama
DROPPED = 0.1
GRAPH_S = 1e-3  # of one replay, at least
COMPILING_S = 30.0  # of all chains: a slow machine compiles no further one after that
NO_GRAPH = "a CPU has no CUDA graph: the kernels of a chain are timed as they are called"
Function = Callable[..., torch.Tensor]


def three_cos(x: torch.Tensor) -> torch.Tensor:
    """The seed's example."""
    return x.cos().cos().cos()


def silu_mul(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    """Between the two halves of a gated MLP."""
    return functional.silu(gate) * up


def bias_gelu_dropout(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Behind the first half of an MLP with biases, while it is trained."""
    return torch.native_dropout(functional.gelu(x + bias), DROPPED, True)[0]


CHAINS: dict[str, Function] = {
    THREE_COS: three_cos,
    SILU_MUL: silu_mul,
    BIAS_GELU_DROPOUT: bias_gelu_dropout,
}


def points(
    spec: ProbeSpec, place: Place, report: Report, tensor_bytes: int | None = None
) -> Iterator[Point]:
    """Each chain kernel by kernel, replayed as one graph, and compiled into one kernel."""
    target = place.target
    if target.kind == "cpu":
        place.note(NO_GRAPH)
    size = tensor_bytes or _tensor_bytes(target)
    compiler = _Compiler(place)
    with workshop():
        for i, (op, function) in enumerate(CHAINS.items()):
            for point in _chain(spec, place, op, function, size, compiler):
                yield point
                report(min(0.99, (i + 0.5) / len(CHAINS)))
            report((i + 1) / len(CHAINS))
            target.clean_up()


def _tensor_bytes(target: Target) -> int:
    """512 MiB and 20 times the last-level cache, as far as memory goes; on a CPU a little.

    Raises:
        RuntimeError: not even small ones fit.
    """
    wanted = max(GPU_TENSOR_BYTES, streams.CACHE_MULTIPLE * target.cache_bytes)
    size = min(CPU_TENSOR_BYTES if target.kind == "cpu" else wanted, target.free_bytes() // TENSORS)
    if size < streams.LEAST_BYTES:
        raise RuntimeError(f"too little memory is free: {max(0, target.free_bytes())} bytes")
    return size


class _Compiler:
    """Compiles what time allows; says once what stands in the way."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._spent_s = 0.0
        self._said: set[str] = set()

    def of(self, function: Function, arguments: tuple[torch.Tensor, ...]) -> Function | None:
        """The compiled function, or None and a note."""
        if self._spent_s > COMPILING_S:
            self._note(f"the compiler took {self._spent_s:.0f} s for the chains before")
            return None
        begin = time.monotonic()
        try:
            return compile_now(function, arguments, self._place.target)
        except NotCompiled as why:
            self._note(str(why))
            return None
        finally:
            self._spent_s += time.monotonic() - begin

    def _note(self, why: str) -> None:
        if why not in self._said:
            self._said.add(why)
            self._place.note(f"not fused: {why}")


def _chain(
    spec: ProbeSpec, place: Place, op: str, function: Function, size: int, compiler: _Compiler
) -> Iterator[Point]:
    target, dtype = place.target, spec.dtype
    columns = WIDTH[target.kind]
    rows = max(1, size * 8 // ELEMENT_BITS[dtype] // columns)
    whole = transformer_work.chain(op, rows, columns, dtype)
    arguments = tuple(_random(target, dtype, shape) for shape in _shapes(op, rows, columns))

    def eager() -> torch.Tensor:
        return function(*arguments)

    if op == THREE_COS:
        (x,) = arguments
        timed = _settled(place, x.cos)
        yield Point(work=transformer_work.once(rows, columns, dtype), timed=timed, variant=ONCE)
    timed = _settled(place, eager)
    yield Point(work=whole, timed=timed, variant=EAGER)
    if isinstance(target, CudaTarget):
        yield Point(work=whole, timed=_replayed(target, eager, min(timed.times_s)), variant=GRAPH)
    compiled = compiler.of(function, arguments)
    if compiled is None:
        return
    yield Point(
        work=transformer_work.fused(op, rows, columns, dtype),
        timed=_settled(place, lambda: compiled(*arguments)),
        variant=COMPILED,
    )


def _shapes(op: str, rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
    of_op: dict[str, tuple[tuple[int, ...], ...]] = {
        SILU_MUL: ((rows, columns), (rows, columns)),
        BIAS_GELU_DROPOUT: ((rows, columns), (columns,)),
    }
    return of_op.get(op, ((rows, columns),))


def _random(target: Target, dtype: str, shape: tuple[int, ...]) -> torch.Tensor:
    out = torch.empty(shape, dtype=TORCH_DTYPE[dtype], device=target.torch_device)
    return out.normal_()


def _settled(place: Place, launch: Launch) -> Timed:
    timer = place.target.timer_for(launch)
    if place.target.kind == "cpu":
        return steady(timer, launch, warm_s=0.1, warm_cap_s=0.3, min_count=5, cap_s=0.3)
    clock = place.clock if timer.name == "event" else None
    return steady(timer, launch, warm_s=0.2, warm_cap_s=0.6, cap_s=0.4, clock=clock)


def _replayed(target: CudaTarget, launch: Launch, seconds: float) -> Timed:
    """The chain's kernels as nodes of a graph: one launch, the same bytes."""
    timer = GraphTimer(target.index, launch, max(1, int(GRAPH_S / seconds)))
    return steady(timer, launch, warm_s=0.2, warm_cap_s=0.6, cap_s=0.4)
