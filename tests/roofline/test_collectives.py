"""The conventions of nccl-tests, and the line through times of sizes."""

from __future__ import annotations

import pytest

from roofwatch.roofline.collectives import OPS, algorithm_gbs, bus_factor, bus_gbs, fit

SIZES = [8**k for k in range(1, 11)]


@pytest.mark.parametrize(
    ("op", "two", "eight"),
    [
        ("all_reduce", 1.0, 1.75),
        ("all_gather", 0.5, 0.875),
        ("reduce_scatter", 0.5, 0.875),
        ("all_to_all", 0.5, 0.875),
        ("broadcast", 1.0, 1.0),
    ],
)
def test_bus_factors_are_those_of_nccl_tests(op: str, two: float, eight: float) -> None:
    assert (bus_factor(op, 2), bus_factor(op, 8)) == (two, eight)


@pytest.mark.parametrize(("cards", "factor"), [(1, 0), (2, 1), (4, 1.5), (8, 1.75), (1024, 1.998)])
def test_a_rings_all_reduce_sends_nearly_twice_its_bytes(cards: int, factor: float) -> None:
    assert bus_factor("all_reduce", cards) == pytest.approx(factor, abs=1e-3)


def test_a_collective_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="'gossip' is none of all_reduce"):
        bus_factor("gossip", 8)


def test_the_bus_bandwidth_of_an_all_reduce_of_one_gib() -> None:
    """nccl-tests prints for 8 H100s: 1 GiB in 4.2 ms is 256 GB/s, of the bus 447 GB/s."""
    assert algorithm_gbs(1 << 30, 4.2e-3) == pytest.approx(255.7, abs=0.1)
    assert bus_gbs("all_reduce", 8, 1 << 30, 4.2e-3) == pytest.approx(447.4, abs=0.1)
    assert len(OPS) == 5


def test_a_line_is_found_again() -> None:
    found = fit(SIZES, [12e-6 + size / 200e9 for size in SIZES])
    assert found is not None
    assert found.alpha_s == pytest.approx(12e-6, rel=1e-6)
    assert found.beta_gbs == pytest.approx(200, rel=1e-6)
    assert found.worst < 1e-6


def test_one_point_far_off_moves_the_line_little_and_is_told_as_the_worst() -> None:
    times_s = [12e-6 + size / 200e9 for size in SIZES]
    times_s[4] *= 3
    found = fit(SIZES, times_s)
    assert found is not None
    assert found.alpha_s == pytest.approx(12e-6, rel=0.02)
    assert found.beta_gbs == pytest.approx(200, rel=0.02)
    assert found.residual < 0.02
    assert found.worst == pytest.approx(2 / 3, abs=0.02)


def test_neither_term_is_negative_and_few_points_give_none() -> None:
    falling = fit([8, 64, 512], [3e-6, 2e-6, 1e-6])
    assert falling is not None
    assert falling.beta_gbs is None
    assert falling.alpha_s > 0
    through = fit([1000, 2000, 4000], [0.9e-6, 2e-6, 4.2e-6])
    assert through is not None
    assert through.alpha_s == 0
    assert fit([8, 64], [1e-6, 2e-6]) is None
