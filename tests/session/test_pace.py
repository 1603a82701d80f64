"""A session that grows long: read less between probes, kept up to a bound, one writer of a file."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from roofwatch.session import kept_file
from roofwatch.session.events import Note, Sample, SessionInfo
from roofwatch.session.file import events
from roofwatch.session.fold import Session
from roofwatch.session.instruments import Instruments
from roofwatch.session.kept_file import create
from roofwatch.session.pace import FULL_BYTES, pace_hz
from roofwatch.session.summary import record

SAMPLE = Sample(
    t=1.0,
    gpu=0,
    sm_mhz=1980.0,
    mem_mhz=None,
    power_w=None,
    power_instant_w=None,
    temp_c=None,
    mem_used_bytes=None,
    util=None,
    reasons=0,
)
FIRST = SessionInfo(t=0.0, schema="roofwatch.session/1", id="abc")


@pytest.mark.parametrize(
    ("file_bytes", "measuring", "hz"),
    [
        (0, False, 10.0),
        (FULL_BYTES, False, 1.0),
        (FULL_BYTES, True, 10.0),
    ],
)
def test_a_long_session_is_read_once_a_second_between_probes(
    file_bytes: int, measuring: bool, hz: float
) -> None:
    assert pace_hz(10.0, file_bytes, measuring) == hz
    assert pace_hz(0.5, file_bytes, measuring) == 0.5


class Ear:
    def __init__(self) -> None:
        self.told: list[str] = []

    def tell(self, line: str) -> None:
        self.told.append(line)


def test_telemetry_is_told_each_change_once(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    instruments, ear = Instruments(0, file), Ear()
    instruments._children["telemetry"] = ear  # type: ignore[assignment]
    instruments.keep_pace(10.0, measuring=False)
    assert ear.told == []
    file.size_bytes = FULL_BYTES
    for measuring in (False, False, True, True, False):
        instruments.keep_pace(10.0, measuring)
    assert ear.told == ["hz 1", "hz 10", "hz 1"]
    fresh = Ear()  # started again: it reads in full, as it was started
    instruments._children["telemetry"] = fresh  # type: ignore[assignment]
    instruments.keep_pace(10.0, measuring=False)
    assert fresh.told == ["hz 1"]
    file.close()


def test_readings_that_are_meant_to_be_rare_are_no_gaps() -> None:
    session = Session()
    session.add(FIRST)
    for t in (0.1, 0.2, 0.3):
        session.add(Sample(**{f: getattr(SAMPLE, f) for f in SAMPLE.__struct_fields__} | {"t": t}))
    session.add(SessionInfo(t=0.0, instrument="telemetry", hz=10.0))
    session.add(SessionInfo(t=0.3, instrument="telemetry", hz=1.0))
    for t in (1.3, 2.3, 8.0):
        session.add(Sample(**{f: getattr(SAMPLE, f) for f in SAMPLE.__struct_fields__} | {"t": t}))
    session.add(SessionInfo(t=8.0, instrument="telemetry", hz=10.0))
    told = record(session, []).telemetry
    assert (told.hz, told.gaps) == (10.0, 1)


def test_a_full_file_keeps_all_but_telemetry_and_launches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_file, "MOST_BYTES", 400)
    file = create(tmp_path / "s.jsonl", "x", "y")
    file.write(FIRST)
    for _ in range(9):
        file.write(SAMPLE)
    assert file.problem is not None
    assert "no longer saved, all else is" in file.problem
    file.write(Note(t=2.0, text="measured on"))
    file.close()
    kept = list(events(file.path))
    assert 2 <= sum(isinstance(e, Sample) for e in kept) < 9
    assert isinstance(kept[-1], Note)
    assert file.path.stat().st_size < 800


def test_a_file_that_is_taken_away_is_missed(tmp_path: Path) -> None:
    for name, harm, said in (
        ("a", lambda p: p.unlink(), "was deleted or moved"),
        ("b", lambda p: p.rename(tmp_path / "elsewhere"), "was deleted or moved"),
        ("c", lambda p: p.write_bytes(b""), "was cut short"),
    ):
        file = create(tmp_path / f"{name}.jsonl", "x", "y")
        file.write(FIRST)
        file.look()
        assert file.problem is None
        harm(file.path)
        file.look()
        assert file.problem is not None
        assert said in file.problem
        file.close()


def test_looking_while_others_write_finds_nothing(tmp_path: Path) -> None:
    file = create(tmp_path / "s.jsonl", "x", "y")
    file.write(FIRST)
    others = [
        threading.Thread(target=lambda: [file.write(SAMPLE) for _ in range(2000)]) for _ in range(2)
    ]
    for other in others:
        other.start()
    while any(other.is_alive() for other in others):
        file.look()
    file.look()
    assert file.problem is None
    file.close()
    assert sum(isinstance(e, Sample) for e in events(file.path)) == 4000


def test_nothing_is_kept_where_nothing_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    file = create(None, "stamp", "id")
    assert file.problem is not None
    assert file.problem.endswith("the session is not saved")
    file.write(FIRST)
    file.rename(tmp_path / "other.jsonl")
    file.close()
    assert list(tmp_path.iterdir()) == [tmp_path / "data"]
