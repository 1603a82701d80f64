"""Points of one experiment: what grew, whether the time grew with it, what is left as the limit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from roofwatch.notebook.catalog import choose
from roofwatch.notebook.claim import Claim
from roofwatch.notebook.experiment import Experiment, Point, together, told_apart, varied_of


def claim(op: str, **fields: object) -> Claim:
    return Claim(op=op, id="x", **fields)  # type: ignore[arg-type]


def points(op: str, name: str, sizes: Sequence[int], times_ms: Sequence[float]) -> list[Point]:
    return [
        Point(claim=claim(op, **{name: size}, time_s=time / 1e3))
        for size, time in zip(sizes, times_ms, strict=True)
    ]


def joint(op: str, name: str, sizes: Sequence[int], times_ms: Sequence[float]) -> Experiment:
    found = together(points(op, name, sizes, times_ms))
    assert found is not None
    return found


def test_rows_of_one_name_are_told_apart_by_what_differs() -> None:
    def apart(*fields: dict[str, object]) -> list[str]:
        return told_apart([claim("matmul", **each) for each in fields])

    assert apart({"batch": 8, "m": 2}, {"batch": 64, "m": 2}) == ["batch 8", "batch 64"]
    square = [{"m": n, "n": n, "k": n} for n in (512, 4096)]
    assert apart(*square) == ["m = n = k = 512", "m = n = k = 4096"]
    assert apart({"m": 1, "k": 2}, {"m": 3, "k": 4}) == ["m 1, k 2", "m 3, k 4"]
    assert apart({"m": 1}, {"m": 1}) == ["1/2", "2/2"]  # a size that was measured twice
    assert apart({"m": 1}, {"m": 2}, {"m": 2}) == ["1/3", "2/3", "3/3"]
    assert apart({"m": 1}, {}) == ["1/2", "2/2"]


def test_batch_8_to_64_in_10_to_11_ms_is_not_compute_bound() -> None:
    # Seed, Day 1: memory-bound or overhead-bound, and the experiment cannot part them.
    found = joint("decode", "batch", (8, 64), (10, 11))
    assert found.bound == ["memory", "overhead"]
    assert (found.points, found.varied, found.values) == (2, "batch", [8.0, 64.0])
    assert found.times_s == pytest.approx([0.010, 0.011])
    assert (found.size_ratio, found.time_ratio) == (8.0, pytest.approx(1.1))
    assert "batch 8 to 64" in found.message
    assert "10 ms to 11 ms" in found.message
    assert "not compute-bound" in found.message
    assert "cannot part them" in found.why
    assert "profiler" in found.do
    assert "give kv_bytes_per_token, kv_len: KV bytes grow with batch" in found.do


@pytest.mark.parametrize(
    "op", ["copy", "add", "add_scalar", "triad", "relu", "read", "reduce", "fill"]
)
def test_a_stream_whose_time_does_not_grow_was_not_timed(op: str) -> None:
    found = joint(op, "elements", (10**6, 10**8), (0.02, 0.021))
    assert found.bound == ["overhead", "synchronise"]
    assert "100 times the bytes" in found.message
    assert "ynchronise" in found.do


@pytest.mark.parametrize("op", ["softmax", "rmsnorm", "layernorm", "embedding", "h2d", "d2h"])
def test_what_moves_its_bytes_alone_is_read_as_a_stream(op: str) -> None:
    found = joint(op, "elements", (10**6, 10**8), (0.02, 0.021))
    assert found.bound == ["overhead", "synchronise"]
    assert "100 times the bytes" in found.message


@pytest.mark.parametrize(("language", "all_share"), [("en", "all share"), ("zh-CN", "大家共用")])
@pytest.mark.parametrize("op", ["matmul", "attention"])
def test_a_batch_of_matmuls_shares_no_weights(op: str, language: str, all_share: str) -> None:
    choose(language)
    try:
        found = joint(op, "batch", (1, 2), (1, 1))
        assert found.bound == ["overhead", "synchronise"]
        assert all_share not in found.why
        decode = joint("decode", "batch", (1, 2), (1, 1))
        assert decode.bound == ["memory", "overhead"]
        assert all_share in decode.why
        rows = joint("matmul", "m", (8, 64), (1, 1))  # more rows for the same weights
        assert rows.bound == ["memory", "overhead"]
    finally:
        choose("en")


@pytest.mark.parametrize(("op", "name"), [("matmul", "batch"), ("copy", "elements")])
def test_a_bend_of_what_shares_nothing_is_no_memory(op: str, name: str) -> None:
    found = joint(op, name, (1000, 4000, 16000), (1, 1, 4))
    assert found.bound == ["overhead"]
    assert "bends at 4000" in found.message
    assert "weights" not in found.why + found.do
    shared = joint("decode", "batch", (1, 4, 16), (1, 1, 4))
    assert shared.bound == ["memory", "overhead"]
    assert "weights" in shared.why


@pytest.mark.parametrize("op", ["matmul", "copy", "attention", "other", "decode"])
def test_a_time_that_goes_with_the_work_is_compute_or_memory(op: str) -> None:
    found = joint(op, "batch" if op == "decode" else "elements", (10, 80), (10, 79))
    assert found.bound == ["compute", "memory"]


def test_a_time_that_grows_by_a_part_has_a_fixed_part() -> None:
    found = joint("decode", "batch", (1, 64), (10, 80))  # half of it, in logarithms
    assert found.bound == ["memory", "overhead"]
    assert "fixed part" in found.message


@pytest.mark.parametrize(
    ("time_ms", "bound"),
    [
        (0.7, ["memory", "overhead"]),  # faster with more: flat at least
        (1.0, ["memory", "overhead"]),
        (16**0.24, ["memory", "overhead"]),
        (16**0.26, ["memory", "overhead"]),
        (16**0.74, ["memory", "overhead"]),
        (16**0.76, ["compute", "memory"]),
        (40.0, ["compute", "memory"]),
    ],
)
def test_a_quarter_and_three_quarters_of_the_growth_are_the_limits(
    time_ms: float, bound: list[str]
) -> None:
    assert joint("decode", "batch", (4, 64), (1.0, time_ms)).bound == bound


def test_a_quarter_parts_flat_from_a_fixed_part() -> None:
    flat, part = (joint("decode", "batch", (4, 64), (1.0, 16**g)) for g in (0.24, 0.26))
    assert "not compute-bound" in flat.message
    assert "fixed part" in part.message


def test_the_ends_of_more_than_two_points_in_any_order() -> None:
    found = joint("decode", "batch", (16, 64, 8, 32), (10.2, 11, 10, 10.5))
    assert found.points == 4
    assert found.values == [8, 16, 32, 64]
    assert found.times_s == pytest.approx([0.010, 0.0102, 0.0105, 0.011])
    assert found.size_ratio == 8


@pytest.mark.parametrize("name", ["batch", "m", "n", "k", "elements"])
def test_any_one_size_may_vary(name: str) -> None:
    found = joint("matmul", name, (1000, 4000), (1, 4))
    assert found.varied == name
    assert found.bound == ["compute", "memory"]


def steps(name: str, sizes: tuple[int, int], times_s: tuple[float, float]) -> Experiment | None:
    """TinyLlama's decode step with its KV bytes (seed, Day 16)."""
    model = {"params": 1.1e9, "dtype": "fp16", "kv_bytes_per_token": 22.5 * 1024}
    fixed = {"batch": 32, "kv_len": 2048}
    return together(
        [
            Point(claim=claim("decode", **{**model, **fixed, name: size}, time_s=time_s))
            for size, time_s in zip(sizes, times_s, strict=True)
        ]
    )


