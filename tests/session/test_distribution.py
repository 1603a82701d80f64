"""How repeated times are spread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.statistics import iqr, median
from roofwatch.session.distribution import counts, distribution

TIMES = st.lists(st.floats(1e-9, 1e6), min_size=1, max_size=200)


@given(TIMES)
def test_quartiles_stand_in_their_order(times: list[float]) -> None:
    d = distribution(times)
    tolerance = 1e-9 * d.greatest_s
    assert d.least_s <= d.lower_s + tolerance
    assert d.lower_s <= d.median_s + tolerance
    assert d.median_s <= d.upper_s + tolerance
    assert d.upper_s <= d.greatest_s + tolerance
    assert (d.n, d.median_s, d.iqr_s) == (len(times), median(times), iqr(times))


@given(TIMES, st.integers(1, 80))
def test_every_time_is_counted_once(times: list[float], bins: int) -> None:
    found = counts(times, (min(times), max(times)), bins)
    assert len(found) == bins
    assert sum(found) == len(times)
    if max(times) > min(times):
        assert found[0] > 0
        assert found[-1] > 0


def test_equal_times_fall_into_one_bin() -> None:
    assert counts([2.0] * 5, (2.0, 2.0), 4) == [0, 0, 5, 0]
    assert counts([0.0, 9.0], (1.0, 2.0), 2) == [1, 1]


def test_two_modes_and_a_drift_need_enough_times() -> None:
    two = [1.0, 2.0] * 20
    seen = distribution(two)
    assert seen.modes is not None
    assert seen.modes.slow == 2.0
    few = distribution(two[:10])
    assert few.modes is None
    assert few.drift is None
    rising = distribution([1.0 + 0.1 * i for i in range(30)])
    assert rising.drift == pytest.approx(20 * 0.1 / (1.0 + 0.1 * 4.5), rel=0.01)
