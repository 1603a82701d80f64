"""Session files of older versions open as they did; of newer ones what is known, or one line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from roofwatch.cli import main
from roofwatch.session.entry import entry_of
from roofwatch.session.events import SessionInfo, encode
from roofwatch.session.file import UnreadableSession, events, read
from roofwatch.session.fold import fold
from roofwatch.session.replay import Replay
from roofwatch.session.schema import refusal
from roofwatch.session.summary import record

OLDER = Path(__file__).parent.parent / "sessions" / "older"
FIRST = encode(SessionInfo(t=0.0, schema="roofwatch.session/1", id="abc"))
NOTE = b'{"kind":"note","t":1.5,"text":"x"}\n'
SAID = {  # by file: fields that no event of that day had, and the bf16 burst that was shown
    "2026-11-29-quick": ({"hold", "clock_mhz", "settings", "kernel", "models", "claim"}, 817),
    "2026-11-29-full": ({"models", "contexts", "price", "cpu", "variant", "claim"}, 849),
    "2026-11-29-mistakes": ({"cpu", "neighbours", "resumed", "command", "health"}, 824),
}
"""Whole lines of sessions as earlier versions wrote them on an H200; most samples are left out."""


def test_every_kept_file_is_named_here() -> None:
    assert {path.stem for path in OLDER.glob("*.jsonl")} == set(SAID)


@pytest.mark.parametrize("name", SAID)
def test_an_older_session_opens_shows_and_replays(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = OLDER / f"{name}.jsonl"
    later, burst_tflops = SAID[name]
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert not later & {field for line in lines for field in line}
    whole = record(fold(events(path)), path)
    assert whole.session.complete
    assert whole.roofs.compute["bf16"].burst_tflops == pytest.approx(burst_tflops, abs=0.5)
    assert whole.notes == [
        {"t": line["t"], "text": line["text"], "probe": line["probe"]}
        for line in lines
        if line["kind"] == "note"
    ]
    assert (whole.launch, whole.watch, whole.cost) == ({}, {}, {})
    replay = Replay(path, speed=10.0)
    replay.speed = None
    while not replay.done:
        replay.poll()
    assert record(replay.session, path) == whole
    assert main(["show", str(path)]) == 0
    assert f"burst {burst_tflops}" in capsys.readouterr().out
    (entry,) = [entry for entry in entry_of(path) if entry is not None]
    assert entry.problem is None
    assert entry.burst_tflops == pytest.approx(burst_tflops, abs=0.5)


def test_kinds_and_fields_of_a_newer_version_stay_in_the_file_and_are_told(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    newer = b'{"kind":"hologram","t":1.0,"of":"the card"}\n'
    first = FIRST.replace(b"{", b'{"mood":"new",', 1)
    path.write_bytes(first + newer + NOTE + newer)
    assert [line.raw for line in read(path)] == [first, newer, NOTE, newer]
    session = fold(events(path))
    assert session.id == "abc"
    told = [(note.t, note.text) for note in session.notes]
    left_out = "2 lines are of a kind that only a newer roofwatch knows: left out"
    assert told == [(1.5, "x"), (1.5, left_out)]
    path.write_bytes(FIRST + newer)
    assert [n.text for n in fold(events(path)).notes] == [
        "1 line is of a kind that only a newer roofwatch knows: left out"
    ]


@pytest.mark.parametrize(
    "first",
    [
        b'{"kind":"session","t":0,"schema":"roofwatch.session/2"}\n',
        b'{"kind":"session","t":0,"schema":"roofwatch.session/2.1","id":7}\n',
        b'{"kind":"sitting","at":"noon","schema":"roofwatch.session/2"}\n',
    ],
)
def test_another_schema_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], first: bytes
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(first + NOTE)
    assert main(["show", str(path)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "s.jsonl: row 1: schema roofwatch.session/2" in told
    assert "is of another roofwatch; this one reads roofwatch.session/1" in told
    (entry,) = [entry for entry in entry_of(path) if entry is not None]
    assert entry.problem in told
    assert not entry.foreign


def test_a_schema_is_refused_by_its_family_and_its_number() -> None:
    assert refusal("roofwatch.session/1") is None
    assert refusal("roofwatch.session/1.4") is None
    for other in ("roofwatch.session/10", "roofwatch.session/0", "roofwatch.session/"):
        assert "another roofwatch" in (refusal(other) or "")
    for foreign in (None, "", "roofwatch.record/1", "other/1"):
        assert refusal(foreign) == "not a roofwatch session (no schema)"


def test_a_fleets_file_is_named_wherever_a_session_is_expected(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fleet = Path(__file__).parents[1] / "sessions" / "two" / "fleet-1.jsonl"
    said = "row 1: not a roofwatch session: it is a fleet's file, which roofwatch show reads\n"
    for asked in (["compare", str(fleet), str(fleet)], ["show", str(fleet), str(fleet), "--table"]):
        assert main(asked) == 2
        assert capsys.readouterr().err.endswith(said)
    (entry,) = [entry for entry in entry_of(fleet) if entry is not None]
    assert entry.foreign


def test_a_first_line_without_a_schema_is_named_as_before(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b'{"kind":"session","t":-1}\n')
    with pytest.raises(UnreadableSession, match=r"row 1: Expected `float` >= 0"):
        list(events(path))
