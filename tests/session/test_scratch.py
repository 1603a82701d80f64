"""A compiler's folder goes with its instrument; one that was left behind goes at the next start."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from roofwatch.session.scratch import LOCK, PREFIX, Scratch

HOLDS = """
import sys, tempfile, time
tempfile.tempdir = sys.argv[1]
from roofwatch.session.scratch import Scratch
print(Scratch().path, flush=True)
time.sleep(60)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_ours_alone_and_goes(folder: Path) -> None:
    made = Scratch()
    assert made.path is not None
    assert made.path.parent == folder
    assert made.path.stat().st_mode & 0o777 == 0o700
    (made.path / "code").mkdir()
    (made.path / "code" / "x.cpp").write_text("int x;")
    made.remove()
    made.remove()
    assert list(folder.iterdir()) == []


def test_what_the_killed_have_left_is_taken_away_and_nothing_else(folder: Path) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", HOLDS, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout is not None
    theirs = Path(other.stdout.readline().strip())
    kept = [folder / f"{PREFIX}new", folder / "roofwatch-fuzz", folder / "other"]
    for each in kept:
        each.mkdir()
    (kept[2] / LOCK).write_text("")
    link = folder / f"{PREFIX}link"
    link.symlink_to(kept[2])
    first = Scratch()  # while the other lives, and holds its own
    assert theirs.exists()
    os.kill(other.pid, signal.SIGKILL)
    other.communicate()
    second = Scratch()
    assert not theirs.exists()
    assert first.path is not None
    assert first.path.exists()
    assert all(each.exists() for each in (*kept, link))
    first.remove()
    second.remove()


def test_without_a_place_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    made = Scratch()
    assert made.path is None
    made.remove()
