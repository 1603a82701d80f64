"""The header once telemetry is gone: its last values stand, and are not taken for live ones."""

from __future__ import annotations

import re

import msgspec

from roofwatch.session.events import Fault
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.screen.header import build


def test_values_that_are_no_longer_read_say_so(h200: Session) -> None:
    last = h200.samples[-1]
    shown = f"{last.sm_mhz:.0f}/1980 MHz"
    row = build(h200, 80, "bf16", UNICODE)[0]
    assert shown in text_of(row)
    assert "not live" not in text_of(row)
    h200.add(Fault(t=last.t, instrument="telemetry", what="killed", exit_code=-9))
    row = build(h200, 80, "bf16", UNICODE)[0]
    assert "not live  " in text_of(row)
    assert shown in text_of(row)
    assert {name for text, name in row if "MHz" in text} == {"dim"}
    h200.add(msgspec.structs.replace(last, t=last.t + 0.1))  # it has come back
    assert "not live" not in text_of(build(h200, 80, "bf16", UNICODE)[0])


def test_a_roof_that_is_not_to_be_believed_is_marked(h200: Session) -> None:
    roofs_row = text_of(build(h200, 120, "bf16", UNICODE, findings(h200))[1])
    assert UNICODE.warn not in roofs_row
    slower = {"matmul-bf16": 1.22, "add_scalar-fp16": 2.0}
    h200.measurements = [
        msgspec.structs.replace(m, times_s=[slower.get(m.probe, 1.0) * t for t in m.times_s])
        for m in h200.measurements
        if m.protocol != "stream" or m.probe in slower
    ]
    roofs_row = text_of(build(h200, 120, "bf16", UNICODE)[1]).rstrip()
    assert re.search(r"burst \d+ ▲ · sustained \d+ TFLOP/s", roofs_row)
    assert roofs_row.endswith("of 4800 GB/s ▲")


def test_burst_and_held_of_one_value_are_told_once(h200: Session) -> None:
    h200.measurements = [
        msgspec.structs.replace(m, times_s=[2 * t for t in m.times_s])
        if m.probe == "matmul-bf16"
        else m
        for m in h200.measurements
    ]
    roofs_row = text_of(build(h200, 80, "bf16", UNICODE)[1])
    assert re.search(r"nominal 989 · burst, sustained \d+ TFLOP/s", roofs_row)
