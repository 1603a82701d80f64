"""The price of a low clock by a saved roofline: a line between the burst's and the held clock."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.replay import Replay
from roofwatch.session.saved_session import Saved
from roofwatch.session.watch.throttle_cost import ClockRoof, clock_roof, throttle_cost

ROOF = ClockRoof(
    peak_key="bf16", burst_mhz=1900.0, burst_tflops=820.0, held_mhz=1450.0, held_tflops=660.0
)


@pytest.mark.parametrize(
    ("mhz", "tflops"),
    [(1980, 820.0), (1900, 820.0), (1675, 740.0), (1450, 660.0), (725, 330.0), (0, 0.0)],
)
def test_the_roof_at_a_clock(mhz: float, tflops: float) -> None:
    assert ROOF.at(mhz) == pytest.approx(tflops)


def test_without_a_held_roof_it_falls_with_the_clock() -> None:
    alone = ClockRoof(peak_key="bf16", burst_mhz=2000.0, burst_tflops=800.0)
    assert alone.at(1500) == pytest.approx(600.0)


def test_the_h200s_own_roofs(h200_file: Path) -> None:
    roof = clock_roof(Replay(h200_file).session)
    assert roof is not None
    assert roof.peak_key == "bf16"
    assert roof.held_mhz is not None
    assert roof.held_mhz < 1600 < 1800 < roof.burst_mhz
    assert roof.at(roof.held_mhz) == pytest.approx(roof.held_tflops)


def test_the_cost_is_the_mean_under_the_limit(h200_file: Path) -> None:
    session = Replay(h200_file).session
    roof = clock_roof(session)
    assert roof is not None
    cost = throttle_cost({1455: 6.0, 1500: 2.0}, 10.0, Saved(h200_file, session, own=True))
    assert cost is not None
    lost = 6.0 * (roof.burst_tflops - roof.at(1455)) + 2.0 * (roof.burst_tflops - roof.at(1500))
    assert cost.tflops == pytest.approx(lost / 8.0)
    assert cost.share == pytest.approx(lost / 8.0 / roof.burst_tflops)
    assert cost.of_all == pytest.approx(lost / 10.0 / roof.burst_tflops)
    assert cost.limited_mhz == pytest.approx((6 * 1455 + 2 * 1500) / 8)
    assert (cost.limited_s, cost.own, cost.measured_at) == (8.0, True, session.started_at)
    assert 120 < cost.tflops < 200  # what screens.md shows of such a card: some 160


def test_no_limit_and_no_roof_have_no_price(h200_file: Path) -> None:
    saved = Saved(h200_file, Replay(h200_file).session, own=True)
    assert throttle_cost({}, 10.0, saved) is None
    assert throttle_cost({1455: 6.0}, 10.0, None) is None
