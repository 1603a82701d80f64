"""A decoder's shapes, and the parameters and bytes that follow from them.

Llama's family: RMSNorm, rotary embedding, grouped-query attention, a gated MLP, no biases but
Qwen2's on q, k and v, no further norms but Qwen3's of q and k. Every count is recomputed from the
shapes; none is copied from a model card.
"""

from __future__ import annotations

import msgspec

from roofwatch.roofline.workload import ELEMENT_BITS


class Model(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Shapes of one decoder. ``tied``: the head is the input embedding's own matrix."""

    name: str
    layers: int
    hidden: int
    intermediate: int
    heads: int
    kv_heads: int
    head_dim: int
    vocab: int
    tied: bool = False
    qkv_bias: bool = False
    qk_norm: bool = False
    names: tuple[str, ...] = ()  # what people also call it
    source: str = ""
    note: str = ""  # what these shapes leave out

    @property
    def q_size(self) -> int:
        """Columns of the query projection."""
        return self.heads * self.head_dim

    @property
    def kv_size(self) -> int:
        """Columns of the key projection, and of the value projection."""
        return self.kv_heads * self.head_dim

    @property
    def qkv_size(self) -> int:
        """Columns of query, key and value projections together."""
        return self.q_size + 2 * self.kv_size

    @property
    def layer_params(self) -> int:
        """Parameters of one layer: four projections, three of the MLP, two norms."""
        attention = self.hidden * self.qkv_size + self.q_size * self.hidden
        extra = (self.qkv_size if self.qkv_bias else 0) + (2 * self.head_dim if self.qk_norm else 0)
        return attention + extra + 3 * self.hidden * self.intermediate + 2 * self.hidden

    @property
    def embedding_params(self) -> int:
        """Of the input embedding, and of the head where it has a matrix of its own."""
        return self.vocab * self.hidden

    @property
    def params(self) -> int:
        """All parameters: N of the seeds' 2N."""
        heads = 1 if self.tied else 2
        return self.layers * self.layer_params + heads * self.embedding_params + self.hidden

    @property
    def read_params(self) -> int:
        """What a decode step reads: of an input embedding with its own matrix only a few rows."""
        return self.layers * self.layer_params + self.embedding_params + self.hidden

    @property
    def group(self) -> int:
        """Query heads that share one KV head: the intensity of decode attention in two bytes."""
        return self.heads // self.kv_heads

    def kv_bytes_per_token(self, dtype: str = "fp16") -> int:
        """Keys and values of one token in all layers (seed, Day 16: 2 x layers x KV size x 2)."""
        return 2 * self.layers * self.kv_size * ELEMENT_BITS[dtype] // 8
