"""FLOP and bytes, against the seeds' worked examples."""

from __future__ import annotations

import pytest

from roofwatch.roofline.workload import (
    Work,
    add,
    add_scalar,
    copy,
    decode,
    embedding,
    fill,
    flash_attention,
    linear,
    matmul,
    read,
    reduce,
    relu,
    rowwise,
    size_bytes,
    strided,
    triad,
)


def traffic(work: Work) -> dict[str, tuple[int, int]]:
    """Reads and writes of each tensor, in bytes."""
    return {t.name: (t.read_bytes, t.write_bytes) for t in work.tensors}


def test_matmul_4096_of_the_seeds() -> None:
    work = matmul(4096, 4096, 4096, "fp16")
    assert work.flop == pytest.approx(137e9, rel=0.01)  # Day 14: 137 GFLOP
    assert work.bytes == 3 * 4096**2 * 2  # about 100 MB
    assert work.intensity == pytest.approx(4096 / 3)  # 1365


@pytest.mark.parametrize("n", [512, 4096, 16384])
def test_a_square_of_n_has_intensity_n_over_3_in_two_bytes(n: int) -> None:
    assert matmul(n, n, n, "bf16").intensity == pytest.approx(n / 3)
    assert matmul(n, n, n, "fp32").intensity == pytest.approx(n / 6)


def test_decode_line_of_day_1_has_intensity_one() -> None:
    assert matmul(1, 4096, 4096, "fp16").intensity == pytest.approx(1.0, rel=0.001)
    assert linear(1, 4096, 4096, "fp16").intensity == pytest.approx(1.0, rel=0.001)


def test_batch_16_of_the_h100_note() -> None:
    work = matmul(16, 4096, 4096, "bf16")
    assert work.flop == pytest.approx(5.4e8, rel=0.01)
    assert work.intensity == pytest.approx(16, rel=0.01)


def test_4096_square_by_16_columns_is_the_same_work_either_way_round() -> None:
    weights_first, tokens_first = matmul(4096, 16, 4096, "fp16"), linear(16, 4096, 4096, "fp16")
    assert weights_first.intensity == tokens_first.intensity == pytest.approx(16, rel=0.01)
    assert weights_first.flop == tokens_first.flop


def test_square_of_512_is_left_of_the_t4_ridge() -> None:
    assert matmul(512, 512, 512, "fp16").intensity == pytest.approx(171, abs=0.5)


def test_a_linear_layer_reads_tokens_and_weights_and_writes_tokens() -> None:
    work = linear(3, 10, 7, "fp16")
    assert work.op == "linear"
    assert traffic(work) == {"a": (2 * 3 * 10, 0), "b": (2 * 10 * 7, 0), "c": (0, 2 * 3 * 7)}
    assert work.flop == 2 * 3 * 10 * 7


def test_tokens_share_one_trip_of_the_weights() -> None:
    one, many = (traffic(linear(t, 4096, 4096, "bf16"))["b"] for t in (1, 256))
    assert one == many


def test_int8_and_fp8_write_wider_results() -> None:
    assert traffic(matmul(2, 3, 5, "int8", "int32")) == {"a": (10, 0), "b": (15, 0), "c": (0, 24)}
    assert traffic(matmul(2, 3, 5, "fp8", "bf16")) == {"a": (10, 0), "b": (15, 0), "c": (0, 12)}