@pytest.mark.parametrize(
    ("name", "sizes", "growth"),
    [("batch", (1, 128), 3.667), ("kv_len", (256, 4096), 2.185)],
)
def test_kv_bytes_explain_a_bend_or_they_do_not(
    name: str, sizes: tuple[int, int], growth: float
) -> None:
    explained = steps(name, sizes, (0.010, 0.010 * growth))
    assert explained is not None
    assert explained.bound == ["memory"]
    assert "KV bytes explain the bend" in explained.message
    assert f"{growth:.3g} times the bytes" in explained.message
    left = steps(name, sizes, (0.010, 0.010 * growth * 1.3))
    assert left is not None
    assert left.bound == ["memory", "overhead"]
    assert "do not explain it" in left.message


def test_few_kv_bytes_leave_the_reading_to_the_batch() -> None:
    found = steps("batch", (8, 10), (0.010, 0.0101))
    assert found is None  # too near to read
    plain = joint("decode", "batch", (8, 64), (10, 11))
    assert "KV" not in plain.message


@pytest.mark.parametrize("name", ["context", "kv_len"])
def test_a_longer_context_without_its_kv_bytes_says_nothing(name: str) -> None:
    assert together(points("decode", name, (1000, 4000), (1, 4))) is None


def square(n: int, time_s: float) -> Point:
    return Point(claim=claim("matmul", m=n, n=n, k=n, dtype="fp16", time_s=time_s))


