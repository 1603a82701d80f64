"""Roofs that are not to be believed, and points that are their own roof."""

from __future__ import annotations

from pathlib import Path

from msgspec import structs

from roofwatch.session.events import AnyEvent, Measurement
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.points import points
from roofwatch.session.roof_doubts import burst_roof, doubted, remark
from roofwatch.session.roofs import roofs


def slower(file: Path, probe: str, by: float) -> Session:
    told: list[AnyEvent] = []
    for e in events(file):
        if isinstance(e, Measurement) and e.probe == probe:
            e = structs.replace(e, times_s=[t * by for t in e.times_s])
        told.append(e)
    return fold(told)


def test_the_roofs_of_a_card_are_believed(full: Session, h200: Session) -> None:
    assert doubted(full, roofs(full)) == {}
    assert doubted(h200, roofs(h200)) == {}


def test_a_burst_outside_its_range_is_not(h200_file: Path) -> None:
    session = slower(h200_file, "matmul-bf16", 2.0)
    own = roofs(session)
    assert doubted(session, own, [])["matmul-bf16"] == "below its expected range"
    session.expects.clear()
    assert doubted(session, own, [])["matmul-bf16"] == "slower than what is held"


def test_each_point_knows_what_it_defines(full: Session) -> None:
    own = roofs(full)
    told = [remark(p, own, "bf16", {}).defines for p in points(full, own, "bf16")]
    assert sorted(told) == ["", "", "", "burst", "slope", "sustained"]


def test_a_doubt_reaches_the_points_under_that_line_only(full: Session) -> None:
    own = roofs(full)
    flat = burst_roof(own, "bf16")
    assert flat is not None
    seen = {p.name: remark(p, own, "bf16", {flat.probe: "slow"}) for p in points(full, own, "bf16")}
    assert seen["bf16 burst"].doubt == "slow"
    assert seen["bf16 square 8192"].doubt == "slow"
    assert not seen["triad fp16"].doubt
    assert not seen["bf16 sustained"].doubt
