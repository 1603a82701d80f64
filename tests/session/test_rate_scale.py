"""TFLOP/s, and GFLOP/s where a session's figures would have no digits."""

from __future__ import annotations

from roofwatch.session.events import Device, Expect, SessionInfo
from roofwatch.session.fold import Session, fold
from roofwatch.session.rate_scale import RateScale, rate_scale, scaled
from roofwatch.session.table import ProbeRow


def expecting(low: float) -> Session:
    device = Device(kind="cpu", name="a CPU", core_count=2)
    return fold(
        [
            SessionInfo(t=0.0, instrument="telemetry", device=device),
            Expect(t=0.1, probe="matmul-fp32", low=low, high=9.0, unit="TFLOP/s", why="", run=1),
            Expect(t=0.1, probe="add_scalar-fp32", low=6.0, high=60.0, unit="GB/s", why="", run=1),
        ]
    )


def test_a_slow_device_is_told_in_gflops(h200: Session) -> None:
    assert rate_scale(expecting(0.08)) == RateScale(1e3)
    assert rate_scale(expecting(5.0)) == RateScale()
    assert rate_scale(h200) == RateScale()
    assert rate_scale(Session()) == RateScale()


def test_a_row_is_told_in_one_unit() -> None:
    row = ProbeRow(probe="m", label="m", unit="TFLOP/s", state="done", low=0.08, measured=0.046)
    told = scaled(row, RateScale(1e3))
    assert (told.unit, told.low, told.high, told.measured) == ("GFLOP/s", 80.0, None, 46.0)
    assert scaled(row, RateScale()) == row
    stream = ProbeRow(probe="s", label="s", unit="GB/s", state="done", measured=23.0)
    assert scaled(stream, RateScale(1e3)) == stream
