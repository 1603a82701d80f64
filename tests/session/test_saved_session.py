from __future__ import annotations

import os
import shutil
from pathlib import Path

from roofwatch.session.replay import Replay
from roofwatch.session.roofs import roofs
from roofwatch.session.saved_session import saved_session


def kept(folder: Path, file: Path, name: str, mtime_s: float, **changed: str) -> Path:
    """A copy of a session, some words of it replaced."""
    text = file.read_text(encoding="utf-8")
    for was, is_now in changed.items():
        text = text.replace(was, is_now)
    path = folder / name
    path.write_text(text, encoding="utf-8")
    os.utime(path, (mtime_s, mtime_s))
    return path


def test_the_last_complete_one_of_the_very_card_speaks_for_it(
    h200_file: Path, tmp_path: Path
) -> None:
    uuid = str(Replay(h200_file).session.device.uuid)
    began = str(Replay(h200_file).session.started_at)
    other = uuid[:-4] + "ffff"
    own = kept(tmp_path, h200_file, "own.jsonl", 1e9)
    kept(tmp_path, h200_file, "later.jsonl", 2e9, **{uuid: other, began[:4]: "2031"})
    found = saved_session("NVIDIA H200", uuid, [tmp_path])
    assert found is not None
    assert (found.path, found.own) == (own, True)
    assert roofs(found.session).bandwidth_gbs
    unnamed = saved_session("NVIDIA H200", None, [tmp_path])
    assert unnamed is not None
    assert (unnamed.path.name, unnamed.own) == ("later.jsonl", False)


def test_another_card_and_a_session_that_was_cut_short_do_not(
    h200_file: Path, tmp_path: Path
) -> None:
    lines = h200_file.read_bytes().splitlines(True)
    (tmp_path / "cut.jsonl").write_bytes(b"".join(lines[: len(lines) // 2]))
    assert saved_session("NVIDIA H200", None, [tmp_path]) is None
    shutil.copy(h200_file, tmp_path / "whole.jsonl")
    assert saved_session("NVIDIA H100 80GB HBM3", None, [tmp_path]) is None
    assert saved_session("NVIDIA H200", "GPU-of-nobody", [tmp_path]) is not None
    assert saved_session("NVIDIA H200", None, [tmp_path / "nowhere"]) is None
