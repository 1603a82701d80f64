"""Groups of points that were damaged: shown with what is left, or the line is named."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.cli import main
from roofwatch.session.events import AnyEvent, decode
from roofwatch.session.fold import fold
from roofwatch.session.summary import record
from roofwatch.tui.glyphs import UNICODE
from roofwatch.tui.report import report

SESSIONS = Path(__file__).parent.parent / "sessions"
FILES = ("h200-decode-1.jsonl", "h200-kernels-1.jsonl")
GROUPS = ("launch", "decode", "kernels", "fusion", "alignment", "waves")
TRIALS = 25  # sessions a file, each with several damaged points


def without_samples(name: str) -> list[dict[str, Any]]:
    read = (json.loads(line) for line in (SESSIONS / name).read_text().splitlines())
    return [e for e in read if e["kind"] not in ("sample", "series")]


def damaged(point: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """One point with one thing gone, or another value in its place."""
    point = json.loads(json.dumps(point))
    kind = chance.randrange(6)
    if kind == 0 and point["shape"]:
        del point["shape"][chance.choice(sorted(point["shape"]))]
    elif kind == 1 and point["shape"]:
        name = chance.choice(sorted(point["shape"]))
        point["shape"][name] = chance.choice([1, 2, 7, 1 << 40])
    elif kind == 2:
        point["tensors"] = point["tensors"][:1]
    elif kind == 3:
        point[chance.choice(["op", "variant", "dtype", "kernel", "layout"])] = "else"
    elif kind == 4:
        point["times_s"] = [chance.choice([1e-12, 1e-9, 1e3, 1e6])] * 3
    else:
        point["flop"] = chance.choice([0, 1, 1e-3, 1e30])
    return point


def readable(stream: list[dict[str, Any]]) -> list[AnyEvent]:
    found = []
    for line in stream:
        try:
            event = decode(json.dumps(line))
        except msgspec.ValidationError:
            continue  # such a line is named when the file is read
        if event is not None:
            found.append(event)
    return found


@pytest.mark.parametrize("name", FILES)
def test_what_is_left_of_damaged_points_is_shown(name: str) -> None:
    stream = without_samples(name)
    at = [i for i, e in enumerate(stream) if e.get("protocol") in GROUPS]
    chance = random.Random(name)
    for _ in range(TRIALS):
        broken = list(stream)
        for i in chance.sample(at, min(6, len(at))):
            broken[i] = damaged(broken[i], chance)
        session = fold(readable(broken))
        session.closed = True
        assert report(session, None, 80, UNICODE)
        msgspec.json.encode(record(session, None))


@pytest.mark.parametrize("name", FILES)
def test_a_session_stopped_anywhere_in_a_group_is_shown(name: str) -> None:
    stream = readable(without_samples(name))
    for i in range(5, len(stream), max(1, len(stream) // 25)):
        session = fold(stream[:i])
        session.closed = True
        assert report(session, None, 100, UNICODE)
        msgspec.json.encode(record(session, None))


NAMED: list[tuple[str, dict[str, Any], str]] = [
    ("decode", {"shape": {"batch": 1}}, "lacks context, layers, layers_of"),
    ("decode", {"tensors": [{"name": "weights", "read_bytes": 8}]}, "lack weights or kv"),
    ("qkv", {"shape": {"batch": 1, "context": 256}}, "lacks calls"),
]


@pytest.mark.parametrize(("op", "changes", "said"), NAMED)
def test_a_decode_step_without_what_it_needs_is_named(
    op: str,
    changes: dict[str, Any],
    said: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    stream = without_samples(FILES[0])
    at = next(i for i, e in enumerate(stream) if e.get("op") == op and e["protocol"] == "decode")
    stream[at] = {**stream[at], **changes}
    file = tmp_path / "damaged.jsonl"
    file.write_text("".join(json.dumps(e) + "\n" for e in stream))
    assert main(["show", str(file)]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"row {at + 1}: " in told
    assert said in told
