"""Sums over a stretch: what each reading holds for, energy by two ways, counters, rests."""

from __future__ import annotations

import itertools

import pytest

from roofwatch.roofline.reasons import IDLE, POWER_CAP
from roofwatch.session.samples import Samples
from roofwatch.session.watch.tally import GAP_S, energy_j, tally


def of(samples):
    kept = Samples()
    for sample in samples:
        kept.append(sample)
    return kept


def ticks(read, seconds, hz=10, **fields):
    return [read(k / hz, **fields) for k in range(round(seconds * hz) + 1)]


def test_a_reading_holds_until_the_next(read):
    seen = tally(of([read(0.0), read(1.0, sm_mhz=1500.0), read(1.5), read(2.0)]), 0.0, 9.0)
    assert seen.clock_s == {1980: 1.5, 1500: 0.5}
    assert (seen.read_s, seen.unread_s, seen.samples) == (2.0, 0.0, 4)


def test_a_gap_is_not_read_over(read):
    seen = tally(of([read(0.0), read(10.0), read(11.0)]), 0.0, 11.0)
    assert seen.read_s == GAP_S + 1.0
    assert seen.unread_s == pytest.approx(8.0)
    assert seen.energy_j == pytest.approx(400.0 * 3.0)


def test_only_what_lies_inside_counts(read):
    seen = tally(of(ticks(read, 10)), 2.0, 5.0)
    assert (seen.begin_s, seen.end_s) == (2.0, 5.0)
    assert seen.read_s == pytest.approx(3.0)


def test_power_is_the_instant_one_and_else_the_average(read):
    rising = [read(0.0, power_instant_w=100.0), read(1.0, power_instant_w=300.0)]
    assert tally(of(rising), 0.0, 1.0).energy_j == 200.0
    averaged = [read(k, power_instant_w=None, power_w=150.0) for k in range(3)]
    seen = tally(of(averaged), 0.0, 2.0)
    assert (seen.energy_j, seen.power_max_w) == (300.0, 150.0)
    silent = [read(k, power_instant_w=None, power_w=None) for k in range(3)]
    seen = tally(of(silent), 0.0, 2.0)
    assert (seen.power_s, seen.energy_j, seen.power_max_w) == (0.0, 0.0, None)


def test_the_counter_is_held_against_the_very_seconds_it_covers(read):
    samples = [read(k / 10, energy_j=1000.0 + 40.0 * k if k % 10 == 3 else None) for k in range(41)]
    seen = tally(of(samples), 0.0, 4.0)
    assert seen.counter_s == pytest.approx(3.0)  # from 0.3 to 3.3
    assert seen.counter_j == pytest.approx(1200.0)
    assert seen.beside_j == pytest.approx(1200.0)
    assert seen.energy_j == pytest.approx(1600.0)


def test_a_counter_that_was_set_back_counts_nothing(read):
    seen = tally(of([read(0.0, energy_j=500.0), read(1.0, energy_j=3.0)]), 0.0, 1.0)
    assert (seen.counter_j, seen.counter_s) == (None, 0.0)
    counted = [read(0.0, counters={"power_cap": 9}), read(1.0, counters={"power_cap": 4})]
    assert tally(of(counted), 0.0, 1.0).counters_ns == {"power_cap": 0}


def test_rest_is_what_lies_between_work(read):
    busy, rest = {"util": 0.9}, {"util": 0.0}
    plan = [rest] * 10 + [busy] * 20 + [rest] * 5 + [busy] * 10 + [rest] * 30
    seen = tally(of([read(k / 10, **fields) for k, fields in enumerate(plan)]), 0.0, 99.0)
    assert seen.work_s == pytest.approx(3.5)
    assert seen.starved_s == pytest.approx(0.5)


def test_without_utilisation_the_idle_bit_tells(read):
    masks = [IDLE, 0, POWER_CAP, IDLE, IDLE, 0, 0, IDLE]
    seen = tally(of([read(k, util=None, reasons=mask) for k, mask in enumerate(masks)]), 0.0, 99.0)
    assert (seen.work_s, seen.starved_s) == (6.0, 2.0)
    blind = tally(of([read(k, util=None, reasons=None) for k in range(5)]), 0.0, 99.0)
    assert (blind.work_s, blind.starved_s, blind.reasons_read_s) == (0.0, 0.0, 0.0)


def test_clocks_under_a_limit_stand_apart(read):
    samples = [read(0.0, reasons=POWER_CAP, sm_mhz=1455.0), read(1.0, reasons=IDLE), read(2.0)]
    seen = tally(of(samples), 0.0, 2.0)
    assert seen.limited_clock_s == {1455: 1.0}
    assert seen.reasons_s == {POWER_CAP: 1.0, IDLE: 1.0}


def test_what_was_never_read_has_its_status(read):
    silent = [read(k, temp_c=None, status={"temp_c": "not_supported"}) for k in range(3)]
    seen = tally(of(silent), 0.0, 2.0)
    assert seen.temp_max_c is None
    assert seen.status == {"temp_c": "not_supported"}


def test_one_reading_or_none_is_no_sum(read):
    assert tally(of([]), 0.0, 1.0).samples == 0
    alone = tally(of([read(0.5)]), 0.0, 1.0)
    assert (alone.samples, alone.read_s, alone.clock_s) == (1, 0.0, {})


def test_energy_reaches_to_the_edges(read):
    steady = of(ticks(read, 3, power_instant_w=720.0))
    assert energy_j(steady, 1.05, 1.20) == pytest.approx((108.0, 0.15))
    assert energy_j(steady, 0.0, 3.0) == pytest.approx((2160.0, 3.0))
    rising = of([read(0.0, power_instant_w=100.0), read(1.0, power_instant_w=300.0)])
    assert energy_j(rising, 0.25, 0.75) == pytest.approx((100.0, 0.5))
    assert energy_j(rising, -0.5, 1.5) == pytest.approx((200.0 + 50.0 + 150.0, 2.0))
    assert energy_j(of([read(0.0), read(9.0)]), 0.0, 9.0) == (0.0, 0.0)  # nobody looked
    assert energy_j(of([]), 0.0, 1.0) == (0.0, 0.0)


def test_parts_make_up_the_whole(read):
    kept = of([read(k / 10, power_instant_w=100.0 + 7 * (k % 9)) for k in range(101)])
    edges = [0.0, 0.33, 0.41, 2.0, 2.05, 7.77, 10.0]
    parts = sum(energy_j(kept, a, b)[0] for a, b in itertools.pairwise(edges))
    assert parts == pytest.approx(energy_j(kept, 0.0, 10.0)[0])
