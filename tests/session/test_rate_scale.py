"""TFLOP/s, and GFLOP/s where a session's figures would have no digits."""

from __future__ import annotations

from pathlib import Path

import pytest

from roofwatch.session.events import Device, Expect, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.rate_scale import RateScale, rate_scale, scaled
from roofwatch.session.table import ProbeRow
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.report import report

SESSIONS = Path(__file__).parent.parent / "sessions"


def expecting(low: float) -> Session:
    device = Device(kind="cpu", name="a CPU", core_count=2)
    return fold(
        [
            SessionInfo(t=0.0, instrument="telemetry", device=device),
            Expect(t=0.1, probe="matmul-fp32", low=low, high=9.0, unit="TFLOP/s", why="", run=1),
            Expect(t=0.1, probe="add_scalar-fp32", low=6.0, high=60.0, unit="GB/s", why="", run=1),
        ]
    )


@pytest.mark.parametrize("name", ["full", "decode", "kernels"])
def test_the_report_of_a_slow_device_has_one_unit(name: str) -> None:
    session = fold(events(SESSIONS / f"cpu/{name}-1.jsonl"))
    session.closed = True
    lines = [text_of(r) for r in report(session, None, 100, UNICODE)]
    said = [line for line in lines if "TFLOP/s" in line]
    assert [line for line in said if "a card with more TFLOP/s" not in line] == []
    assert sum("GFLOP/s" in line for line in lines) > 5


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
