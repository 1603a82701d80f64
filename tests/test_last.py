"""``last`` where a session's file is asked for: the newest of all in show, else with roofs."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.cli import VERBS
from roofwatch.session.events import encode
from roofwatch.session.file import UnreadableSession, events, sessions_folder
from roofwatch.session.saved_names import path_named
from roofwatch.verbs.completion.words import OF_SESSIONS
from roofwatch.verbs.live import _resumed
from roofwatch.verbs.parser import parser_of

Said = Callable[..., tuple[int, str, str]]
SESSIONS = Path(__file__).parent / "sessions"
TRACE = Path(__file__).parent / "traces" / "h200" / "layer.json.gz"


@pytest.fixture
def kept() -> Path:
    """The folder of sessions: a watched command is the newest, one of decode before it."""
    folder = sessions_folder()
    folder.mkdir(parents=True)
    for name in ("h200-full-1", "h200-decode-1"):
        shutil.copy(SESSIONS / f"{name}.jsonl", folder)
    shutil.copy(SESSIONS / "watch" / "h200-1.jsonl", folder / "watched.jsonl")
    (folder / "junk.jsonl").write_text("no session\n")
    return folder


def test_show_takes_the_newest_session_as_the_log_does(kept: Path, said: Said) -> None:
    log = [json.loads(line) for line in said("show", "--log", "--json")[1].splitlines()]
    for back, name in enumerate(("watched", "h200-decode-1", "h200-full-1")):
        code, out, _ = said("show", f"last~{back}" if back else "last", "--json")
        assert code == 0
        told = json.loads(out)["session"]
        assert told["file"] == str(kept / f"{name}.jsonl") == log[back]["file"]
    code, _, err = said("show", "last~3")
    assert (code, err.count("\n")) == (2, 1)
    assert "last~3: 3 sessions saved in" in err


def test_others_take_the_newest_with_roofs(kept: Path) -> None:
    assert path_named("last") == kept / "h200-decode-1.jsonl"
    assert path_named("last", with_roofs=False) == kept / "watched.jsonl"
    assert path_named("./last") == Path("last")
    with pytest.raises(UnreadableSession, match="2 sessions with roofs"):
        path_named("last~2")


def test_plan_takes_last(kept: Path, said: Said) -> None:
    arguments = ("plan", "--model", "TinyLlama", "--json", "--session")
    code, out, _ = said(*arguments, "last")
    assert code == 0
    assert out == said(*arguments, str(kept / "h200-decode-1.jsonl"))[1]
    code, _, err = said(*arguments, "last~9")
    assert (code, "last~9: 2 sessions with roofs" in err) == (2, True)


def test_trace_takes_last(kept: Path, said: Said) -> None:
    code, out, _ = said("trace", str(TRACE), "--session", "last~1")
    assert code == 0
    assert "measured in h200-full-1.jsonl" in out


def test_triage_takes_last_and_says_whose_it_is(kept: Path, said: Said, tmp_path: Path) -> None:
    file = tmp_path / "theirs.py"
    file.write_text("def run():\n    return 1\n")
    ask = ("triage", f"{file}:run", "--device", "cpu", "--session")
    code, _, err = said(*ask, "last")
    assert (code, "last: is of NVIDIA H200" in err) == (2, True)
    assert "No such file" not in err


def test_resume_takes_last(kept: Path) -> None:
    whole = [encode(e) for e in events(SESSIONS / "h200-quick-1.jsonl")]
    (kept / "cut.jsonl").write_bytes(b"".join(whole[: len(whole) // 2]))
    assert _resumed("") == _resumed("last") == kept / "cut.jsonl"
    assert _resumed("last~1") is not None
    assert _resumed(None) is None
    assert _resumed("x.jsonl") == Path("x.jsonl")


def test_every_option_of_a_session_says_that_it_knows_last() -> None:
    for name, verb in VERBS.items():
        for action in parser_of(verb)._actions:
            if action.dest in OF_SESSIONS or (
                name in ("show", "compare") and action.nargs in ("*", "+")
            ):
                assert "last" in (action.help or ""), (name, action.dest)


def test_the_newest_is_by_when_it_began_however_long_that_takes(
    kept: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("roofwatch.session.saved_names.READ_S", 0.0)  # a part of a file a turn
    for path in kept.glob("*.jsonl"):
        os.utime(path, (1e9, 1e9))
    os.utime(kept / "h200-full-1.jsonl")  # the oldest was written to last
    assert path_named("last", with_roofs=False) == kept / "watched.jsonl"
    assert path_named("last~1") == kept / "h200-full-1.jsonl"


@pytest.mark.parametrize(
    "command", [["show", "--log"], ["show", "--log", "--json"], ["show", "last"]]
)
def test_a_folder_that_cannot_be_listed_is_named(said: Said, command: list[str]) -> None:
    folder = sessions_folder()
    folder.parent.mkdir(parents=True)
    folder.write_text("a file")
    code, out, err = said(*command)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert f"{folder}: Not a directory" in err
