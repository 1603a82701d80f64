"""Other work as a condition: said before a run, named by what is unstable, held against a run."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from roofwatch.session.busy import beside
from roofwatch.session.differences import MOST, differences
from roofwatch.session.events import AnyEvent, Note, Sample
from roofwatch.session.file import events
from roofwatch.session.findings import findings
from roofwatch.session.fold import Session, fold
from roofwatch.session.others import (
    MATTERS,
    cores_of,
    most_others_cores,
    others_cores,
    said_before,
)

CPU = Path(__file__).parent.parent / "sessions" / "cpu" / "full-1.jsonl"
CARD = Path(__file__).parent.parent / "sessions" / "h200-quick-1.jsonl"


def kept_by_others(cores: float, file: Path = CPU) -> Session:
    """A kept run whose every sample tells how many cores other work had."""
    told: list[AnyEvent] = [
        msgspec.structs.replace(e, others_cores=cores) if isinstance(e, Sample) else e
        for e in events(file)
    ]
    session = fold(told)
    session.closed = True
    return session


def test_it_is_said_before_a_run_in_one_line() -> None:
    session = kept_by_others(1.62)
    cores = cores_of(session)
    (note,) = beside(session, 0.0, 1.0, 1)
    assert isinstance(note, Note)
    assert note.text.startswith(f"other work keeps 1.6 of {cores} cores busy")
    assert note.probe is None
    assert "\n" not in note.text


def test_what_every_system_does_beside_is_not_said() -> None:
    session = kept_by_others(0.0)
    cores = cores_of(session)
    assert cores
    assert said_before(kept_by_others(0.9 * MATTERS * cores), 1.0, 1) is None
    assert said_before(fold(events(CPU)), 1.0, 1) is None  # a session that knows nothing of it


def test_beside_a_card_nothing_is_said() -> None:
    session = kept_by_others(64.0, CARD)
    assert beside(session, 0.0, 1.0, 1) == []
    assert others_cores(session) is None
    assert [f.message for f in findings(session)] == [
        f.message for f in findings(fold(events(CARD)))
    ]


def test_what_is_unstable_names_it() -> None:
    told = [f for f in findings(kept_by_others(1.62)) if f.code == "unstable"]
    named = [f for f in told if f.evidence.get("others_cores") == 1.62]
    assert named
    assert all("Other work kept 1.6 of " in f.message for f in named)
    quiet = [f for f in findings(fold(events(CPU))) if f.code == "unstable"]
    assert len(quiet) == len(told)
    assert not any("Other work" in f.message for f in quiet)


def test_it_is_a_condition_that_two_runs_may_differ_in() -> None:
    a, b = kept_by_others(0.04), kept_by_others(1.62)
    (one,) = (c for c in differences(a, b)[0] if c.what == "other work")
    assert (one.a, one.b, one.unit) == (0.0, 1.6, "cores")
    assert one.note == MOST
    assert "other work" in differences(b, kept_by_others(1.7))[1]
    assert others_cores(b) == pytest.approx(1.62)


def test_the_condition_is_the_most_that_a_finding_names() -> None:
    """Most of a session is rest between measurements: what disturbed one of them counts."""
    session = kept_by_others(0.0)
    m = next(m for m in session.measured() if m.protocol == "stream")
    told = [
        msgspec.structs.replace(e, others_cores=1.2 if m.begin_s <= e.t <= m.end_s + 1 else 0.0)
        if isinstance(e, Sample)
        else e
        for e in events(CPU)
    ]
    session = fold(told)
    assert others_cores(session) == 0.0
    assert most_others_cores(session) == others_cores(session, m) == 1.2
    (one,) = (c for c in differences(kept_by_others(0.0), session)[0] if c.what == "other work")
    assert (one.a, one.b) == (0.0, 1.2)
