"""A held probe through time, from its series or from telemetry."""

from __future__ import annotations

import pytest

from roofwatch.session.events import Sample, Series, SessionInfo
from roofwatch.session.fold import Session, fold
from roofwatch.session.held import held_begin_s, held_clocks, held_rates
from roofwatch.session.rates import tflops

PROBE = "matmul-bf16-sustained"


def test_the_rate_falls_and_settles_at_the_measured_figure(full: Session) -> None:
    m = next(m for m in full.measurements if m.probe == PROBE)
    rates = held_rates(full, PROBE, 1, True, parts=5)
    assert len(rates) > 150
    moments = [t for t, _ in rates]
    assert moments == sorted(moments)
    assert 0 < moments[0] < 0.1
    assert 9.5 < moments[-1] < 10.5
    assert rates[0][1] > 1.1 * tflops(m)
    settled = [rate for t, rate in rates if t > 3]
    assert sum(settled) / len(settled) == pytest.approx(tflops(m), rel=0.01)
    assert len(held_rates(full, PROBE, 1, True)) < len(rates) / 4


def test_a_held_stream_has_gigabytes_a_second(full: Session) -> None:
    rates = [rate for _, rate in held_rates(full, "triad-fp16-sustained", 1, False)]
    assert min(rates) > 4300
    assert max(rates) < 4500


def test_the_clock_is_the_devices_own_where_it_was_read(full: Session, h200: Session) -> None:
    read, on_device = held_clocks(full, PROBE, 1)
    assert on_device
    assert len(read) > 1000
    told, on_device = held_clocks(h200, PROBE, 1)
    assert not on_device
    assert 10 < len(told) < 60


def test_nothing_told_is_nothing_drawn(h200: Session) -> None:
    assert held_rates(h200, "matmul-bf16", 1, True) == []
    assert held_rates(h200, PROBE, 2, True) == []
    assert held_clocks(h200, "matmul-bf16", 1) == ([], False)
    assert held_begin_s(h200, "matmul-bf16", 1) is None


def test_series_out_of_order_and_without_their_work() -> None:
    later = Series(t=3.0, probe="x", t0=2.0, times_s=[0.1, 0.1], flop=1e12)
    first = Series(t=2.0, probe="x", t0=1.0, times_s=[0.1], flop=1e12)
    silent = Series(t=4.0, probe="x", t0=3.0, times_s=[0.1])
    session = fold([SessionInfo(t=0.0), later, first, silent])
    rates = held_rates(session, "x", 1, True)
    assert [t for t, _ in rates] == pytest.approx([0.05, 1.1])
    assert [r for _, r in rates] == pytest.approx([10.0, 10.0])
    assert held_rates(session, "x", 1, False) == []
    assert held_begin_s(session, "x", 1) == 1.0


def test_a_clock_of_zero_is_none() -> None:
    def sample(t: float, mhz: float | None) -> Sample:
        names = ("mem_mhz", "power_w", "power_instant_w", "temp_c", "mem_used_bytes", "util")
        return Sample(t=t, gpu=0, sm_mhz=mhz, reasons=None, **dict.fromkeys(names))

    series = Series(t=2.0, probe="x", t0=1.0, times_s=[1.0], flop=1e12)
    samples = [sample(1.2, 0.0), sample(1.4, None), sample(1.6, 1500.0)]
    session = fold([SessionInfo(t=0.0), series, *samples])
    clocks, _ = held_clocks(session, "x", 1)
    assert clocks == [(pytest.approx(0.6), 1500.0)]
