"""FLOP and bytes, against the seeds' worked examples."""

from __future__ import annotations

import pytest

from roofwatch.roofline.workload import add_scalar, matmul


def test_matmul_4096_of_the_seeds() -> None:
    work = matmul(4096, 4096, 4096, "fp16")
    assert work.flop == pytest.approx(137e9, rel=0.01)  # Day 14: 137 GFLOP
    assert work.bytes == 3 * 4096**2 * 2  # about 100 MB
    assert work.intensity == pytest.approx(4096 / 3)  # 1365


def test_decode_line_of_day_1_has_intensity_one() -> None:
    assert matmul(1, 4096, 4096, "fp16").intensity == pytest.approx(1.0, rel=0.001)


def test_batch_16_of_the_h100_note() -> None:
    work = matmul(16, 4096, 4096, "bf16")
    assert work.flop == pytest.approx(5.4e8, rel=0.01)
    assert work.intensity == pytest.approx(16, rel=0.01)


def test_square_of_512_is_left_of_the_t4_ridge() -> None:
    assert matmul(512, 512, 512, "fp16").intensity == pytest.approx(171, abs=0.5)


def test_int8_and_fp8_write_wider_results() -> None:
    by_name = {t.name: t for t in matmul(2, 3, 5, "int8", "int32").tensors}
    assert by_name["a"].read_bytes == 10
    assert by_name["b"].read_bytes == 15
    assert by_name["c"].write_bytes == 24


def test_add_scalar_counts_read_and_write_apart() -> None:
    work = add_scalar(2**29, "fp16")
    assert [(t.read_bytes, t.write_bytes) for t in work.tensors] == [(2**30, 0), (0, 2**30)]
    # Seed: 1 GiB in 1.2 ms is 1790 GB/s; reads alone would say 895.
    assert work.bytes / 1.2e-3 / 1e9 == pytest.approx(1790, abs=1)
    assert work.intensity == 0.25
