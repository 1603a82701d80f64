"""What a claim's op and shape must do; None where a size or a type is missing."""

from __future__ import annotations

import pytest

from roofwatch.notebook.claim import Claim
from roofwatch.notebook.claim_work import elements_of, kv_bytes, step_s, weights_bytes, work_of
from roofwatch.roofline import workload


def claim(op: str, **fields: object) -> Claim:
    return Claim(op=op, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("op", "streams", "flop"),
    [
        ("copy", 2, 0),
        ("add", 3, 1),
        ("add_scalar", 2, 1),
        ("triad", 3, 2),
        ("fill", 1, 0),
        ("relu", 2, 1),
        ("reduce", 1, 1),
        ("read", 1, 1),
    ],
)
def test_streams_by_elements_or_by_rows_and_columns(op: str, streams: int, flop: int) -> None:
    work = work_of(claim(op, elements=6000, dtype="fp16"))
    assert work is not None
    assert (work.bytes, work.flop) == (streams * 12000, flop * 6000)
    assert work == work_of(claim(op, m=60, n=100, dtype="fp16"))


def test_elements_come_before_rows_and_columns() -> None:
    assert elements_of(claim("add", elements=5, m=2, n=2)) == 5
    assert elements_of(claim("add", m=2, n=3)) == 6
    assert elements_of(claim("add", m=2)) is None


@pytest.mark.parametrize("op", ["softmax", "layernorm", "rmsnorm"])
def test_norms_are_rows_of_columns_and_a_batch_of_them(op: str) -> None:
    work = work_of(claim(op, m=8, n=4096, batch=2, dtype="bf16"))
    assert work == workload.rowwise(op, 16, 4096, "bf16")
    assert work_of(claim(op, elements=4096, dtype="bf16")) == workload.rowwise(op, 1, 4096, "bf16")


def test_an_embedding_fetches_rows() -> None:
    assert work_of(claim("embedding", m=512, n=4096, dtype="fp16")) == workload.embedding(
        512, 4096, "fp16"
    )


def test_a_batch_of_matmuls_is_so_many_times_the_work() -> None:
    one = work_of(claim("matmul", m=64, n=32, k=16, dtype="fp8"))
    many = work_of(claim("matmul", m=64, n=32, k=16, dtype="fp8", batch=8))
    assert one is not None
    assert many is not None
    assert one == workload.matmul(64, 32, 16, "fp8")
    assert (many.flop, many.bytes) == (8 * one.flop, 8 * one.bytes)
    assert many.intensity == one.intensity
    assert many.shape == {"m": 64, "n": 32, "k": 16, "batch": 8}


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"elements": 5},
        {"dtype": "fp16"},
        {"m": 5, "dtype": "fp16"},
    ],
)
@pytest.mark.parametrize("op", ["add", "matmul", "softmax", "embedding", "attention", "other"])
def test_without_size_or_type_there_is_no_work(op: str, fields: dict[str, object]) -> None:
    assert work_of(claim(op, **fields)) is None


def test_half_a_byte_is_none() -> None:
    assert work_of(claim("fill", elements=1, dtype="fp4")) is None
    assert work_of(claim("fill", elements=2, dtype="fp4")) is not None


@pytest.mark.parametrize("op", ["other", "attention", "h2d", "d2h", "softmax"])
def test_bytes_that_are_stated_count_for_any_op(op: str) -> None:
    both = work_of(claim(op, read_bytes=3e9, write_bytes=1e9))
    one = work_of(claim(op, write_bytes=1e9))
    assert both is not None
    assert one is not None
    assert [(t.read_bytes, t.write_bytes) for t in both.tensors] == [(3 * 10**9, 0), (0, 10**9)]
    assert both.flop == 0
    assert [t.name for t in one.tensors] == ["written"]


def test_sizes_come_before_bytes_that_are_stated() -> None:
    work = work_of(claim("copy", elements=10, dtype="fp32", read_bytes=1e9))
    assert work is not None
    assert work.bytes == 80


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"weight_bytes": 5.0}, 5.0),
        ({"params": 7e9, "dtype": "fp16"}, 14e9),
        ({"params": 7e9, "dtype": "int4"}, 3.5e9),
        ({"params": 7e9, "dtype": "fp8", "weight_bytes": 8e9}, 8e9),
        ({"params": 7e9}, None),
        ({"dtype": "fp16"}, None),
    ],
)
def test_weights_as_stated_else_parameters_in_the_type(
    fields: dict[str, object], size: float | None
) -> None:
    assert weights_bytes(claim("decode", **fields)) == size


@pytest.mark.parametrize(
    ("fields", "size"),
    [
        ({"kv_bytes_per_token": 512.0, "kv_len": 100}, 51200.0),
        ({"kv_bytes_per_token": 512.0, "kv_len": 100, "batch": 4}, 204800.0),
        ({"kv_bytes_per_token": 512.0, "context": 10}, 5120.0),
        ({"kv_bytes_per_token": 512.0, "kv_len": 100, "context": 10}, 51200.0),
        ({"kv_bytes_per_token": 512.0}, None),
        ({"kv_len": 100}, None),
    ],
)
def test_keys_and_values_of_all_sequences(fields: dict[str, object], size: float | None) -> None:
    assert kv_bytes(claim("decode", **fields)) == size


def test_a_decode_step_reads_weights_once_and_every_sequences_keys() -> None:
    fields = {"params": 6.74e9, "dtype": "fp16", "batch": 4}
    work = work_of(claim("decode", **fields, kv_bytes_per_token=524288.0, kv_len=1000))
    assert work is not None
    assert work.flop == pytest.approx(2 * 6.74e9 * 4)
    assert {t.name: t.read_bytes for t in work.tensors} == {
        "weights": 13_480_000_000,
        "kv": 4 * 1000 * 524288,
    }
    bare = work_of(claim("decode", **fields))
    assert bare is not None
    assert [t.name for t in bare.tensors] == ["weights"]


def test_parameters_follow_from_the_weights_where_they_are_not_given() -> None:
    for dtype, bits in (("fp8", 8), ("int4", 4), (None, 16)):
        work = work_of(claim("decode", weight_bytes=1e9, dtype=dtype))
        assert work is not None
        assert work.flop == pytest.approx(2 * 1e9 * 8 / bits)
    assert work_of(claim("decode", batch=4, dtype="fp16")) is None


@pytest.mark.parametrize(
    ("fields", "seconds"),
    [
        ({"time_s": 0.012}, 0.012),
        ({"claimed_tokens_per_s": 50.0}, 0.02),
        ({"claimed_tokens_per_s": 800.0, "batch": 16}, 0.02),
        ({"claimed_tokens_per_s": 100.0, "tokens_per_step": 2.0}, 0.02),
        # one over the rate is the time of a token: 16 of them make a step
        ({"claimed_tokens_per_s": 800.0, "batch": 16, "time_s": 0.00125}, 0.02),
        ({"claimed_tokens_per_s": 800.0, "batch": 16, "time_s": 0.0201}, 0.0201),
        ({}, None),
    ],
)
def test_the_time_of_a_step(fields: dict[str, object], seconds: float | None) -> None:
    got = step_s(claim("decode", **fields))
    assert got == (None if seconds is None else pytest.approx(seconds))
