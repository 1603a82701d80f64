"""Onset of a fall in per-launch times, and where the sustained window begins."""

from __future__ import annotations

import pytest

from roofwatch.roofline.onset import onset_s, window_begin_s


def test_a_staircase_like_the_h200s() -> None:
    times = [1e-3] * 40 + [1.18e-3] * 3000
    assert onset_s(times) == pytest.approx(0.040)
    assert window_begin_s(times) == pytest.approx(2.040)


def test_two_slow_launches_are_not_a_fall() -> None:
    assert onset_s([1e-3] * 20 + [2e-3] * 2 + [1e-3] * 100) is None


def test_a_level_run_begins_its_window_after_two_seconds() -> None:
    assert window_begin_s([1e-3] * 5000) == pytest.approx(2.0)


def test_a_short_run_still_has_a_window() -> None:
    assert window_begin_s([0.1] * 12) == pytest.approx(0.8)


def test_launches_longer_than_the_cold_stretch() -> None:
    assert onset_s([0.05] * 4 + [0.06] * 3) == pytest.approx(0.2)


def test_nothing_ran() -> None:
    assert onset_s([]) is None
