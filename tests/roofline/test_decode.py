"""The decode arithmetic away from the seeds' examples: precisions, edges, what caps a batch."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.decode import (
    KV,
    NEVER,
    WEIGHTS,
    Decode,
    at_roof,
    batches,
    decode_of,
    gap_to_linear,
    limited_by,
    peak_key_of,
    weights_bytes,
)
from roofwatch.roofline.model import Model
from roofwatch.roofline.roof import Roof

SMALL = Model(
    name="small",
    layers=2,
    hidden=64,
    intermediate=128,
    heads=8,
    kv_heads=2,
    head_dim=8,
    vocab=100,
)
ROOF = Roof(bandwidth_gbs=100, peak_tflops=10)


@pytest.mark.parametrize(
    ("precision", "bits"), [("fp16", 16), ("bf16", 16), ("fp8", 8), ("int8", 8), ("int4", 4)]
)
def test_weights_by_precision(precision: str, bits: int) -> None:
    assert weights_bytes(1000, precision) == 1000 * bits // 8
    assert weights_bytes(1001, precision) == -(-1001 * bits // 8)  # half a byte is a byte


def test_kv_by_precision() -> None:
    by = {kv: decode_of(SMALL, 10, kv=kv).sequence_bytes for kv in KV}
    assert by["fp16"] == by["bf16"] == 10 * 2 * 2 * 16 * 2
    assert by["fp8"] == by["int8"] == by["fp16"] / 2


def test_narrow_weights_move_the_floor_and_the_ridges_batch_but_not_ai_max() -> None:
    by = {w: decode_of(SMALL, 10, w) for w in WEIGHTS}
    assert len({d.ai_max for d in by.values()}) == 1
    assert by["int8"].floor_s(100) == by["fp16"].floor_s(100) / 2
    assert by["int4"].b_star(5) == pytest.approx((by["fp16"].b_star(5) or 0) / 4)
    assert by["fp8"].intensity(1) > by["fp16"].intensity(1)


def test_no_batch_reaches_a_ridge_at_or_above_ai_max() -> None:
    d = decode_of(SMALL, 10)
    assert d.b_star(d.ai_max) is None
    assert d.b_star(2 * d.ai_max) is None
    assert (d.b_star(0.999 * d.ai_max) or 0) > 100


def test_a_ridge_a_hair_below_ai_max_is_never_reached() -> None:
    d = Decode(params=1_100_048_384, weights_bytes=2_200_096_768, sequence_bytes=50 * 22_528)
    for ridge in (d.ai_max, math.nextafter(d.ai_max, 0), d.ai_max * (1 - 1e-12)):
        assert d.b_star(ridge) is None
    assert 1e6 < (d.b_star(d.ai_max * (1 - 1e-6)) or 0) < NEVER


@given(
    params=st.integers(1, 10**13),
    weights=st.floats(1, 1e13),
    sequence=st.floats(1, 1e12),
    ridge=st.floats(0.01, 1e5),
)
def test_the_ridges_batch_is_where_the_intensity_is_the_ridge(
    params: int, weights: float, sequence: float, ridge: float
) -> None:
    d = Decode(params=params, weights_bytes=weights, sequence_bytes=sequence)
    b = d.b_star(ridge)
    if b is None:
        left = 2 * params - ridge * sequence
        assert left <= 0 or ridge * weights / left > NEVER or ridge >= d.ai_max
        return
    assert b > 0
    if ridge < 0.99 * d.ai_max:
        at = 2 * params * b / (weights + b * sequence)
        assert at == pytest.approx(ridge, rel=1e-6)
    assert d.intensity(1) < d.ai_max or d.ai_max == pytest.approx(d.intensity(1))


def test_a_whole_b_star_is_its_own_first_batch() -> None:
    assert at_roof(360.0) == at_roof(360.0 * (1 + 2e-16)) == 360
    assert at_roof(360.04) == 361
    assert at_roof(0.2) == 1
    assert at_roof(None) is None
    held = decode_of(SMALL, 100_000)  # a batch of thousands lies a hair under its AI_max
    for batch in (1, 7, 128, 4096):
        assert at_roof(held.b_star(held.intensity(batch))) == batch


def test_a_step_is_its_longer_half_and_the_overhead() -> None:
    d = Decode(params=10**9, weights_bytes=2e9, sequence_bytes=1e6)
    assert d.step_s(1, ROOF) == d.move_s(1, ROOF) == pytest.approx(2.001e9 / 100e9)
    assert d.bound(1, ROOF) == "memory"
    many = 1000
    assert d.step_s(many, ROOF, 0.5) == pytest.approx(2e12 / 10e12 + 0.5)
    assert d.bound(many, ROOF) == "compute"
    assert d.bound(many, ROOF, 0.5) == "overhead"
    assert d.bound(1, ROOF, 0.001) == "memory"


def test_off_linear() -> None:
    assert gap_to_linear(2.0, 2.0) == 0
    assert gap_to_linear(1.0, 4.0) == 0.75


def test_what_fits_in_the_memory() -> None:
    d = Decode(params=1, weights_bytes=50, sequence_bytes=10)
    assert d.memory_cap(100, 0) == 5
    assert d.memory_cap(100, 0.01) == 4
    assert d.memory_cap(59, 0) == 0
    assert d.memory_cap(10, 0) == 0  # not even the weights


@pytest.mark.parametrize(
    ("b_star", "cap", "batch_max", "says"),
    [
        (100, 100, 128, "compute"),
        (100.5, 100, 128, "memory"),
        (100.5, 100, 100, "ai_max"),  # contract: memory only where it ends before batch-max
        (None, 127, 128, "memory"),
        (None, 128, 128, "ai_max"),
        (None, 0, 1, "memory"),
        (500, 600, 128, "compute"),
        (500, None, 128, "compute"),
        (None, None, 128, "ai_max"),
    ],
)
def test_who_caps_the_batch(
    b_star: float | None, cap: int | None, batch_max: int, says: str
) -> None:
    assert limited_by(b_star, cap, batch_max) == says


@pytest.mark.parametrize(
    ("weights", "peaks", "key"),
    [
        ("fp16", {"fp32": 1, "fp16": 2, "bf16": 2}, "fp16"),
        ("fp16", {"fp32": 1, "bf16": 2}, "bf16"),
        ("fp8", {"fp16": 2, "fp8": 4}, "fp8"),
        ("fp8", {"fp16": 2, "int8": 4}, "fp16"),
        ("int8", {"fp16": 2, "int8": 4}, "int8"),
        ("int4", {"fp16": 2, "int8": 4, "fp4": 8}, "fp16"),  # unpacked
        ("fp16", {"fp32": 9, "fp16_vector": 0.1}, "fp32"),  # no tensor cores
        ("fp16", {"fp32": 9, "fp16_vector": 18}, "fp16_vector"),
        ("int8", {"fp64": 1}, None),
        ("fp16", {}, None),
    ],
)
def test_which_peak_judges_a_step(weights: str, peaks: dict[str, float], key: str | None) -> None:
    assert peak_key_of(weights, peaks) == key


@pytest.mark.parametrize(
    ("batch_max", "cap", "wanted"),
    [
        (1, None, [1]),
        (8, None, [1, 2, 4, 8]),
        (10, None, [1, 2, 4, 8, 10]),
        (8, 5, [1, 2, 4, 5, 8]),
        (8, 8, [1, 2, 4, 8]),
        (8, 100, [1, 2, 4, 8]),
        (8, 0, [1, 2, 4, 8]),
    ],
)
def test_batches_of_a_curve(batch_max: int, cap: int | None, wanted: list[int]) -> None:
    assert batches(batch_max, cap) == wanted
