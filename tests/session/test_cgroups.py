"""Kills for want of memory, as the control groups of both versions count them."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from roofwatch.session import child as child_module
from roofwatch.session.cgroups import groups, oom_kills
from roofwatch.session.child import Child

V2, V1 = "sys/fs/cgroup", "sys/fs/cgroup/memory"


def laid(tmp_path: Path, cgroup: str, files: dict[str, str]) -> str:
    (tmp_path / "proc/self").mkdir(parents=True)
    (tmp_path / "proc/self/cgroup").write_text(cgroup)
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return str(tmp_path)


@pytest.mark.parametrize(
    ("cgroup", "files", "count"),
    [
        ("0::/\n", {f"{V2}/memory.events": "low 0\nhigh 0\noom 4\noom_kill 3\n"}, 3),
        ("0::/a b/c\n", {f"{V2}/a b/c/memory.events": "oom_kill 2\n"}, 2),
        ("4:memory:/x\n", {f"{V1}/x/memory.oom_control": "under_oom 0\noom_kill 1\n"}, 1),
        ("4:memory:/x\n", {f"{V1}/x/memory.oom_control": "oom_kill_disable 0\nunder_oom 0"}, 0),
        ("0::/\n", {f"{V2}/memory.events": "oom_kill x"}, 0),
        ("0::/\n", {}, 0),
        ("3:cpu:/x\n", {f"{V1}/x/memory.oom_control": "oom_kill 7"}, 0),
    ],
)
def test_kills_are_counted(tmp_path: Path, cgroup: str, files: dict[str, str], count: int) -> None:
    assert oom_kills(laid(tmp_path, cgroup, files)) == count


def test_every_folder_above_ours_is_looked_at(tmp_path: Path) -> None:
    root = laid(tmp_path, "4:memory:/a/b\n", {})
    base = f"{root}/sys/fs/cgroup/memory"
    assert list(groups("memory", root)) == [base, f"{base}/a", f"{base}/a/b"]


@pytest.mark.parametrize(
    ("code", "kills", "said"),
    [
        (1, 1, "ended: exit code 1"),
        (None, 0, "ended: exit code None"),
        (-signal.SIGSEGV, 1, "ended: killed by signal 11"),
        (-signal.SIGKILL, 0, "ended: killed by signal 9"),
        (
            -signal.SIGKILL,
            1,
            "ended: killed by signal 9, by the kernel: the memory that this container may use was "
            "full",
        ),
    ],
)
def test_what_is_said_of_an_end(
    code: int | None, kills: int, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child_module, "oom_kills", lambda: kills)
    child = object.__new__(Child)
    child._oom_kills = 0
    assert child.how_it_ended(code) == said
