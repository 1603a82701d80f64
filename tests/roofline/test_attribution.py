"""Where the rest went: signed terms that add up to what was measured."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from roofwatch.roofline.attribution import (
    Attribution,
    attribute,
    attribute_bandwidth,
    wave_share,
)

rates = st.floats(0.01, 1e5)
clocks = st.floats(100, 5000)
sides = st.integers(1, 40_000)
tiles = st.sampled_from([(64, 64), (64, 8), (128, 128), (128, 256), (256, 128), (192, 192)])

H200 = {"nominal_tflops": 989.4, "nominal_mhz": 1830.0}


@given(measured=rates, nominal=rates, mhz=clocks, nominal_mhz=clocks, share=st.floats(0.01, 1))
def test_the_terms_add_up_to_what_was_measured(
    measured: float, nominal: float, mhz: float, nominal_mhz: float, share: float
) -> None:
    found = attribute(measured, nominal, mhz, nominal_mhz, share)
    largest = max(nominal, nominal * mhz / nominal_mhz, measured)
    total = found.nominal + found.clock + found.waves + found.remainder
    assert total == pytest.approx(measured, abs=1e-12 * largest)
    assert found.waves <= 0
    assert found.efficiency == pytest.approx(
        measured / (nominal * mhz / nominal_mhz * share), rel=1e-6, abs=1e-9 * largest
    )


@given(measured=rates, nominal=rates, clocked=rates, read=st.none() | rates)
def test_the_terms_of_the_slope_add_up_as_well(
    measured: float, nominal: float, clocked: float, read: float | None
) -> None:
    found = attribute_bandwidth(measured, nominal, clocked, read)
    total = found.nominal + found.clock + found.turnaround + found.remainder
    assert total == pytest.approx(measured, abs=1e-12 * max(measured, nominal, clocked, read or 0))
    assert found.turnaround <= 0


def test_the_h200_of_day_17() -> None:
    found = attribute(660, sm_mhz=1455, share=512 / 528, **H200)
    at_clock = found.nominal + found.clock
    assert at_clock == pytest.approx(787, abs=0.5)
    assert found.clock == pytest.approx(-203, abs=0.5)
    assert found.waves == pytest.approx(-787 / 33, abs=0.1)
    assert found.remainder == pytest.approx(660 - 787 * 512 / 528, abs=0.5)
    assert found.efficiency == pytest.approx(660 / 763, abs=0.001)


def test_whole_waves_lose_nothing_to_waves() -> None:
    found = attribute(660, sm_mhz=1455, share=1.0, **H200)
    assert found.waves == 0
    assert found.efficiency == pytest.approx(0.839, abs=0.001)


def test_a_burst_above_the_datasheets_clock_gains() -> None:
    found = attribute(840, sm_mhz=1980, share=1.0, **H200)
    assert found.clock == pytest.approx(989.4 * 150 / 1830)
    assert found.clock > 0 > found.remainder
    assert found.of_nominal()["clock"] == pytest.approx(150 / 1830)


def test_shares_of_nominal_leave_what_was_measured() -> None:
    found = attribute(660, sm_mhz=1455, share=512 / 528, **H200)
    shares = found.of_nominal()
    assert list(shares) == ["clock", "waves", "remainder"]
    assert 1 + sum(shares.values()) == pytest.approx(660 / 989.4)


def test_a_kernel_without_loss_is_all_efficiency() -> None:
    perfect = Attribution(nominal=100.0, clock=-10.0, waves=-5.0, remainder=0.0)
    assert perfect.efficiency == 1


def test_4096_in_tiles_of_256x128_on_132_sms_is_3_88_waves() -> None:
    assert pytest.approx(3.88, abs=0.005) == 4096 * 4096 / (256 * 128) / 132
    assert wave_share(4096, 4096, (256, 128), 132) == 512 / 528


@pytest.mark.parametrize(("rows", "columns"), [(1, 132), (12, 11), (33, 16), (66, 8)])
def test_whole_waves_fill_every_slot(rows: int, columns: int) -> None:
    assert wave_share(rows * 128, columns * 256, (128, 256), 132) == 1


def test_a_tile_that_hangs_over_the_edge_is_a_whole_one() -> None:
    assert wave_share(129, 256, (128, 256), 4) == 0.5
    assert wave_share(1, 1, (128, 256), 132) == 1 / 132


@given(m=sides, n=sides, tile=tiles, units=st.integers(1, 200))
def test_a_share_is_a_share_and_repeats_with_the_wave(
    m: int, n: int, tile: tuple[int, int], units: int
) -> None:
    share = wave_share(m, n, tile, units)
    assert 0 < share <= 1
    assert wave_share(m, n, tile, 1) == 1
    assert wave_share(m, units * tile[1], tile, units) == 1


def test_what_a_read_only_stream_reaches_more_is_turnaround() -> None:
    found = attribute_bandwidth(4411, 4800, 4814, 4481)
    assert found.clock == 14  # the datasheet rounds down
    assert found.turnaround == -70
    assert found.remainder == pytest.approx(4481 - 4814)


def test_a_slower_read_only_stream_tells_nothing_of_turnaround() -> None:
    found = attribute_bandwidth(4411, 4800, 4814, 4300)
    assert found.turnaround == 0
    assert found.remainder == pytest.approx(4411 - 4814)
    assert attribute_bandwidth(4411, 4800, 4814, None) == found
