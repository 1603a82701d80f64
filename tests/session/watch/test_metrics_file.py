from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from roofwatch.session.watch.metrics_file import PERIOD_S, MetricsFile, MetricsRefused


def test_it_is_replaced_whole_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    path = tmp_path / "gpu.prom"
    path.write_text("old")
    file = MetricsFile(path)
    file.write("new\n")
    file.write("newer\n")
    assert path.read_text() == "newer\n"
    assert [p.name for p in tmp_path.iterdir()] == ["gpu.prom"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o444


def test_it_is_due_once_a_second(tmp_path: Path) -> None:
    file = MetricsFile(tmp_path / "m")
    assert [file.due(t) for t in (5.0, 5.5, 5.0 + PERIOD_S, 6.2)] == [True, False, True, False]


def test_what_stands_in_its_place_is_refused(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("theirs")
    (tmp_path / "link").symlink_to(tmp_path / "target")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "."):
        with pytest.raises(MetricsRefused, match="is no file"):
            MetricsFile(tmp_path / name)
    with pytest.raises(MetricsRefused, match="nowhere: there is no such folder"):
        MetricsFile(tmp_path / "nowhere" / "m")


def test_trouble_later_is_said_once_and_is_no_error(tmp_path: Path) -> None:
    folder = tmp_path / "there"
    folder.mkdir()
    file = MetricsFile(folder / "m")
    folder.rmdir()
    file.write("x")
    file.write("y")
    assert file.problem is not None
    assert "No such file" in file.problem
