"""The H100 note's self-test: what is read for a token, which side of the ridge, why tiles."""

from __future__ import annotations

import random

from roofwatch.roofline.decode import RESERVE, decode_of
from roofwatch.roofline.example import H100_NOTE
from roofwatch.roofline.model import Model
from roofwatch.roofline.quiz import (
    CHOICE,
    COMPUTE,
    FLOP_BYTE,
    GB,
    MEMORY,
    NUMBER,
    Ground,
    Question,
    Value,
    pick,
)
from roofwatch.roofline.roof import Roof
from roofwatch.roofline.shared_memory import shared_bytes
from roofwatch.roofline.workload import (
    ELEMENT_BITS,
    ELEMENT_FLOP,
    decode,
    elementwise,
    matmul,
    tiled,
)

WEIGHTS = ("fp16", "int8", "int4")
OPS = ("layernorm", "rmsnorm", "softmax", "silu", "gelu", "relu")
TILES = (16, 32, 64, 128, 256)
SHARED_EVERYWHERE = 48 * 1024  # bytes that a block may take on every card
ASIDE = 1.25  # a drawn intensity is so many times off the ridge


def token_intensity(
    model: Model, weights: str, roof: Roof, memory_bytes: float | None = None
) -> Question:
    """14. A token of a decode at batch 1: its FLOP over its weights.

    ``memory_bytes`` where the weights do not fit in so much, so that this is said.
    """
    one = decode_of(model, 1, weights)
    step = decode(model.params, one.weights_bytes)  # the KV cache left out, as the note does
    floor_s = one.floor_s(roof.bandwidth_gbs)
    return Question(
        number=14,
        note=H100_NOTE,
        key="token_intensity",
        kind=NUMBER,
        answer=step.intensity,
        unit=FLOP_BYTE,
        case=MEMORY,
        values={
            "model": model.name,
            "weights": weights,
            "params_g": model.params / GB,
            "read_gb": step.bytes / GB,
            "gflop": step.flop / GB,
            "intensity": step.intensity,
            "ridge": roof.ridge,
            "bandwidth_gbs": roof.bandwidth_gbs,
            "floor_ms": floor_s * 1e3,
            "tokens": 1 / floor_s,
            **({"memory_gb": memory_bytes / GB} if memory_bytes else {}),
        },
    )


def draw_14(chance: random.Random, on: Ground) -> Question:
    """A model with its weights in two bytes or less that the card holds, where there is one."""
    memory = on.card.memory_bytes
    pairs = [(m, w) for m in on.models for w in WEIGHTS]
    held = [p for p in pairs if not memory or decode_of(p[0], 1, p[1]).memory_cap(memory, RESERVE)]
    model, weights = pick(chance, held or pairs)
    return token_intensity(model, weights, on.roof, None if held else memory)


def side_of_ridge(m: int, k: int, n: int, roof: Roof, dtype: str = "bf16") -> Question:
    """15. A matmul of [m, k] and [k, n]: which side of the ridge."""
    work = matmul(m, n, k, dtype)
    answer = COMPUTE if work.intensity >= roof.ridge else MEMORY
    return Question(
        number=15,
        note=H100_NOTE,
        key="side_of_ridge",
        kind=CHOICE,
        answer=answer,
        case=answer,
        choices=(COMPUTE, MEMORY),
        values={
            "dtype": dtype,
            "m": m,
            "k": k,
            "n": n,
            "gflop": work.flop / GB,
            "mb": work.bytes / 1e6,
            "intensity": work.intensity,
            "ridge": roof.ridge,
        },
    )


def draw_15(chance: random.Random, on: Ground) -> Question:
    """Few columns or many, none near the ridge."""
    width = pick(chance, (4096, 8192))
    found = [side_of_ridge(width, width, 2**i, on.roof, on.half) for i in range(14)]
    of = pick(chance, (COMPUTE, MEMORY))
    off = [q for q in found if not 1 / ASIDE < float(q.values["intensity"]) / on.roof.ridge < ASIDE]
    return pick(chance, [q for q in off if q.answer == of] or off)


def each_element(op: str, roof: Roof) -> Question:
    """16. A norm, or another pointwise kernel: its intensity."""
    one = elementwise(op, 8, "fp16")
    moved = 2 * ELEMENT_BITS["fp16"] // 8
    values: dict[str, Value] = {
        "op": op,
        "flop": ELEMENT_FLOP[op],
        "bytes": moved,
        "intensity": one.intensity,
        "ridge": roof.ridge,
        "below": roof.ridge / one.intensity,
    }
    then = Question(
        number=16,
        note=H100_NOTE,
        key="each_element_bound",
        kind=CHOICE,
        answer=MEMORY,
        choices=(COMPUTE, MEMORY),
        values=values,
    )
    return Question(
        number=16,
        note=H100_NOTE,
        key="each_element",
        kind=NUMBER,
        answer=one.intensity,
        unit=FLOP_BYTE,
        case=MEMORY,
        values=values,
        then=then,
    )


def draw_16(chance: random.Random, on: Ground) -> Question:
    """One of six."""
    return each_element(pick(chance, OPS), on.roof)


def tile_reuse(tile: int, roof: Roof, dtype: str = "bf16", shared: int | None = None) -> Question:
    """17. A matmul by tiles: how often a number that was read is used.

    ``shared`` is how many bytes of shared memory a block may take, where that is known.
    """
    by_tile, naive = tiled(tile, dtype), tiled(1, dtype)
    return Question(
        number=17,
        note=H100_NOTE,
        key="tile_reuse",
        kind=NUMBER,
        answer=by_tile.intensity,
        unit=FLOP_BYTE,
        case=COMPUTE if by_tile.intensity >= roof.ridge else MEMORY,
        values={
            "tile": tile,
            "dtype": dtype,
            **({"shared": shared} if shared else {}),
            "flop": by_tile.flop,
            "bytes": by_tile.bytes,
            "intensity": by_tile.intensity,
            "naive": naive.intensity,
            "uses": by_tile.intensity / naive.intensity,
            "ridge": roof.ridge,
        },
    )


def draw_17(chance: random.Random, on: Ground) -> Question:
    """A tile of 16 to 256, two of which fit in the shared memory of one block."""
    shared = shared_bytes(on.card.compute_capability)
    room = shared or SHARED_EVERYWHERE
    tiles = [tile for tile in TILES if tiled(tile, on.half).bytes <= room]
    return tile_reuse(pick(chance, tiles), on.roof, on.half, shared)
