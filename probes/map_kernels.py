"""The kernels of a transformer, of real shapes, each with its work and the launch that does it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

import msgspec
import torch
from torch.nn import functional

from roofwatch.probes import streams
from roofwatch.probes.device import Target
from roofwatch.probes.operands import TORCH_DTYPE
from roofwatch.probes.timing import Launch
from roofwatch.roofline import transformer_work, workload
from roofwatch.roofline.model import Model
from roofwatch.roofline.workload import ELEMENT_BITS, Work

GPU_TENSOR_BYTES = 256 << 20
CPU_TENSOR_BYTES = 32 << 20  # a CPU's whole map must end in seconds
TENSORS = 6  # of an elementwise kernel's size that must fit at once, with room to spare
MOST_COPIES = 16  # of a matrix, or of a cache, that launches take turns with
EPSILON = 1e-5
DROPPED = 0.1
TOP_K, TEMPERATURE = 50, 0.8

LLAMA = Model(
    name="Llama-3-8B",
    layers=32,
    hidden=4096,
    intermediate=14336,
    heads=32,
    kv_heads=8,
    head_dim=128,
    vocab=128256,
)
SMALL = Model(
    name="TinyLlama-1.1B",
    layers=22,
    hidden=2048,
    intermediate=5632,
    heads=32,
    kv_heads=4,
    head_dim=64,
    vocab=32000,
)

STREAM, MATMUL, SHORT = "stream", "matmul", "short"
"""How a kernel wants to be timed: warm, as a burst on a rested card, or mostly for its launch."""


class Sizes(msgspec.Struct, frozen=True, kw_only=True):
    """What the map runs: a model's shapes, and how much of everything."""

    model: Model
    tensor_bytes: int  # of an elementwise kernel's tensor
    batch: int  # sequences of the decode attention
    context: int  # tokens that each has in its cache
    prompt: int  # tokens of the prefill linear
    attended: int  # tokens of the prefill attention


