"""How a sustained run becomes repetitions."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

import itertools

from roofwatch.probes.sustained import launches_cpu, settle
from roofwatch.roofline.statistics import median


def test_the_window_leaves_the_fall_out() -> None:
    times = [1e-3] * 40 + [1.2e-3] * 3000
    timed = settle(100.0, times, "event")
    assert median(timed.times_s) == pytest.approx(1.2e-3)
    assert timed.begin_s == pytest.approx(102.04, abs=0.002)
    assert timed.end_s == pytest.approx(100 + sum(times))
    assert len(timed.times_s) >= 10


def test_a_slow_device_repeats_by_launch() -> None:
    timed = settle(0.0, [0.5] * 6, "host")
    assert len(timed.times_s) >= 3


def test_cpu_launches_come_in_chunks_that_follow_each_other() -> None:
    chunks = list(launches_cpu(lambda: sum(range(20000)), 0.6, 1e-3, lambda: False))
    assert len(chunks) >= 2
    for (t0, times), (t1, _) in itertools.pairwise(chunks):
        assert t0 + sum(times) == pytest.approx(t1, abs=1e-6)


def test_a_stop_is_heard_between_launches() -> None:
    assert list(launches_cpu(lambda: None, 5.0, 1e-3, lambda: True)) == []