def test_fp4_is_half_a_byte_and_sixteen_share_a_scale() -> None:
    work = matmul(128, 64, 32, "fp4", "bf16")
    assert traffic(work) == {
        "a": (128 * 32 // 2, 0),
        "b": (32 * 64 // 2, 0),
        "c": (0, 2 * 128 * 64),
        "scales": ((128 * 32 + 32 * 64) // 16, 0),
    }
    assert "scales" not in traffic(matmul(128, 64, 32, "fp8", "bf16"))


def test_add_scalar_counts_read_and_write_apart() -> None:
    work = add_scalar(2**29, "fp16")
    assert traffic(work) == {"x": (2**30, 0), "y": (0, 2**30)}
    # Seed: 1 GiB in 1.2 ms is 1790 GB/s; reads alone would say 895.
    assert work.bytes / 1.2e-3 / 1e9 == pytest.approx(1790, abs=1)
    assert work.intensity == 0.25


def test_a_copy_moves_what_add_scalar_moves_and_computes_nothing() -> None:
    work = copy(1000, "fp16")
    assert traffic(work) == traffic(add_scalar(1000, "fp16")) == {"x": (2000, 0), "y": (0, 2000)}
    assert work.flop == 0
    assert work.intensity == 0


def test_add_has_three_streams_and_a_sixth_of_a_flop_a_byte() -> None:
    work = add(1000, "fp16")
    assert traffic(work) == {"x": (2000, 0), "y": (2000, 0), "z": (0, 2000)}
    assert work.intensity == pytest.approx(1 / 6)  # seed: 0.17
    assert add(1000, "fp32").intensity == pytest.approx(1 / 12)


def test_triad_moves_what_add_moves_for_twice_the_flop() -> None:
    work = triad(1000, "fp16")
    assert traffic(work) == traffic(add(1000, "fp16"))
    assert work.flop == 2000
    assert work.intensity == pytest.approx(1 / 3)


def test_fill_only_writes() -> None:
    work = fill(1000, "fp32")
    assert traffic(work) == {"y": (0, 4000)}
    assert work.flop == 0


def test_read_writes_one_element_a_row() -> None:
    work = read(10, 4096, "fp32")
    assert traffic(work) == {"x": (4 * 10 * 4096, 0), "y": (0, 4 * 10)}
    assert work.flop == 10 * 4096
    assert work.shape == {"rows": 10, "columns": 4096, "passes": 1}


def test_passes_read_the_same_tensor_again_in_one_launch() -> None:
    once, thrice = read(10, 4096, "fp16"), read(10, 4096, "fp16", 3)
    assert thrice.bytes == 3 * once.bytes
    assert thrice.flop == 3 * once.flop
    assert thrice.intensity == once.intensity
    assert thrice.shape["passes"] == 3


def test_strided_counts_the_useful_bytes_and_says_its_stride() -> None:
    work = strided(1000, "fp16")
    assert traffic(work) == traffic(add_scalar(1000, "fp16"))
    assert work.shape == {"elements": 1000, "stride": 2}
    assert work.op == "strided"
    assert strided(1000, "fp16", 4).shape["stride"] == 4


def test_attention_keeps_no_score_matrix() -> None:
    work = flash_attention(1024, 128, "fp16")
    tensor = 2 * 1024 * 128
    assert traffic(work) == {"q": (tensor, 0), "k": (tensor, 0), "v": (tensor, 0), "o": (0, tensor)}
    assert work.flop == 2 * (2 * 1024 * 1024 * 128)  # two matmuls
    assert work.intensity == pytest.approx(1024 / 2)  # n/2 in two bytes, whatever the head


def test_sizes_of_elements() -> None:
    assert [size_bytes(8, t) for t in ("fp64", "fp32", "bf16", "fp8", "fp4")] == [64, 32, 16, 8, 4]


def test_relu_moves_what_add_scalar_moves() -> None:
    work = relu(1000, "fp16")
    assert traffic(work) == traffic(add_scalar(1000, "fp16"))
    assert work.flop == 1000
    assert work.op == "relu"
    assert work.intensity == 0.25  # seed, Day 1


def test_a_reduction_reads_and_writes_next_to_nothing() -> None:
    work = reduce(1000, "fp32")
    assert traffic(work) == {"x": (4000, 0)}
    assert work.flop == 1000


@pytest.mark.parametrize(
    ("op", "intensity"), [("softmax", 1.0), ("rmsnorm", 1.0), ("layernorm", 2.0)]
)
def test_norms_pass_once_over_the_memory(op: str, intensity: float) -> None:
    work = rowwise(op, 8, 4096, "fp16")
    assert traffic(work) == {"x": (2 * 8 * 4096, 0), "y": (0, 2 * 8 * 4096)}
    assert work.intensity == intensity  # seeds: 8 an element in LayerNorm, near 1 in the others
    assert work.shape == {"rows": 8, "columns": 4096}
    assert work.op == op


def test_an_embedding_copies_rows_and_computes_nothing() -> None:
    work = embedding(512, 4096, "fp16")
    assert traffic(work) == {"table": (2 * 512 * 4096, 0), "y": (0, 2 * 512 * 4096)}
    assert work.flop == work.intensity == 0
    assert work.shape == {"rows": 512, "columns": 4096}


def test_a_decode_step_reads_the_weights_once_whatever_the_batch() -> None:
    one, many = decode(7e9, 14e9), decode(7e9, 14e9, 32)
    assert traffic(one) == traffic(many) == {"weights": (14 * 10**9, 0)}
    assert one.flop == 14e9
    assert one.intensity == 1.0  # seed, Day 16: two FLOP for two bytes
    assert many.intensity == 32.0


def test_kv_bytes_cap_the_intensity_of_a_decode_step() -> None:
    # Seed: with KV of every sequence the intensity goes to 2N / KV, not to the batch.
    def per_batch(batch: int) -> float:
        return decode(7e9, 14e9, batch, 2e9 * batch).intensity

    assert traffic(decode(7e9, 14e9, 4, 8e9)) == {
        "weights": (14 * 10**9, 0),
        "kv": (8 * 10**9, 0),
    }
    assert per_batch(1) == pytest.approx(14 / 16)
    assert per_batch(7) == pytest.approx(3.5)  # half of the limit
    assert per_batch(10**6) == pytest.approx(7.0, rel=1e-4)


def test_results_are_wider_where_operands_are_narrow() -> None:
    assert traffic(matmul(2, 3, 5, "mxfp8"))["c"] == (0, 12)
    assert traffic(matmul(2, 4, 6, "int4")) == {"a": (6, 0), "b": (12, 0), "c": (0, 32)}
    assert size_bytes(3, "int32") == 12
