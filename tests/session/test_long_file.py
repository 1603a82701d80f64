"""The long session that benchmarks look at is one that the program could have written."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from long_file import make

from roofwatch.session.events import Sample
from roofwatch.session.file import events, last_moment
from roofwatch.session.fold import fold
from roofwatch.session.summary import record


def test_a_recording_stretched_over_six_minutes(full_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    assert make(full_file, path, 0.1, 3) == 3600
    session = fold(events(path))
    assert len(session.samples) == 3600
    assert session.duration_s == last_moment(path) == 360.0
    assert sorted(session.ends) == [1, 2, 3]
    assert session.complete
    assert [e.t for e in events(path)] == sorted(e.t for e in events(path))
    kept = record(session, None)
    assert kept.telemetry.gaps == 0
    assert len(kept.measurements) == len(record(fold(events(full_file)), None).measurements)


def test_its_counters_go_on_growing(full_file: Path, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    make(full_file, path, 0.1, 1)
    recorded = [e for e in events(full_file) if isinstance(e, Sample)]
    assert any(recorded[0].counters.values())
    for a, b in pairwise(fold(events(path)).samples):
        assert all(b.counters[name] >= value for name, value in a.counters.items())
