"""The conventions of nccl-tests."""

from __future__ import annotations

import pytest

from roofwatch.roofline.collectives import OPS, algorithm_gbs, bus_factor, bus_gbs


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
