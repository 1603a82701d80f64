"""A decoder of real shapes and random weights: the parts of one decode step, and the step.

Every part is the launches that one layer (or the step) makes of it, each call on weights and cache
of its own layer. The step is its parts in order, so parts timed alone add up to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import msgspec
import torch
from torch.nn import functional

from roofwatch.roofline import decode_work
from roofwatch.roofline.model import Model
from roofwatch.roofline.workload import Work

EPSILON = 1e-5
ROTARY_BASE = 10000.0

FORMS = ("grouped", "shared")
"""Ways to ask for grouped-query attention: the query heads of a group as rows of one product, or
one row a head with the keys shared (``enable_gqa``)."""


class Part(msgspec.Struct, frozen=True, kw_only=True):
    """One kind of work of a step: what one call does, how many a step makes, and call number i.

    ``rewrite`` writes the part's input anew and leaves it as it was: in a step the launch before
    has just done that, and what was just written is further away than what was often read.
    """

    work: Work
    calls: int
    launch: Callable[[int], object]
    rewrite: Callable[[], object]

    @property
    def name(self) -> str:
        """Such as ``qkv`` or ``attention``."""
        return self.work.op


class Layer(NamedTuple):
    """The weights of one layer; matrices are stored [outputs, inputs]."""

    norm: torch.Tensor
    qkv: torch.Tensor
    bias: torch.Tensor | None
    out: torch.Tensor
    mlp_norm: torch.Tensor
    gate_up: torch.Tensor
    down: torch.Tensor


class Weights:
    """Random normal weights of ``layers`` layers, scaled so that activations stay finite."""

    def __init__(self, model: Model, layers: int, dtype: torch.dtype, device: torch.device) -> None:
        def matrix(outputs: int, inputs: int) -> torch.Tensor:
            out = torch.empty(outputs, inputs, dtype=dtype, device=device)
            return out.normal_(std=inputs**-0.5)

        def ones() -> torch.Tensor:
            return torch.ones(model.hidden, dtype=dtype, device=device)

        self.model = model
        self.dtype, self.device = dtype, device
        self.embedding = matrix(model.vocab, model.hidden)
        self.head = self.embedding if model.tied else matrix(model.vocab, model.hidden)
        self.norm = ones()
        self.layers = [
            Layer(
                norm=ones(),
                qkv=matrix(model.qkv_size, model.hidden),
                bias=matrix(1, model.qkv_size)[0] if model.qkv_bias else None,
                out=matrix(model.hidden, model.q_size),
                mlp_norm=ones(),
                gate_up=matrix(2 * model.intermediate, model.hidden),
                down=matrix(model.hidden, model.intermediate),
            )
            for _ in range(layers)
        ]


class Cache:
    """Keys and values of every layer, one allocation each, viewed as any batch and context."""

    def __init__(self, weights: Weights, most_tokens: int) -> None:
        model = weights.model
        self._model = model
        # Random as well: constants would let the card run at a clock it does not keep.
        self._flat = [
            torch.empty(
                2 * most_tokens * model.kv_size, dtype=weights.dtype, device=weights.device
            ).normal_()
            for _ in weights.layers
        ]

    def layer(self, index: int, batch: int, context: int) -> torch.Tensor:
        """Keys and values of one layer: [2, batch, KV heads, context, head size]."""
        m = self._model
        shape = (2, batch, m.kv_heads, context, m.head_dim)
        return self._flat[index][: 2 * batch * context * m.kv_size].view(shape)


class Step:
    """One decode step: ``batch`` sequences, each with ``context`` tokens in its cache.

    The newest token's keys and values are written in place of the last ones, then all are read.
    """

    def __init__(
        self, weights: Weights, cache: Cache, batch: int, context: int, form: str, dtype: str
    ) -> None:
        model = weights.model
        self._weights, self._model = weights, model
        self._batch, self._context, self._form = batch, context, form
        self._caches = [cache.layer(i, batch, context) for i in range(len(weights.layers))]

        def random(*shape: int) -> torch.Tensor:
            return torch.randn(*shape, dtype=weights.dtype, device=weights.device)

        self._ids = torch.randint(0, model.vocab, (batch,), device=weights.device)
        self._turn = _turn(model, context - 1, weights)
        # What a part alone works on; the step hands its own on from part to part.
        self._hidden = random(batch, model.hidden)
        self._qkv = random(batch, model.qkv_size)
        self._query = random(batch, model.heads, model.head_dim)
        self._attended = random(batch, model.q_size)
        self._gate_up = random(batch, 2 * model.intermediate)
        self._activated = random(batch, model.intermediate)
        self._dtype = dtype

    def run(self) -> torch.Tensor:
        """All of it; returns the logits, [batch, vocabulary]."""
        hidden = self._embed()
        for i in range(len(self._weights.layers)):
            layer = self._weights.layers[i]
            query = self._rotate(i, self._project(i, self._normed(hidden, layer.norm)))
            hidden = self._attention_out(i, hidden, self._attend(i, query))
            gated = self._gate(i, self._normed(hidden, layer.mlp_norm))
            hidden = self._mlp_out(i, hidden, self._activate(gated))
        return self._logits(self._normed(hidden, self._weights.norm))

    def parts(self) -> list[Part]:
        """The kinds of work in the order of a step, each to be called alone."""
        layers = len(self._weights.layers)
        each = decode_work.parts(self._model, self._batch, self._context, self._dtype)
        Call = Callable[[int], object]
        launches: dict[str, tuple[int, torch.Tensor, Call]] = {
            "embedding": (1, self._ids, lambda _: self._embed()),
            "rmsnorm": (
                2 * layers + 1,
                self._hidden,
                lambda i: self._normed(self._hidden, self._scale(i)),
            ),
            "qkv": (layers, self._hidden, lambda i: self._project(i, self._hidden)),
            "rotary": (layers, self._qkv, lambda i: self._rotate(i, self._qkv)),
            "attention": (layers, self._query, lambda i: self._attend(i, self._query)),
            "out": (
                layers,
                self._attended,
                lambda i: self._attention_out(i, self._hidden, self._attended),
            ),
            "gate_up": (layers, self._hidden, lambda i: self._gate(i, self._hidden)),
            "silu_mul": (layers, self._gate_up, lambda _: self._activate(self._gate_up)),
            "down": (
                layers,
                self._activated,
                lambda i: self._mlp_out(i, self._hidden, self._activated),
            ),
            "head": (1, self._hidden, lambda _: self._logits(self._hidden)),
        }

        def part(work: Work) -> Part:
            calls, given, launch = launches[work.op]
            return Part(work=work, calls=calls, launch=launch, rewrite=lambda: given.mul_(1))

        return [part(work) for work in each]

    def _scale(self, call: int) -> torch.Tensor:
        layer = self._weights.layers[call // 2 % len(self._weights.layers)]
        return layer.mlp_norm if call % 2 else layer.norm

    def _embed(self) -> torch.Tensor:
        return functional.embedding(self._ids, self._weights.embedding)

    def _normed(self, x: torch.Tensor, scale: torch.Tensor) -> torch.Tensor:
        return functional.rms_norm(x, (self._model.hidden,), scale, EPSILON)

    def _project(self, layer: int, x: torch.Tensor) -> torch.Tensor:
        w = self._weights.layers[layer]
        return functional.linear(x, w.qkv, w.bias)

    def _rotate(self, layer: int, qkv: torch.Tensor) -> torch.Tensor:
        """Turn queries and keys by their position, store keys and values; the queries.

        Values are turned by nothing: a product, a sum of its two halves and a copy do it all.
        """
        m, b = self._model, self._batch
        heads = m.heads + 2 * m.kv_heads
        halves = qkv.view(b, heads, 1, 2, m.head_dim // 2)
        products = halves * self._turn
        turned = (products[:, :, :, 0] + products[:, :, :, 1]).view(b, heads, m.head_dim)
        stored = turned[:, m.heads :].view(b, 2, m.kv_heads, m.head_dim)
        self._caches[layer][:, :, :, -1].copy_(stored.transpose(0, 1))
        return turned[:, : m.heads]

    def _attend(self, layer: int, query: torch.Tensor) -> torch.Tensor:
        m, b = self._model, self._batch
        keys, values = self._caches[layer].unbind(0)
        if self._form == "grouped":
            rows = query.reshape(b, m.kv_heads, m.group, m.head_dim)
            out = functional.scaled_dot_product_attention(rows, keys, values)
        else:
            rows = query.reshape(b, m.heads, 1, m.head_dim)
            out = functional.scaled_dot_product_attention(
                rows, keys, values, enable_gqa=m.group > 1
            )
        return out.reshape(b, m.q_size)

    def _attention_out(self, layer: int, hidden: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return hidden.addmm_(x, self._weights.layers[layer].out.t())

    def _gate(self, layer: int, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self._weights.layers[layer].gate_up)

    def _activate(self, gate_up: torch.Tensor) -> torch.Tensor:
        gate, up = gate_up.chunk(2, dim=1)
        return functional.silu(gate) * up

    def _mlp_out(self, layer: int, hidden: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return hidden.addmm_(x, self._weights.layers[layer].down.t())

    def _logits(self, x: torch.Tensor) -> torch.Tensor:
        return functional.linear(x, self._weights.head)


def _turn(model: Model, position: int, weights: Weights) -> torch.Tensor:
    """The rotation of one position for each head: [heads, out half, in half, head size / 2].

    Pairs are an element of the first half and its like in the second (Su et al., 2021; the layout
    of Llama's published weights).
    """
    half = model.head_dim // 2
    rates = ROTARY_BASE ** (-torch.arange(half, dtype=torch.float64) / half)
    cos, sin = (position * rates).cos(), (position * rates).sin()
    rotate = torch.stack([torch.stack([cos, -sin]), torch.stack([sin, cos])])
    keep = torch.eye(2, dtype=torch.float64)[:, :, None].expand(2, 2, half)
    each = [rotate] * (model.heads + model.kv_heads) + [keep] * model.kv_heads
    return torch.stack(each).to(dtype=weights.dtype, device=weights.device)
