"""The clock read on the device: one figure, that of the fall's sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from roofwatch.session.device_clock import device_clock_mhz
from roofwatch.session.events import SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.throttle import fall, throttled


@pytest.mark.parametrize("until_s", [31.0, 36.0, 1e9])
def test_it_is_the_clock_of_the_fall(full_file: Path, until_s: float) -> None:
    session = fold(e for e in events(full_file) if e.t <= until_s)
    seen = fall(session)
    assert seen is not None
    assert device_clock_mhz(session, 0.0, session.duration_s) == seen.sm_mhz


def test_it_is_that_of_the_moment_on_show(full: Session) -> None:
    now = device_clock_mhz(full, 0.0, full.duration_s)
    while_held = device_clock_mhz(full, 0.0, 36.0)
    assert now is not None
    assert while_held is not None
    assert while_held != now
    assert device_clock_mhz(full, full.duration_s + 5, full.duration_s + 10) is None
    assert device_clock_mhz(Session(), 0.0, 10.0) is None


def test_what_a_neighbour_takes_is_not_priced_as_the_clocks(full_file: Path) -> None:
    alone = fold(events(full_file))
    shared = fold(
        replace(e, device=replace(e.device, processes=1))
        if isinstance(e, SessionInfo) and e.device is not None
        else e
        for e in events(full_file)
    )
    before, now = fall(alone), fall(shared)
    assert before is not None
    assert now is not None
    assert before.price_tflops
    assert now.price_tflops is None
    assert "costs" not in now.sentence
    assert throttled(alone, before.probe) is not None
    assert throttled(shared, now.probe) is None
