"""``roofwatch triage`` as a shell sees it: exit codes, streams, one line for a mistake."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

QUICK = ("--device", "cpu", "--roof", "nominal", "--seconds", "0.05")
MINE = """
import atexit, os, sys, time
import torch

print("from the module")
atexit.register(print, "at the end")
x = torch.ones(64)

def speaks():
    print("from python")
    os.system("echo from a shell")
    x.add_(1)
    time.sleep(0.01)

def fails():
    return torch.ones(2) @ torch.ones(3)

def leaves():
    sys.exit(7)

def stopped():
    raise KeyboardInterrupt

def varies(rows=8):
    torch.ones(rows)

class Counts:
    calls = 0
    def __call__(self):
        self.calls += 1
        if self.calls > 20:
            raise OSError("the file is gone")

counts = Counts()

class Dumb(Exception):
    def __str__(self):
        raise RuntimeError("no text")

def mute():
    raise Dumb()

def mute_exit():
    raise SystemExit(Dumb())

def patches():
    torch.ones = torch.empty = torch.profiler = None

def unprints():
    import builtins
    builtins.print = builtins.open = None
    os.dup = None
    time.perf_counter = lambda: 0.0

net = torch.nn.Linear(2, 2)
"""


PLAIN = """
print("from the module")
number = 3

def needs(x, rows):
    return x

def varies(rows=8):
    return [0] * rows
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "plain.py").write_text(PLAIN)
    return tmp_path


def triage(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "roofwatch", "triage", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1"},
        check=False,
    )


def last_line(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Our line among what their module printed."""
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    ours = [s for s in done.stderr.splitlines() if s.startswith("roofwatch triage: ")]
    assert len(ours) == 1, done.stderr
    return ours[0]


def answer(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("\n") == 1
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_stdout_is_the_answer_alone(folder: Path) -> None:
    done = triage(folder, "mine:speaks", "--json", *QUICK)
    got = answer(done)
    assert {"bound", "certainty", "routes", "treatment"} <= got.keys()
    assert got["bound"] == "overhead"
    assert got["name"] == "mine:speaks"
    for said in ("from the module", "from python", "from a shell", "at the end"):
        assert said in done.stderr


def test_it_says_that_it_runs_code_before_it_does(folder: Path) -> None:
    for typed in ("plain:needs", "./plain.py:needs"):
        first, second, *_ = triage(folder, typed, *QUICK).stderr.splitlines()
        assert first == f"roofwatch: {typed} is code: it runs now, in this process"
        assert second == "from the module"


@pytest.mark.long
def test_without_json_it_reads_well(folder: Path) -> None:
    done = triage(folder, "./mine.py:speaks", *QUICK)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[1].split()[0] == "overhead"
    for word in ("intensity", "timeline", "experiments", "treatment"):
        assert word in done.stdout
    assert "from" not in done.stdout.partition("treatment")[0].partition("timeline")[0]
    assert "\x1b" not in done.stdout


@pytest.mark.long
def test_a_batch_of_another_name(folder: Path) -> None:
    got = answer(triage(folder, "mine:varies", "--json", "--batch-arg", "rows", *QUICK))
    assert [t["what"] for t in got["evidence"]["trials"]] == ["rows 8 to 64"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere:run"], "nowhere: there is no module of that name here"),
        (["plain"], "plain: is not module:function"),
        (["plain:vary"], "plain: has no vary; it has needs, varies"),
        (["plain:number"], "plain:number: is of type int, which cannot be called"),
        (["plain:needs"], "needs needs x, rows; wrap it: def run(): return needs(x=..., rows=...)"),
        (["plain:varies", "--batch-arg", "n"], "there is no parameter 'n' to change"),
        (["plain:varies", "--seconds", "-1"], "seconds is -1"),
        (["./plain.txt:run"], "./plain.txt: there is no such file"),
    ],
)
def test_what_was_typed_wrong_is_one_line(folder: Path, arguments: list[str], says: str) -> None:
    assert says in last_line(triage(folder, *arguments), 2)


@pytest.mark.parametrize("arguments", [[], ["plain:needs", "--roof", "best"], ["--jason"]])
def test_options_that_are_none(folder: Path, arguments: list[str]) -> None:
    assert "(see roofwatch triage --help)" in last_line(triage(folder, *arguments), 2)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("fails", "mine:fails raised RuntimeError: inconsistent tensor size"),
        ("leaves", "mine:leaves raised SystemExit: 7 (mine.py:19)"),
        pytest.param(
            "counts",
            "mine:counts raised OSError: the file is gone (mine.py:32)",
            marks=pytest.mark.long,
        ),
    ],
)
def test_what_their_function_raises_is_told_with_its_place(
    folder: Path, name: str, says: str
) -> None:
    said = last_line(triage(folder, f"mine:{name}", *QUICK), 4)
    assert says in said
    assert "(mine.py:" in said


@pytest.mark.parametrize("name", ["mute", pytest.param("mute_exit", marks=pytest.mark.long)])
def test_an_error_that_cannot_be_shown_is_one_line(folder: Path, name: str) -> None:
    said = last_line(triage(folder, f"mine:{name}", *QUICK), 4)
    assert "(a Dumb that cannot be shown) (mine.py:" in said


@pytest.mark.parametrize("name", ["patches", pytest.param("unprints", marks=pytest.mark.long)])
def test_what_breaks_torch_or_python_is_one_line(folder: Path, name: str) -> None:
    said = last_line(triage(folder, f"mine:{name}", *QUICK), 4)
    assert f"mine:{name}: their code changed torch or the interpreter: " in said


def test_a_module_is_called_as_it_was_typed(folder: Path) -> None:
    said = last_line(triage(folder, "mine:net", *QUICK), 2)
    assert "net is a module whose forward needs input; wrap a call of it: def run()" in said


def test_an_interrupt_is_130(folder: Path) -> None:
    done = triage(folder, "mine:stopped", *QUICK)
    assert done.returncode == 130
    assert "Traceback" not in done.stderr


def test_a_session_that_is_none(folder: Path) -> None:
    done = triage(folder, "plain:varies", "--session", "nowhere.jsonl", *QUICK)
    assert done.returncode == 2
    assert "nowhere.jsonl: No such file" in done.stderr


def test_an_absent_device_is_3(folder: Path) -> None:
    assert "device is cuda:77" in last_line(
        triage(folder, "plain:varies", "--device", "cuda:77"), 3
    )
