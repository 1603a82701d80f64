"""A session file damaged anywhere is shown or refused in one line; never a traceback."""

from __future__ import annotations

import json
import random
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.file import UnreadableSession
from roofwatch.session.markdown import markdown
from roofwatch.session.replay import Replay
from roofwatch.session.summary import record
from roofwatch.tui.clocks import clocks_pane
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.notebook.record_page import RecordPage
from roofwatch.tui.printed.report import report

VALUES = [None, 0, -1, 1e308, -1e308, 1 << 70, "", "x\x1b[2J", [], {}, [0], True, 1e-320, "NaN"]


def looked_at(path: Path) -> None:
    """Everything that `show` and the screen do with a file."""
    replay = Replay(path)
    msgspec.json.encode(record(replay.session, path))
    markdown(replay.session)
    RecordPage(replay.session, UNICODE).whole(80)
    report(replay.session, path, 80, UNICODE)
    clocks_pane.build(replay.session, 80, 18, UNICODE)


def small(h200_file: Path) -> list[dict[str, object]]:
    """A session with every kind, short enough to fold a thousand times."""
    rows = [json.loads(line) for line in h200_file.read_text().splitlines()]
    kept, seen = [], dict[str, int]()
    for row in rows:
        seen[row["kind"]] = seen.get(row["kind"], 0) + 1
        if row["kind"] not in ("sample", "series") or seen[row["kind"]] <= 4:
            kept.append(row)
    return kept


def mutate(rows: list[dict[str, object]], chance: random.Random) -> list[dict[str, object]]:
    """One field of one row, at any depth, becomes something else, or the row moves or vanishes."""
    rows = json.loads(json.dumps(rows))
    at = chance.randrange(len(rows))
    act = chance.randrange(10)
    if act == 0:
        rows.insert(chance.randrange(len(rows)), rows.pop(at))
    elif act == 1:
        rows.pop(at)
    elif act == 2:
        rows.insert(at, rows[chance.randrange(len(rows))])
    else:
        place: object = rows[at]
        while True:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))  # type: ignore[arg-type, call-overload]
            if not keys:
                break
            key = chance.choice(keys)
            inner = place[key]  # type: ignore[index]
            if isinstance(inner, (dict, list)) and inner and chance.random() < 0.7:
                place = inner
                continue
            place[key] = chance.choice(VALUES)  # type: ignore[index]
            break
    return rows


@pytest.mark.parametrize("seed", range(8))
def test_mutated_sessions(h200_file: Path, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    rows = small(h200_file)
    path = tmp_path / "m.jsonl"
    said: list[str] = []
    for _ in range(50):
        path.write_text("".join(json.dumps(r) + "\n" for r in mutate(rows, chance)))
        try:
            looked_at(path)
        except UnreadableSession as error:
            said.append(str(error))
    assert 0 < len(said) < 50
    assert all(line.startswith(f"{path}: row ") and "\n" not in line for line in said)


def test_cut_anywhere(h200_file: Path, tmp_path: Path) -> None:
    data = "".join(json.dumps(r) + "\n" for r in small(h200_file)).encode()
    path = tmp_path / "cut.jsonl"
    first = data.index(b"\n") + 1
    for length in range(first, len(data), len(data) // 60):
        path.write_bytes(data[:length])
        looked_at(path)
    path.write_bytes(data[: first - 1])
    with pytest.raises(UnreadableSession, match="no whole line"):
        looked_at(path)


def test_two_sessions_are_refused_and_a_second_run_alone_is_shown(
    h200_file: Path, tmp_path: Path
) -> None:
    rows = small(h200_file)
    path = tmp_path / "two.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows + rows))
    with pytest.raises(UnreadableSession, match="a second session begins here"):
        looked_at(path)
    only_second = [{**r, "run": 2} if "run" in r or r["kind"] != "session" else r for r in rows]
    path.write_text("".join(json.dumps(r) + "\n" for r in only_second))
    looked_at(path)


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [(0, 700, "`float` >= 1e-09"), (0, 0, "`float` >= 1e-09"), (700, 600, "`low` is above `high`")],
)
def test_a_range_has_two_ends_above_zero(
    h200_file: Path, tmp_path: Path, low: float, high: float, said: str
) -> None:
    rows = small(h200_file)
    at = next(i for i, row in enumerate(rows) if row["kind"] == "expect")
    rows[at] |= {"low": low, "high": high}
    path = tmp_path / "range.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    with pytest.raises(UnreadableSession, match=f"row {at + 1}: .*{said}"):
        looked_at(path)


def test_a_rate_beyond_the_silicon_where_no_peak_is_named(h200_file: Path, tmp_path: Path) -> None:
    rows = small(h200_file)
    for row in rows:
        if isinstance(nominal := row.get("nominal"), dict):
            del nominal["peaks_tflops"]["bf16"]
        if row["kind"] == "measurement" and row["probe"] == "matmul-bf16":
            row["times_s"] = [t / 10 for t in row["times_s"]]  # type: ignore[attr-defined]
    path = tmp_path / "peak.jsonl"
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    looked_at(path)
