"""A full session that was stopped, cut or damaged is shown all the same, or named in one line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.cli import main
from roofwatch.session.events import decode
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.session.sweeps import sweeps
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.printed.report import report


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.long
def test_a_session_stopped_after_any_line_is_shown(full_file: Path) -> None:
    stream = list(events(full_file))
    marks = [i for i, e in enumerate(stream) if type(e).__name__ not in ("Sample", "Series")]
    for i in marks[::3] + marks[-8:]:
        session = fold(stream[: i + 1])
        session.closed = True
        assert report(session, full_file, 80, UNICODE)
        msgspec.json.encode(record(session, full_file))


@pytest.mark.parametrize("points", [1, 2, 3])
def test_a_sweep_of_few_points_is_drawn(full_file: Path, points: int) -> None:
    stream = list(events(full_file))
    swept = [i for i, e in enumerate(stream) if getattr(e, "protocol", "") == "sweep"]
    session = fold(stream[: swept[points - 1] + 1])
    assert report(session, full_file, 80, UNICODE)


def test_points_out_of_order_and_twice_are_one_sweep(full: Session, full_file: Path) -> None:
    stream = list(events(full_file))
    swept = [e for e in stream if getattr(e, "protocol", "") == "sweep"]
    others = [e for e in stream if getattr(e, "protocol", "") != "sweep"]
    again = fold([*others, *reversed(swept), *swept[::2]])
    assert sweeps(again, roofs(again)) == sweeps(full, roofs(full))


DAMAGE: list[tuple[str, str, Any]] = [
    ("matmul-bf16", "flop", 0.0),
    ("matmul-bf16", "flop", 1e-300),
    ("matmul-bf16", "shape", {}),
    ("matmul-bf16", "shape", {"m": 0, "n": 8, "k": 8}),
    ("matmul-bf16", "shape", {"m": -8, "n": 8, "k": 8}),
    ("matmul-bf16-sweep", "shape", {"n": 8}),
    ("matmul-bf16-sweep", "flop", 0.0),
    ("read-fp16-sweep", "shape", {"rows": 8, "columns": 8, "passes": 0}),
    ("strided-fp16", "shape", {"elements": 8, "stride": 0}),
    ("matmul-bf16", "clock_mhz", [0.0]),
    ("triad-fp16", "warmup_times_s", [1e308]),
    ("matmul-bf16", "clock_t_s", [1.0]),
]


@pytest.mark.parametrize(("probe", "field", "value"), DAMAGE)
def test_a_value_that_no_measurement_has_is_named(
    full_file: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    probe: str,
    field: str,
    value: Any,
) -> None:
    stream = lines(full_file)
    at = next(i for i, e in enumerate(stream) if e["kind"] == "measurement" and e["probe"] == probe)
    stream[at][field] = value
    with pytest.raises(msgspec.ValidationError):
        decode(json.dumps(stream[at]))
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("".join(json.dumps(e) + "\n" for e in stream))
    assert main(["show", str(damaged)]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert f"row {at + 1}: " in said


@pytest.mark.parametrize("hold", [["fp16_acc16"], ["mistakes"], [""]])
def test_a_hold_that_a_newer_version_knows_is_left_out(full_file: Path, hold: list[str]) -> None:
    stream = lines(full_file)
    stream[0]["hold"] = hold
    session = fold(e for e in (decode(json.dumps(x)) for x in stream) if e is not None)
    assert report(session, full_file, 80, UNICODE)


def test_a_clock_of_zero_is_no_clock(h200_file: Path) -> None:
    stream = lines(h200_file)
    for e in stream:
        if e["kind"] == "sample":
            e["sm_mhz"] = 0
    session = fold(e for e in (decode(json.dumps(x)) for x in stream) if e is not None)
    seen = json.loads(msgspec.json.encode(record(session, None)))
    bf16 = seen["roofs"]["compute"]["bf16"]
    assert bf16["attribution"] == {}
    assert bf16["sm_mhz_burst"] is None
    assert bf16["status"]["sm_mhz_burst"]


def test_control_characters_stay_out_of_every_form(
    full_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = lines(full_file)
    stream[0]["started_at"] = "2026\x1b[2J"
    for e in stream:
        if e["kind"] == "measurement" and e["probe"] == "triad-fp16":
            e["dtype"] = "fp16\x07"
    evil = tmp_path / "evil.jsonl"
    evil.write_text("".join(json.dumps(e) + "\n" for e in stream))
    assert main(["show", str(evil)]) == 0
    said = capsys.readouterr().out
    assert not any(c in said for c in "\x1b\x07")
    assert main(["show", str(tmp_path / "no\nsuch\x1b")]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert "\x1b" not in err
