from __future__ import annotations

import os
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from roofwatch import mark
from roofwatch.session.watch import marks as module
from roofwatch.session.watch.marks import LONGEST, VARIABLE, Mark, Marks


@pytest.fixture
def marks() -> Iterator[Marks]:
    found = Marks()
    yield found
    found.remove()


def names(found: list[Mark]) -> list[str]:
    return [each.name for each in found]


def file_of(marks: Marks) -> Path:
    assert marks.path is not None
    return marks.path


def test_a_line_from_a_shell_is_a_mark(marks: Marks) -> None:
    environ = os.environ | marks.environment
    script = 'echo "epoch 1" >> "$ROOFWATCH_MARK"; printf "epoch 2" >> "$ROOFWATCH_MARK"'
    subprocess.run(["sh", "-c", script], env=environ, check=True)
    assert marks.poll() == [Mark("epoch 1", None)]
    assert marks.poll() == []
    assert names(marks.poll(last=True)) == ["epoch 2"]  # its line has no end


def test_python_tells_the_moment(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, str(marks.path))
    before = time.monotonic_ns()
    assert mark("epoch\n 3 ")
    assert not mark(" ")
    (found,) = marks.poll()
    assert found.name == "epoch 3"
    assert found.at_ns is not None
    assert before <= found.at_ns <= time.monotonic_ns()


def test_written_anew_is_read_anew(marks: Marks) -> None:
    path = file_of(marks)
    path.write_text("epoch 1\n")
    assert names(marks.poll()) == ["epoch 1"]
    path.write_text("b\n")
    assert names(marks.poll()) == ["b"]
    time.sleep(0.02)
    path.write_text("c\n")  # as long as the one before
    assert names(marks.poll()) == ["c"]
    assert marks.poll() == []


def test_what_is_no_name_is_no_mark(marks: Marks) -> None:
    path = file_of(marks)
    path.write_bytes(
        b"\n   \n@12\n@13 \n\xff\xfe\n" + b"x" * 500 + b"\n@99999999999999999999999 y\n"
    )
    found = marks.poll()
    assert names(found)[1] == "x" * LONGEST
    assert names(found)[2] == "@99999999999999999999999 y"  # no moment has so many digits
    assert len(found) == 3


def test_a_flood_is_counted_not_kept(marks: Marks, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_MARKS", 5)
    file_of(marks).write_text("x\n" * 12)
    assert len(marks.poll()) == 5
    assert marks.dropped == 7


def test_a_line_without_an_end_is_not_kept_for_ever(marks: Marks) -> None:
    path = file_of(marks)
    path.write_bytes(b"x" * (3 * module.MOST_BYTES))
    for _ in range(4):
        assert marks.poll() == []
    with path.open("ab") as file:
        file.write(b"\nepoch 2\n")
    assert names(marks.poll() + marks.poll())[-1] == "epoch 2"


def test_it_is_the_users_own_and_goes_again() -> None:
    marks = Marks()
    path = file_of(marks)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    marks.remove()
    assert not path.parent.exists()
    assert marks.poll() == []


def test_without_anybody_watching_nothing_happens(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    assert mark("x") is False
    monkeypatch.setenv(VARIABLE, str(tmp_path / "gone"))
    assert mark("x") is False
    os.mkfifo(tmp_path / "pipe")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "pipe"))
    assert mark("x") is False  # nobody reads: it does not wait
    target = tmp_path / "target"
    target.write_text("")
    (tmp_path / "link").symlink_to(target)
    monkeypatch.setenv(VARIABLE, str(tmp_path / "link"))
    assert mark("x") is False
    assert target.read_text() == ""
