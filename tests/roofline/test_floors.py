"""Floors under a roof: each operator on its own side of the ridge, the seed's own examples."""

from __future__ import annotations

import pytest

from roofwatch.roofline.floors import Ceilings, Counted, floors, keys_of_note, main_key
from roofwatch.roofline.intervals import united_s

A100 = Ceilings(bandwidth_gbs=2039.0, peaks_tflops={"fp16": 312.0})
N = 4096
MATMUL = Counted(op="mm", calls=1, flop=2.0 * N**3, bytes=3.0 * N**2 * 2, peak_key="fp16")
RELU = Counted(op="relu", calls=1, flop=5e8, bytes=2e9, peak_key="fp16")


def test_the_seeds_matmul_computes_nine_times_longer_than_it_moves() -> None:
    """Seed 001, Day 1: 0.44 ms against 0.05 ms."""
    found = floors([MATMUL], A100)
    assert found.compute_s == pytest.approx(0.44e-3, rel=0.01)
    assert found.memory_s == 0.0
    assert found.intensity == pytest.approx(1365, rel=0.001)
    assert found.ridge == pytest.approx(153, rel=0.001)


def test_the_seeds_relu_of_a_gigabyte_moves_for_a_millisecond() -> None:
    """Seed 001, Day 1: 1 ms to move what 0.0016 ms compute; 0.25 FLOP/byte."""
    found = floors([RELU], A100)
    assert found.memory_s == pytest.approx(1e-3, rel=0.02)
    assert found.compute_s == 0.0
    assert found.intensity == 0.25


def test_a_vector_is_on_the_other_side_than_a_square() -> None:
    """Seed 001, Day 1: one row through 4096 x 4096 has one FLOP a byte."""
    vector = Counted(op="mm", calls=1, flop=2.0 * N**2, bytes=2.0 * N**2, peak_key="fp16")
    assert floors([vector], A100).compute_s == 0.0
    assert floors([vector], A100).intensity == 1.0


def test_each_operator_is_asked_for_itself() -> None:
    found = floors([MATMUL, RELU], A100)
    assert found.compute_s == pytest.approx(0.44e-3, rel=0.01)
    assert found.memory_s == pytest.approx(0.98e-3, rel=0.01)
    assert found.total_s == pytest.approx(1.42e-3, rel=0.01)


def test_calls_count() -> None:
    many = Counted(op="relu", calls=10, flop=5e7, bytes=2e8, peak_key="fp16")
    assert floors([many], A100).memory_s == pytest.approx(floors([RELU], A100).memory_s)


def test_a_rate_that_would_decide_and_is_missing_is_named() -> None:
    found = floors([MATMUL], Ceilings(bandwidth_gbs=2039.0))
    assert found.total_s is None
    assert found.unknown == "the peak of fp16"
    assert floors([MATMUL], Ceilings()).unknown == "the bandwidth"


def test_what_only_memory_can_hold_up_needs_no_peak() -> None:
    found = floors([RELU], Ceilings(bandwidth_gbs=2039.0))
    assert found.unknown is None
    assert found.compute_s == 0.0
    assert found.memory_s is not None


def test_the_peaks_that_are_worth_measuring() -> None:
    small = Counted(op="mm", calls=1, flop=1e6, bytes=1e3, peak_key="fp64")
    large = Counted(op="mm", calls=1, flop=1e10, bytes=1e6, peak_key="bf16")
    moved = Counted(op="add", calls=1, flop=1e9, bytes=1e10, peak_key="fp32")
    assert main_key([small, MATMUL, RELU]) == "fp16"
    assert keys_of_note([small, large, MATMUL, moved]) == ("fp16", "bf16")
    assert keys_of_note([moved]) == ("fp32",)
    assert keys_of_note([]) == ()


@pytest.mark.parametrize(
    ("intervals", "seconds"),
    [
        ([], 0.0),
        ([(0.0, 1.0), (2.0, 3.0)], 2.0),
        ([(0.0, 2.0), (1.0, 3.0)], 3.0),
        ([(1.0, 2.0), (0.0, 5.0), (4.0, 6.0)], 6.0),
    ],
)
def test_what_overlaps_counts_once(intervals: list[tuple[float, float]], seconds: float) -> None:
    assert united_s(intervals) == pytest.approx(seconds)
