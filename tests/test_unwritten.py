"""A file that was named and could not be written is exit code 1; all else was done."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from roofwatch.notebook.finding import Finding
from roofwatch.session.asked import Options
from roofwatch.session.events import Fault
from roofwatch.session.exit_code import exit_code, unwritten
from roofwatch.session.fold import Session, fold

ME = [sys.executable, "-m", "roofwatch"]
FULL = Path("/dev/full")


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--save", "/dev/full"], 1),
        (["--metrics", "METRICS", "--save", "/dev/full"], 1),
        (["--save", "NEW"], 0),
        (["--save", "/dev/full", "--", "true"], 0),  # the command's own
    ],
)
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_watching(asked: list[str], code: int, tmp_path: Path) -> None:
    places = {"METRICS": tmp_path / "m.prom", "NEW": tmp_path / "s.jsonl"}
    words = [str(places.get(word, word)) for word in asked]
    seconds = [] if "--" in asked else ["--seconds", "0.6"]
    done = subprocess.run(
        [*ME, "watch", "--device", "cpu", *seconds, *words],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == code, done.stderr
    assert ("No space left" in done.stderr) is ("/dev/full" in asked)


@pytest.mark.long
@pytest.mark.skipif(not FULL.exists(), reason="there is no /dev/full here")
def test_a_run(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [*ME, "run", "--device", "cpu", "--save", "/dev/full", "--json"],
        env={**os.environ, "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1
    assert '"measurements"' in done.stdout


def test_what_comes_first(h200: Session, tmp_path: Path) -> None:
    wrong = Finding(
        code="E3",
        name="wrong-peak",
        root="peak",
        severity="wrong",
        subject="x",
        message="",
        why="",
        do="",
        evidence={},
    )
    assert exit_code(h200, [], strict=False) == 0
    assert exit_code(h200, [], strict=False, lacking=True) == 1
    assert exit_code(h200, [wrong], strict=True, lacking=True) == 1
    assert exit_code(h200, [wrong], strict=True) == 5
    failed = fold([Fault(t=1.0, instrument="probes", what="died", probe="x")])
    assert exit_code(failed, [], strict=False, lacking=True) == 4


@pytest.mark.parametrize(
    ("asked", "lacks"),
    [({}, False), ({"save": Path("s.jsonl")}, True), ({"resume": Path("s.jsonl")}, True)],
)
def test_only_a_file_that_was_named_counts(asked: dict[str, Path], lacks: bool) -> None:
    assert unwritten(Options(**asked), "s.jsonl: No space left on device") is lacks
    assert not unwritten(Options(**asked), None)
