"""The header once telemetry is gone: its last values stand, and are not taken for live ones."""

from __future__ import annotations

import msgspec

from roofwatch.session.events import Fault
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
