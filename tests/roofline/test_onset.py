"""Onset of a fall in per-launch times, and where the sustained window begins."""

from __future__ import annotations

import pytest

from roofwatch.roofline.onset import clock_onset_s, onset_s, window_begin_s


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
    assert clock_onset_s([]) is None


def readings(*mhz: float, every_s: float = 0.005) -> list[tuple[float, float]]:
    return [(i * every_s, value) for i, value in enumerate(mhz)]


def test_the_clock_falls_at_the_first_of_three_low_readings() -> None:
    assert clock_onset_s(readings(*[1980] * 8, *[1500] * 100)) == pytest.approx(0.040)


def test_two_low_readings_are_not_a_fall_of_the_clock() -> None:
    assert clock_onset_s(readings(*[1980] * 5, 1500, 1500, *[1980] * 20)) is None
    assert clock_onset_s(readings(*[1980] * 5, 1500, 1500)) is None


def test_a_fall_counts_anew_after_a_high_reading() -> None:
    mhz = [1980] * 4 + [1500, 1500, 1980, 1500, 1500, 1500]
    assert clock_onset_s(readings(*mhz)) == pytest.approx(7 * 0.005)


def test_three_per_cent_is_the_clocks_own_wandering() -> None:
    assert clock_onset_s(readings(*[2000] * 4, *[1941] * 20)) is None
    assert clock_onset_s(readings(*[2000] * 4, *[1939] * 20)) == pytest.approx(0.020)


def test_a_level_or_rising_clock_never_falls() -> None:
    assert clock_onset_s(readings(*[1980] * 50)) is None
    assert clock_onset_s(readings(*range(1200, 2000, 10))) is None


def test_one_strange_first_reading_does_not_set_the_start() -> None:
    # The start is a median of the first 10 ms: one reading of three may be off.
    assert clock_onset_s(readings(2600, 1980, 1980, *[1975] * 50, every_s=0.003)) is None


def test_readings_that_come_late_start_with_their_first() -> None:
    late = [(0.5 + 0.1 * i, mhz) for i, mhz in enumerate([1980, 1980, 1500, 1500, 1500])]
    assert clock_onset_s(late) == pytest.approx(0.7)