def sizes_for(target: Target) -> Sizes:
    """Tensors of 20 times the last-level cache and 256 MiB at least, as far as memory goes.

    Raises:
        RuntimeError: not even small ones fit.
    """
    on_cpu = target.kind == "cpu"
    wanted = max(GPU_TENSOR_BYTES, streams.CACHE_MULTIPLE * target.cache_bytes)
    size = min(CPU_TENSOR_BYTES if on_cpu else wanted, target.free_bytes() // TENSORS)
    if size < streams.LEAST_BYTES:
        raise RuntimeError(f"too little memory is free: {max(0, target.free_bytes())} bytes")
    return Sizes(
        model=SMALL if on_cpu else LLAMA,
        tensor_bytes=size,
        batch=4 if on_cpu else 16,
        context=1024 if on_cpu else 2048,
        prompt=256 if on_cpu else 4096,
        attended=512 if on_cpu else 8192,
    )


class MapKernel(msgspec.Struct, frozen=True, kw_only=True):
    """One kernel of the map.

    ``counted``: how many kernels torch makes of it is worth asking; ``named``: which one its
    library takes. ``copies``: of its largest operand, which the launches take in turn.
    """

    work: Work
    launch: Launch
    timing: str = STREAM
    counted: bool = False
    named: bool = False
    copies: int = 1


def kernels_of(target: Target, dtype: str, sizes: Sizes) -> Iterator[MapKernel]:
    """Each kernel in turn; its memory is free again when the next one is asked for.

    Those that a host's launches are seen in come first, library kernels last.
    """
    made = _Made(target, dtype, sizes)
    yield made.norm("rmsnorm", 1, timing=SHORT)
    yield made.sampling()
    yield from made.elementwise()
    yield from made.rowwise()
    yield made.embedding()
    yield made.bias_gelu_dropout()
    yield made.linear(transformer_work.DECODE_LINEAR, 1)
    yield made.decode_attention()
    yield made.linear(transformer_work.PREFILL_LINEAR, sizes.prompt)
    yield made.prefill_attention()


class _Made:
    """Makes them on one device, in one element type."""

    def __init__(self, target: Target, dtype: str, sizes: Sizes) -> None:
        self._target, self._dtype, self._sizes = target, dtype, sizes
        self._torch_dtype = TORCH_DTYPE[dtype]
        self._model = sizes.model
        row_bytes = self._model.hidden * ELEMENT_BITS[dtype] // 8
        self._rows = max(1, sizes.tensor_bytes // row_bytes)

    def random(self, *shape: int) -> torch.Tensor:
        """Random normal elements, drawn in the type itself where there is no more memory for it."""
        out = torch.empty(*shape, dtype=self._torch_dtype, device=self._target.torch_device)
        return out.normal_()

    def _pair(self) -> tuple[torch.Tensor, torch.Tensor]:
        """An input of rows x hidden, and room for a result that is touched already."""
        x = self.random(self._rows, self._model.hidden)
        return x, torch.zeros_like(x)

    def elementwise(self) -> Iterator[MapKernel]:
        """z = x + y, then functions of one argument."""
        x, y = self._pair()
        count = x.numel()
        total = partial(torch.add, x, y, out=torch.zeros_like(x))
        yield MapKernel(work=workload.add(count, self._dtype), launch=total)
        del total
        ops: dict[str, Launch] = {
            "relu": partial(torch.clamp_min, x, 0, out=y),
            "cos": partial(torch.cos, x, out=y),
            "silu": partial(torch.ops.aten.silu.out, x, out=y),
        }
        for op, launch in ops.items():
            yield MapKernel(work=workload.elementwise(op, count, self._dtype), launch=launch)

    def rowwise(self) -> Iterator[MapKernel]:
        """Norms and softmax over rows of the model's width."""
        yield self.norm("rmsnorm", self._rows)
        yield self.norm("layernorm", self._rows)
        x, y = self._pair()
        yield MapKernel(
            work=workload.rowwise("softmax", self._rows, self._model.hidden, self._dtype),
            launch=partial(torch.softmax, x, -1, out=y),
            counted=True,
        )

    def norm(self, op: str, rows: int, timing: str = STREAM) -> MapKernel:
        """RMSNorm or LayerNorm with its weights."""
        width = self._model.hidden
        x, scale, bias = self.random(rows, width), self.random(width), self.random(width)
        launch: Launch = partial(functional.rms_norm, x, (width,), scale, EPSILON)
        if op == "layernorm":
            launch = partial(functional.layer_norm, x, (width,), scale, bias, EPSILON)
        work = transformer_work.scaled_rows(op, rows, width, self._dtype)
        return MapKernel(work=work, launch=launch, timing=timing, counted=True)

    def embedding(self) -> MapKernel:
        """Rows of the vocabulary's table, each at most once: none is found in the cache."""
        rows = min(self._rows, self._model.vocab)
        table = self.random(self._model.vocab, self._model.hidden)
        device = self._target.torch_device
        ids = torch.randperm(self._model.vocab, device=device)[:rows]
        y = torch.zeros(rows, self._model.hidden, dtype=self._torch_dtype, device=device)
        return MapKernel(
            work=workload.embedding(rows, self._model.hidden, self._dtype),
            launch=partial(torch.index_select, table, 0, ids, out=y),
        )

    def bias_gelu_dropout(self) -> MapKernel:
        """Three kernels, one after the other, over rows of the MLP's width."""
        width = self._model.intermediate
        rows = max(1, self._sizes.tensor_bytes * 8 // ELEMENT_BITS[self._dtype] // width)
        x, bias = self.random(rows, width), self.random(width)
        y, z = torch.zeros_like(x), torch.zeros_like(x)

        def launch() -> object:
            torch.add(x, bias, out=y)
            torch.ops.aten.gelu.out(y, out=z)
            return torch.native_dropout(z, DROPPED, True)

        work = transformer_work.chain(transformer_work.BIAS_GELU_DROPOUT, rows, width, self._dtype)
        return MapKernel(work=work, launch=launch)

    def linear(self, op: str, tokens: int) -> MapKernel:
        """The up projection; of a decode step each launch takes another matrix than the last."""
        m = self._model
        x = self.random(tokens, m.hidden)
        y = torch.zeros(tokens, m.intermediate, dtype=self._torch_dtype, device=x.device)
        decodes = op == transformer_work.DECODE_LINEAR
        size = workload.size_bytes(m.hidden * m.intermediate, self._dtype)
        weights = [
            self.random(m.intermediate, m.hidden).t()
            for _ in range(self._copies(size) if decodes else 1)
        ]
        return MapKernel(
            work=transformer_work.layer(op, tokens, m, self._dtype),
            launch=taking_turns([partial(torch.mm, x, w, out=y) for w in weights]),
            copies=len(weights),
            timing=STREAM if decodes else MATMUL,
            named=True,
        )

    def decode_attention(self) -> MapKernel:
        """One new token a sequence over its cache; query heads of a group are rows of a product.

        Grouped so, the product is right in every backend and no key is copied.
        """
        m, batch, context = self._model, self._sizes.batch, self._sizes.context
        work = transformer_work.decode_attention(m, batch, context, self._dtype)
        query = self.random(batch, m.kv_heads, m.group, m.head_dim)
        caches = [
            self.random(2, batch, m.kv_heads, context, m.head_dim)
            for _ in range(self._copies(work.bytes))
        ]
        attend = functional.scaled_dot_product_attention
        return MapKernel(
            work=work,
            launch=taking_turns([partial(attend, query, kv[0], kv[1]) for kv in caches]),
            named=True,
            copies=len(caches),
        )

    def prefill_attention(self) -> MapKernel:
        """Causal attention over a prompt that keeps no score matrix, where torch has a kernel."""
        m, tokens = self._model, self._sizes.attended
        query = self.random(1, m.heads, tokens, m.head_dim)
        keys, values = (self.random(1, m.kv_heads, tokens, m.head_dim) for _ in range(2))
        attend = functional.scaled_dot_product_attention
        work = transformer_work.prefill_attention(m, tokens, self._dtype)
        launch: Launch = partial(
            attend, query, keys, values, is_causal=True, enable_gqa=m.group > 1
        )
        if "enable_gqa" not in (attend.__doc__ or ""):  # torch 2.4: each head has its own keys
            whole = msgspec.structs.replace(m, kv_heads=m.heads)
            work = transformer_work.prefill_attention(whole, tokens, self._dtype)
            keys, values = (x.repeat_interleave(m.group, 1) for x in (keys, values))
            launch = partial(attend, query, keys, values, is_causal=True)
        return MapKernel(work=work, launch=launch, timing=MATMUL, named=True)

    def sampling(self) -> MapKernel:
        """The next token of one sequence: temperature, the best k, softmax, a draw."""
        logits = self.random(1, self._model.vocab)

        def launch() -> torch.Tensor:
            best, ids = torch.topk(logits / TEMPERATURE, TOP_K)
            drawn = torch.multinomial(torch.softmax(best, -1), 1)
            return torch.gather(ids, -1, drawn)

        work = transformer_work.sampling(1, self._model.vocab, TOP_K, self._dtype)
        return MapKernel(work=work, launch=launch, timing=SHORT, counted=True)

    def _copies(self, size_bytes: int) -> int:
        """How many of such a size make 20 times the last-level cache; two at least."""
        room = self._target.free_bytes() // 2 // size_bytes
        wanted = -(-streams.CACHE_MULTIPLE * self._target.cache_bytes // size_bytes)
        most = 2 if self._target.kind == "cpu" else MOST_COPIES
        return max(1, min(max(2, wanted), most, room))


def taking_turns(launches: list[Callable[[], object]]) -> Launch:
    """One launch that is each of several in turn, so that none finds its own operands cached."""
    turns = itertools.cycle(launches)
    return lambda: next(turns)()
