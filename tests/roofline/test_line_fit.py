"""A line through times of sizes: latency and rate, of what collectives and copies take."""

from __future__ import annotations

import pytest

from roofwatch.roofline.line_fit import line_fit

SIZES = [8**k for k in range(1, 11)]


def test_a_line_is_found_again() -> None:
    found = line_fit(SIZES, [12e-6 + size / 200e9 for size in SIZES])
    assert found is not None
    assert found.alpha_s == pytest.approx(12e-6, rel=1e-6)
    assert found.beta_gbs == pytest.approx(200, rel=1e-6)
    assert found.worst < 1e-6


def test_one_point_far_off_moves_the_line_little_and_is_told_as_the_worst() -> None:
    times_s = [12e-6 + size / 200e9 for size in SIZES]
    times_s[4] *= 3
    found = line_fit(SIZES, times_s)
    assert found is not None
    assert found.alpha_s == pytest.approx(12e-6, rel=0.02)
    assert found.beta_gbs == pytest.approx(200, rel=0.02)
    assert found.residual < 0.02
    assert found.worst == pytest.approx(2 / 3, abs=0.02)


def test_neither_term_is_negative_and_few_points_give_none() -> None:
    falling = line_fit([8, 64, 512], [3e-6, 2e-6, 1e-6])
    assert falling is not None
    assert falling.beta_gbs is None
    assert falling.alpha_s > 0
    through = line_fit([1000, 2000, 4000], [0.9e-6, 2e-6, 4.2e-6])
    assert through is not None
    assert through.alpha_s == 0
    assert line_fit([8, 64], [1e-6, 2e-6]) is None


def test_a_gigabyte_does_not_drown_the_small_sizes() -> None:
    """A twentieth more for the largest moves a plain line's latency by milliseconds."""
    sizes = [1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 30]
    found = line_fit(sizes, [*(8e-6 + n / 55e9 for n in sizes[:-1]), 1.05 * sizes[-1] / 55e9])
    assert found is not None
    assert found.alpha_s == pytest.approx(8e-6, rel=0.1)


def test_where_the_line_would_begin_below_nothing_the_rate_is_that_of_one_through_it() -> None:
    """Sizes that are faster when small: a slope beside a latency that was cut off is no rate."""
    sizes = [1 << 20, 1 << 25, 1 << 30]
    found = line_fit(sizes, [n / 100e9 * (1 + n / 4e9) for n in sizes])
    assert found is not None
    assert found.alpha_s == 0
    assert found.beta_gbs is not None
    assert 100 / (1 + sizes[-1] / 4e9) <= found.beta_gbs <= 100


def test_three_times_of_one_size_are_no_line() -> None:
    assert line_fit([8, 8, 8], [1e-6, 2e-6, 3e-6]) is None
    assert line_fit([1e6, 2e6], [1e-3, 2e-3]) is None
    assert line_fit([1e6, 2e6, 4e6], [0.0, 2e-3, 4e-3]) is None
