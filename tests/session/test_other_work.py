"""What other work keeps of the CPU: on machines laid out in a folder, and on this one."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.session import other_work
from roofwatch.session.other_work import OtherWork

TICKS = os.sysconf("SC_CLK_TCK")
Machine = Callable[..., str]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """Lay out two cores of four, and processes with the seconds that they have used."""
    monkeypatch.setattr(other_work, "usable", lambda: [0, 1])

    def lay(busy_s: float, own: dict[int, tuple[float, str]]) -> str:
        ticks = int(busy_s * TICKS)
        lines = ["cpu  1 1 1 1 1 1 1 0 0 0"]
        lines += [f"cpu{n} {ticks // 2} 0 0 999 50 0 0 0 7 7" for n in range(2)]
        lines += ["cpu2 999999 0 0 0 0 0 0 0 0 0", "intr 1"]
        (tmp_path / "proc").mkdir(exist_ok=True)
        (tmp_path / "proc/stat").write_text("\n".join(lines))
        for pid, (seconds, children) in own.items():
            of = tmp_path / f"proc/{pid}"
            (of / f"task/{pid}").mkdir(parents=True, exist_ok=True)
            used = int(seconds * TICKS)
            before = " ".join(["0"] * 10)
            (of / "stat").write_text(f"{pid} (a name) ) S {before} {used} 0 0 0 20 0")
            (of / f"task/{pid}/children").write_text(children)
        return str(tmp_path)

    return lay


def passed(monkeypatch: pytest.MonkeyPatch, *moments_s: float) -> None:
    left = iter(moments_s)
    monkeypatch.setattr(other_work.time, "monotonic", lambda: next(left))


def test_what_is_not_ours_is_others(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    passed(monkeypatch, 0.0, 2.0, 4.0)
    root = machine(10, {7: (1, "8 9"), 8: (2, ""), 9: (3, "")})
    others = OtherWork(7, root)
    machine(14, {7: (1, "8 9"), 8: (2.5, ""), 9: (3.5, "")})
    assert others.cores() == pytest.approx(1.5)  # 4 s of which 1 is ours, in 2
    machine(16, {8: (4.5, "")})  # all of it ours
    assert others.cores() == 0.0


def test_so_soon_nothing_is_said_and_nothing_lost(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed(monkeypatch, 0.0, 0.1, 1.0)
    root = machine(10, {7: (1, "")})
    others = OtherWork(7, root)
    machine(12, {7: (1, "")})
    assert others.cores() is None
    assert others.cores() == 2.0


def test_where_the_kernel_does_not_tell_nothing_is_known(machine: Machine, tmp_path: Path) -> None:
    assert OtherWork(7, "/nowhere").cores() is None
    root = machine(10, {7: (1, "")})
    (tmp_path / "proc/7/task/7/children").unlink()  # a kernel that does not list them
    assert OtherWork(7, root).cores() is None


def test_this_machines_own_children_are_ours() -> None:
    before = other_work.look(os.getpid())
    if before is None:
        pytest.skip("this kernel does not tell")
    end_s = time.monotonic() + 0.5
    busy = f"import time\nwhile time.monotonic() < {end_s}: pass"
    subprocess.run([sys.executable, "-c", busy], check=True)
    after = other_work.look(os.getpid())
    assert after is not None
    assert after.own_s > before.own_s  # it has ended, and counts all the same
    assert after.busy_s >= before.busy_s
