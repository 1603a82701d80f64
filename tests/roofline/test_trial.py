"""Experiments: what a changed batch or type tells of the bound, and what it cannot."""

from __future__ import annotations

import pytest

from roofwatch.roofline.floors import Ceilings, Counted
from roofwatch.roofline.trial import (
    COMPUTE,
    MEMORY,
    OVERHEAD,
    Trial,
    Varied,
    excluded,
    fitting,
    trial_of,
)

RATES = Ceilings(bandwidth_gbs=2039.0, peaks_tflops={"fp16": 312.0, "fp32": 19.5})


def linear(rows: int, dtype: str = "fp16", size: int = 2) -> tuple[Counted, ...]:
    """So many rows through 4096 x 4096."""
    n = 4096
    moved = float(size * (n * n + 2 * rows * n))
    return (Counted(op="mm", calls=1, flop=2.0 * rows * n * n, bytes=moved, peak_key=dtype),)


def grown(base: int, rows: int, time_ratio: float) -> Trial:
    varied = Varied(
        what=f"batch {base} to {rows}",
        time_ratio=time_ratio,
        factor=rows / base,
        counted=linear(rows),
        launches=1.0,
    )
    return trial_of(varied, linear(base), 1.0, RATES)


def test_the_seeds_self_test() -> None:
    """Seed 001, self-test 1: batch 8 to 64, 10 ms to 11 ms: not compute; no more can be told."""
    trial = grown(8, 64, 1.1)
    assert excluded(trial) == {COMPUTE}
    assert fitting(trial) == {MEMORY, OVERHEAD}


def test_a_time_that_doubles_with_the_batch_while_the_bytes_do_not_is_compute() -> None:
    """Seed 001: batch twice, time twice: compute."""
    assert fitting(grown(512, 1024, 1.95)) == {COMPUTE}


def test_a_better_kernel_at_a_larger_batch_is_still_compute() -> None:
    assert fitting(grown(64, 512, 5.5)) == {COMPUTE}


def test_what_grows_in_step_with_its_bytes_is_not_called_compute() -> None:
    """An elementwise operator's time doubles with the batch as well: its bytes do."""
    trial = Trial(
        what="batch 2 to 4", time_ratio=2.0, compute_ratio=2.0, memory_ratio=2.0, overhead_ratio=1.0
    )
    assert fitting(trial) == {COMPUTE, MEMORY}
    assert excluded(trial) == {OVERHEAD}


def test_time_that_does_not_move_while_all_work_grows_is_overhead() -> None:
    """Seed 001: ten times the batch, the same time: every kernel is short."""
    trial = Trial(
        what="n", time_ratio=1.02, compute_ratio=10.0, memory_ratio=10.0, overhead_ratio=1.0
    )
    assert fitting(trial) == {OVERHEAD}


def test_half_the_bytes_in_half_the_time_is_memory() -> None:
    """Seed 001: fp32 to fp16, about twice as fast: moving. Tensor cores would be faster still."""
    varied = Varied(
        what="fp32 to fp16", time_ratio=0.52, factor=None, counted=linear(1), launches=1.0
    )
    trial = trial_of(varied, linear(1, "fp32", 4), 1.0, RATES)
    assert trial.memory_ratio == pytest.approx(0.5)
    assert trial.compute_ratio == pytest.approx(19.5 / 312)
    assert fitting(trial) == {MEMORY}


def test_a_loop_that_grows_is_seen_in_the_number_of_operators() -> None:
    base = (Counted(op="add_", calls=10, flop=64, bytes=512, peak_key="fp32"),)
    more = (Counted(op="add_", calls=80, flop=64, bytes=512, peak_key="fp32"),)
    varied = Varied(what="n 10 to 80", time_ratio=8.0, factor=8.0, counted=more, launches=80.0)
    assert fitting(trial_of(varied, base, 10.0, RATES)) == frozenset()  # all three predict eight


@pytest.mark.parametrize("ratio", [0.1, 4.0, 30.0])
def test_a_time_that_follows_nothing_tells_nothing(ratio: float) -> None:
    trial = Trial(
        what="b", time_ratio=ratio, compute_ratio=1.5, memory_ratio=1.0, overhead_ratio=1.0
    )
    assert fitting(trial) == frozenset()
    assert excluded(trial) == frozenset()


def test_between_two_predictions_both_stay() -> None:
    trial = Trial(what="b", time_ratio=1.4, compute_ratio=2.0, memory_ratio=1.0, overhead_ratio=1.0)
    assert fitting(trial) == {COMPUTE, MEMORY, OVERHEAD}


def test_where_no_operator_shows_its_work_flop_follow_the_argument() -> None:
    """The seed's own rule; of the bytes nothing is known, so nothing is said of them."""
    varied = Varied(what="batch 8 to 64", time_ratio=1.1, factor=8.0, counted=(), launches=3.0)
    trial = trial_of(varied, (), 3.0, RATES)
    assert trial.predicted == {COMPUTE: 8.0, OVERHEAD: 1.0}
    assert excluded(trial) == {COMPUTE}


def test_a_peak_that_is_unknown_predicts_nothing() -> None:
    varied = Varied(
        what="fp16 to fp64",
        time_ratio=4.0,
        factor=None,
        counted=linear(64, "fp64", 8),
        launches=1.0,
    )
    trial = trial_of(varied, linear(64), 1.0, RATES)
    assert trial.compute_ratio is None
    assert trial.memory_ratio == pytest.approx(4.0)
