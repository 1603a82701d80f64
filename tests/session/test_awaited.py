"""What a roofline waits for: ranges of the run on show, until each number is there."""

from __future__ import annotations

from pathlib import Path

from roofwatch.session.awaited import awaited, first_key
from roofwatch.session.events import Device, End, Expect, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.roofs import roofs


def at(file: Path, seconds: float) -> Session:
    return fold(e for e in events(file) if e.t <= seconds)


def test_ranges_stand_until_their_number_is_measured(h200_file: Path) -> None:
    early = at(h200_file, 1.0)
    found = awaited(early, roofs(early), "bf16")
    assert {w: (e.low, e.high, e.unit) for w, e in found.items()} == {
        "stream": (3984.0, 4512.0, "GB/s"),
        "burst": (735.0, 893.0, "TFLOP/s"),
        "sustained": (543.9, 866.2, "TFLOP/s"),
    }
    for seconds, left in ((2.5, {"burst", "sustained"}), (5.0, {"sustained"})):
        later = at(h200_file, seconds)
        assert set(awaited(later, roofs(later), "bf16")) == left


def test_nothing_is_awaited_of_a_complete_run(h200: Session, h200_file: Path) -> None:
    assert awaited(h200, roofs(h200), "bf16") == {}
    early = at(h200_file, 1.0)
    early.add(End(t=1.1, complete=False, why="stopped"))
    assert set(awaited(early, roofs(early), "bf16")) == {"stream", "burst", "sustained"}
    early.add(End(t=1.2, complete=True))
    assert awaited(early, roofs(early), "bf16") == {}


def test_a_precision_that_is_not_held_waits_for_no_sustained_flat(h200_file: Path) -> None:
    early = at(h200_file, 1.0)
    assert set(awaited(early, roofs(early), "fp32")) == {"stream", "burst"}
    assert set(awaited(early, roofs(early), None)) == {"stream"}


def test_a_range_in_another_unit_is_none() -> None:
    session = fold(
        [
            SessionInfo(t=0.0, suite="quick"),
            SessionInfo(t=0.1, instrument="telemetry", device=Device(kind="cuda")),
            Expect(t=0.2, probe="add_scalar-fp16", low=8, high=9, unit="TOPS", why=""),
        ]
    )
    assert awaited(session, roofs(session), None) == {}


def test_the_first_precision_of_which_something_is_expected(h200_file: Path) -> None:
    assert first_key(at(h200_file, 1.0)) == "bf16"
    assert first_key(Session()) is None