def test_squares_do_the_cube_of_the_work() -> None:
    found = together([square(1024, 1e-3), square(4096, 60e-3)])
    assert found is not None
    assert (found.varied, found.size_ratio) == ("n", 4.0)
    assert found.bound == ["compute", "memory"]
    assert "64 times the work" in found.message
    flat = together([square(1024, 1e-3), square(4096, 4e-3)])
    assert flat is not None
    assert flat.bound == ["memory", "overhead"]


def test_one_side_of_a_square_is_no_cube() -> None:
    found = together(
        [
            Point(claim=claim("matmul", m=1024, n=n, k=1024, dtype="fp16", time_s=time_s))
            for n, time_s in ((1024, 1e-3), (4096, 4e-3))
        ]
    )
    assert found is not None
    assert found.bound == ["compute", "memory"]
    assert "4 times the work" in found.message
    assert "64 times" not in found.message


def test_two_sizes_at_once_say_nothing() -> None:
    both = [claim("decode", batch=b, context=c, time_s=0.01) for b, c in ((8, 100), (64, 200))]
    assert varied_of(both) is None
    assert together([Point(claim=c) for c in both]) is None


def test_three_sides_that_are_no_squares_say_nothing() -> None:
    sides = [claim("matmul", m=s, n=2 * s, k=s, time_s=0.01) for s in (10, 100)]
    assert together([Point(claim=c) for c in sides]) is None


@pytest.mark.parametrize(
    "second",
    [
        {"batch": 8, "time_s": 0.011},  # nothing varies
        {"batch": None, "time_s": 0.011},  # one size is not known
        {"batch": 64, "time_s": None},
        {"batch": 11, "time_s": 0.011},  # less than half as much again
    ],
)
def test_points_that_are_no_experiment(second: dict[str, object]) -> None:
    first = claim("decode", batch=8, time_s=0.010)
    assert together([Point(claim=first), Point(claim=claim("decode", **second))]) is None


def test_two_ops_are_no_experiment() -> None:
    first, second = claim("add", batch=8, time_s=1.0), claim("copy", batch=64, time_s=1.0)
    assert together([Point(claim=first), Point(claim=second)]) is None


@pytest.mark.parametrize(
    "differs",
    [
        {"gpu": "H200"},
        {"dtype": "fp32"},
        {"math": "tf32"},
        {"params": 70e9},
        {"weight_bytes": 140e9},
        {"timing": "host"},
    ],
)
def test_another_card_type_or_model_is_another_experiment(differs: dict[str, object]) -> None:
    base: dict[str, object] = {"gpu": "T4", "dtype": "fp16", "params": 7e9, "timing": "event"}
    first = claim("decode", **base, batch=8, time_s=0.010)
    second = claim("decode", **{**base, **differs}, batch=64, time_s=0.011)
    assert together([Point(claim=first), Point(claim=second)]) is None


@pytest.mark.parametrize("dtype", ["bf16", None])
def test_a_matmul_whose_bytes_grow_and_whose_time_does_not(dtype: str | None) -> None:
    # 8192 in 1.35 ms is a usual rate of an H200, so it is the smaller one that took too long.
    found = together(
        [
            Point(claim=claim("matmul", m=n, n=n, k=n, dtype=dtype, time_s=1.35e-3))
            for n in (8192, 4096)
        ]
    )
    assert found is not None
    assert found.bound == ["overhead", "synchronise"]
    assert "8 times the FLOP and 4 times the bytes" in found.message
    assert "synchronise" in found.why
    assert "decode" not in found.why


def test_rows_that_share_their_weights_may_be_at_the_memory() -> None:
    found = together(
        [
            Point(claim=claim("matmul", m=m, n=8192, k=8192, dtype="bf16", time_s=1e-3))
            for m in (8, 64)
        ]
    )
    assert found is not None
    assert found.bound == ["memory", "overhead"]
