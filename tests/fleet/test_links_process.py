"""The process of the links as its parent has it: the plan of many ranks, and its last words."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from roofwatch.fleet import links_process
from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_process import LinksProcess

SEVERAL = 8192
# Stands in for the links' module: says of how many the plan is, as a note of its own fault.
CHILD = """
import argparse, os, sys
import msgspec
from roofwatch.fleet.links import Plan
from roofwatch.session.events import Note, encode
parser = argparse.ArgumentParser()
for name in ("--fd", "--t0", "--place"):
    parser.add_argument(name, type=int)
told = parser.parse_args()
plan = msgspec.json.decode(sys.stdin.readline(), type=Plan)
os.write(told.fd, encode(Note(t=0.0, text=f"{len(plan.members)} at {told.place}")))
sys.stderr.write(os.environ.get("PRINTS", ""))
sys.stderr.flush()
if "PRINTS" in os.environ:
    os.abort()
sys.exit(4)
"""


def ended(path: Path, monkeypatch: pytest.MonkeyPatch) -> LinksProcess:
    path.write_text(CHILD)
    monkeypatch.setattr(links_process, "start_of", lambda _: [sys.executable, str(path)])
    ranks = list(range(SEVERAL))
    plan = Plan(
        members=ranks,
        nodes=[ranks[i : i + 8] for i in range(0, SEVERAL, 8)],
        names=[f"node-of-a-long-name-{i}" for i in range(SEVERAL // 8)],
        address="127.0.0.1",
        port=1,
        device="cpu",
    )
    process = LinksProcess(plan, 3)
    until = time.monotonic() + 30
    while not process.over():
        assert time.monotonic() < until
        time.sleep(0.02)
    return process


def test_a_plan_of_many_ranks_reaches_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PRINTS", raising=False)
    process = ended(tmp_path / "child.py", monkeypatch)
    how = process.how()
    process.kill()
    assert how == f"{SEVERAL} at 3 (at starting)"


WARNS = "/x/torch/nn.py:83: FutureWarning: old\n  return func(*args, **kwargs)\n"


@pytest.mark.parametrize(
    ("prints", "last"),
    [(f"[E] Watchdog caught it\n{WARNS}", ": [E] Watchdog caught it"), (WARNS, "")],
)
def test_a_warnings_source_is_no_reason(
    prints: str, last: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PRINTS", prints)
    process = ended(tmp_path / "child.py", monkeypatch)
    how = process.how()
    process.kill()
    assert how == f"killed by signal 6 at starting{last}"


def test_one_that_the_system_does_not_start_leaves_nothing_open(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = Plan(members=[0], nodes=[[0]], names=["n"], address="a", port=1, device="cpu")
    monkeypatch.setattr(links_process, "start_of", lambda _: ["/nowhere/python"])
    before = set(os.listdir("/proc/self/fd"))
    with pytest.raises(FileNotFoundError):
        LinksProcess(plan, 0)
    assert set(os.listdir("/proc/self/fd")) == before


def test_one_that_never_reads_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        links_process, "start_of", lambda _: [sys.executable, "-c", "import time; time.sleep(99)"]
    )
    names = ["x" * (1 << 20)]
    plan = Plan(members=[0], nodes=[[0]], names=names, address="a", port=1, device="cpu")
    began = time.monotonic()
    process = LinksProcess(plan, 0)
    process.kill()
    assert time.monotonic() - began < 5
    assert process.killed
