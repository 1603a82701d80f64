"""What links carry, and what a copy should reach."""

from __future__ import annotations

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.roofline.links import expected_transfer, host_link_gbs, pcie_gbs
from roofwatch.roofline.lookup import Nominal
from roofwatch.roofline.probe_spec import PAGEABLE, PINNED, transfer_spec
from roofwatch.roofline.suite import LINKS, suite
from roofwatch.session.cards import packaged_cards

CARDS = Cards(packaged_cards())
BARE = Nominal(origin="derived", name="X", vendor="NVIDIA")


def card(name: str) -> Nominal:
    return CARDS.nominal(next(c for c in packaged_cards() if c.key == name))


@pytest.mark.parametrize(
    ("generation", "lanes", "gbs"),
    [(1, 16, 4.0), (3, 16, 15.75), (4, 16, 31.5), (5, 16, 63.0), (5, 8, 31.5), (6, 16, 121.0)],
)
def test_pcie_carries_lanes_times_a_lane(generation: int, lanes: int, gbs: float) -> None:
    """8, 16 and 32 GT/s with 128b/130b are 0.985, 1.969 and 3.938 GB/s a lane (PCI-SIG)."""
    assert pcie_gbs(generation, lanes) == pytest.approx(gbs, rel=1e-3)


def test_what_is_not_told_carries_nothing_that_is_known() -> None:
    assert pcie_gbs(None, 16) is pcie_gbs(5, None) is pcie_gbs(9, 16) is None


def test_the_link_as_sold_goes_before_what_the_driver_reports() -> None:
    assert host_link_gbs(card("h200-sxm-141"), 4, 8) == pytest.approx(63.0, rel=1e-3)
    assert host_link_gbs(BARE, 4, 8) == pytest.approx(15.75, rel=1e-3)
    assert host_link_gbs(BARE, None, None) is None
    assert host_link_gbs(card("gh200-96"), 5, 16) == 450.0


@pytest.mark.parametrize(
    ("op", "memory", "seen_gbs"),
    [("h2d", PINNED, 55.4), ("d2h", PINNED, 55.3), ("h2d", PAGEABLE, 19.4), ("duplex", PINNED, 95)],
)
def test_an_h200s_copies_lie_where_they_were_expected(
    op: str, memory: str, seen_gbs: float
) -> None:
    found = expected_transfer(transfer_spec(op, memory), card("h200-sxm-141"), None, None)
    assert found is not None
    assert found.low < seen_gbs < found.high
    assert found.unit == "GB/s"


def test_a_pinned_copy_at_a_pageable_rate_lies_outside() -> None:
    found = expected_transfer(transfer_spec("h2d", PINNED), card("h200-sxm-141"), None, None)
    assert found is not None
    assert found.low > 19.4


def test_a_card_that_nobody_knows_is_judged_by_what_the_driver_reports() -> None:
    found = expected_transfer(transfer_spec("h2d", PINNED), BARE, 4, 16)
    assert found is not None
    assert found.low == pytest.approx(0.75 * 31.5, rel=1e-3)
    assert expected_transfer(transfer_spec("h2d", PINNED), BARE, None, None) is None


def test_the_suite_is_alike_on_card_and_cpu() -> None:
    keys = [s.key for s in suite(LINKS, "cuda", "9.0")]
    assert keys == [s.key for s in suite(LINKS, "cpu")]
    assert keys[:3] == ["h2d-pinned", "d2h-pinned", "duplex-pinned"]
    assert keys[-3:] == ["transfers", "peers", "memcpy"]
    assert [s.label for s in suite(LINKS, "cuda", "9.0")][3] == "h2d pageable"
