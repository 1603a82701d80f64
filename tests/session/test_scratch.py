"""A compiler's folder goes with its instrument; one that was left behind goes at the next start."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from roofwatch.session.scratch import new_scratch, remove


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_ours_alone_and_goes(folder: Path) -> None:
    made = new_scratch()
    assert made is not None
    assert made.parent == folder
    assert made.stat().st_mode & 0o777 == 0o700
    (made / "code").mkdir()
    (made / "code" / "x.cpp").write_text("int x;")
    remove(made)
    assert list(folder.iterdir()) == []
    remove(None)


def test_what_the_dead_have_left_is_taken_away(folder: Path) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    left = folder / f"roofwatch-{gone.pid}-abc"
    left.mkdir()
    (left / "x").write_text("")
    kept = [folder / f"roofwatch-{os.getpid()}-abc", folder / "roofwatch-fuzz", folder / "other"]
    for each in kept:
        each.mkdir()
    link = folder / f"roofwatch-{gone.pid}-link"
    link.symlink_to(kept[2])
    made = new_scratch()
    assert not left.exists()
    assert all(each.exists() for each in (*kept, link))
    remove(made)


def test_without_a_place_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", "/nowhere/at/all")
    assert new_scratch() is None
