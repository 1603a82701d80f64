"""A decode step on paper: weights and KV bytes, intensity, the roof's batch, and what caps it.

The seeds' convention (Day 16): FLOP are 2N a token with all parameters N, attention's own left
out; bytes are all weights once and the KV cache of every sequence. What a real step reads and
computes is a little different (roofline.model.read_params, the decode probe).
"""

from __future__ import annotations

import math
from typing import overload

import msgspec

from roofwatch.roofline.model import Model
from roofwatch.roofline.roof import Roof
from roofwatch.roofline.workload import ELEMENT_BITS

WEIGHTS = ("fp16", "bf16", "fp8", "int8", "int4")
KV = ("fp16", "bf16", "fp8", "int8")

COMPUTE, MEMORY, OVERHEAD, AI_MAX = "compute", "memory", "overhead", "ai_max"

OWN_UNIT = ("fp8", "int8")  # weights that a card may multiply as they are; int4 is unpacked
TWO_BYTES = ("fp16", "bf16")
LANES = ("fp16_vector", "fp32")  # of a card without tensor cores


NEVER = 1e12
"""Sequences that no card ever holds: a ridge so near AI_max is not reached."""
RESERVE = 0.03
"""Share of the memory that is kept free where nobody says another."""
EXACT = 1e-9  # by which a whole b* may come out too large: near AI_max its rounding grows


def weights_bytes(params: int, precision: str) -> int:
    """All parameters in one precision, scales of a quantised type left out."""
    return -(-params * ELEMENT_BITS[precision] // 8)


class Decode(msgspec.Struct, frozen=True, kw_only=True):
    """One model at one context, or one card's share of it.

    ``sequence_bytes`` is the KV cache of one sequence.
    """

    params: float
    weights_bytes: float
    sequence_bytes: float

    def flop(self, batch: int) -> float:
        """2N a token (seed, Day 16)."""
        return 2.0 * self.params * batch

    def bytes(self, batch: int) -> float:
        """The weights once, each sequence's KV once (seed, Day 16: 2N + b n kv)."""
        return self.weights_bytes + batch * self.sequence_bytes

    def intensity(self, batch: int) -> float:
        """AI(b) = 2Nb / (2N + b n kv) in FLOP per byte (seed, Day 16)."""
        return self.flop(batch) / self.bytes(batch)

    @property
    def ai_max(self) -> float:
        """What the intensity goes to as the batch grows: 2N / (n kv) (seed, Day 16)."""
        return self.flop(1) / self.sequence_bytes

    def b_star(self, ridge: float) -> float | None:
        """The batch whose intensity is ``ridge``; None where no batch gets there.

        ridge x W / (2N - ridge x n kv), the seed's formula (Day 16) with weights of any width W. A
        batch beyond NEVER is none.
        """
        left = self.flop(1) - ridge * self.sequence_bytes
        if ridge >= self.ai_max or left <= 0:
            return None
        batch = ridge * self.weights_bytes / left
        return batch if batch <= NEVER else None

    def memory_cap(self, memory_bytes: float, reserve: float) -> int:
        """Sequences that fit beside the weights; 0 where not even one does.

        ``reserve`` is the share of the memory that context, activations and allocator take.
        """
        left = memory_bytes * (1 - reserve) - self.weights_bytes
        return max(0, int(left // self.sequence_bytes))

    def busy_s(self, batch: int, roof: Roof) -> float:
        """The longer of moving and computing, in seconds: both overlap."""
        return max(self.move_s(batch, roof), self.compute_s(batch, roof))

    def move_s(self, batch: int, roof: Roof) -> float:
        """Bytes over bandwidth, in seconds."""
        return self.bytes(batch) / (roof.bandwidth_gbs * 1e9)

    def compute_s(self, batch: int, roof: Roof) -> float:
        """FLOP over peak, in seconds."""
        return self.flop(batch) / (roof.peak_tflops * 1e12)

    def step_s(self, batch: int, roof: Roof, overhead_s: float = 0.0) -> float:
        """max(bytes / B, FLOP / P) and a constant overhead, in seconds."""
        return self.busy_s(batch, roof) + overhead_s

    def bound(self, batch: int, roof: Roof, overhead_s: float = 0.0) -> str:
        """The largest of the three: ``memory``, ``compute`` or ``overhead``."""
        if overhead_s > self.busy_s(batch, roof):
            return OVERHEAD
        return COMPUTE if self.compute_s(batch, roof) > self.move_s(batch, roof) else MEMORY

    def floor_s(self, bandwidth_gbs: float) -> float:
        """Least time of a step in seconds: the weights alone over the bandwidth (seed, Day 1)."""
        return self.weights_bytes / (bandwidth_gbs * 1e9)


def decode_of(model: Model, context: int, weights: str = "fp16", kv: str = "fp16") -> Decode:
    """A model at a context, its weights and its KV cache each in a precision."""
    return Decode(
        params=model.params,
        weights_bytes=weights_bytes(model.params, weights),
        sequence_bytes=context * model.kv_bytes_per_token(kv),
    )


def gap_to_linear(first_s: float, step_s: float) -> float:
    """By how much a batch falls short of linear: 1 - t(1) / t(b) (seed, Day 16)."""
    return 1 - first_s / step_s


@overload
def at_roof(b_star: float) -> int: ...
@overload
def at_roof(b_star: None) -> None: ...
@overload
def at_roof(b_star: float | None) -> int | None: ...
def at_roof(b_star: float | None) -> int | None:
    """The first whole batch at or beyond b*; None where no batch gets there."""
    return None if b_star is None else max(1, math.ceil(b_star * (1 - EXACT)))


def limited_by(b_star: float | None, cap: int | None, batch_max: int) -> str:
    """What ends the gain from batching: ``compute``, ``memory`` or ``ai_max``.

    ``cap`` None is an unknown memory, which is then taken to hold any batch.
    """
    if b_star is not None and (cap is None or b_star <= cap):
        return COMPUTE
    return MEMORY if cap is not None and cap < batch_max else AI_MAX


def peak_key_of(weights: str, peaks: dict[str, float]) -> str | None:
    """The peak that a step with such weights is judged by; None where the card has none of them.

    fp8 and int8 count at their own peak where the card has one. Otherwise, and always with int4,
    they are unpacked and multiplied as fp16; without tensor cores on the faster of the lanes. bf16
    and fp16 stand for each other.
    """
    own = (weights,) if weights in (*OWN_UNIT, *TWO_BYTES) else ()
    tensor = next((key for key in (*own, *TWO_BYTES) if key in peaks), None)
    return tensor or max(
        (key for key in LANES if key in peaks), key=peaks.__getitem__, default=None
    )


def batches(batch_max: int, cap: int | None = None) -> list[int]:
    """Powers of two up to ``batch_max``, that itself, and the largest that fits in memory."""
    powers = [1 << i for i in range(batch_max.bit_length())]
    ends = {batch_max} | ({cap} if cap and cap < batch_max else set())
    return sorted({*powers, *ends})
