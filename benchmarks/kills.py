"""Kills each instrument, and roofwatch itself, at random moments: what is left of the session?

    python benchmarks/kills.py [--count 100] [--victim NAME] [--seed 1] [--device cpu] [--json FILE]

SIGKILL after 0 to 12 seconds of a run, by turns of the screen and of ``run``. A killed instrument
has two seconds to be replaced, then the program is ended by SIGTERM. Orphans are processes of ours
that live two seconds after its end. Samples are lost from the last one in the file to the kill.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import psutil
from terminal import Terminal

from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import Session, fold

ME = [sys.executable, "-m", "roofwatch"]
VICTIMS = ("telemetry", "probes", "parent")
LATEST_S = 12.0
REPLACED_S = 2.0
GONE_S = 2.0
PERIOD_S = 0.1  # of samples


def family(parent: psutil.Process) -> dict[str, psutil.Process]:
    """The instruments of a roofwatch by their names."""
    found = {}
    for child in parent.children(recursive=True):
        try:
            command = child.cmdline()
        except psutil.Error:
            continue
        for name in ("telemetry", "probes"):
            if f"roofwatch.{name}" in command:
                found[name] = child
    return found


def began_ns(instrument: psutil.Process) -> int:
    """When its session began, on the monotonic clock."""
    command = instrument.cmdline()
    return int(command[command.index("--t0") + 1])


def lives(process: psutil.Process) -> bool:
    """Whether it runs; one that is dead and not yet waited for does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def over(ended_s: float) -> bool:
    """Whether a child had its time since the end of its parent."""
    return time.monotonic() > ended_s + GONE_S


def one(victim: str, screen: bool, after_s: float, device: str, path: Path) -> dict[str, Any]:
    """One run with one kill: what was seen of it."""
    command = [*ME, *([] if screen else ["run"]), "--device", device, "--save", str(path)]
    terminal = Terminal(command) if screen else None
    process = (
        terminal.process
        if terminal
        else subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
    )
    try:
        return seen(victim, process, after_s, path)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        if terminal:
            terminal.close()


def seen(victim: str, process: Any, after_s: float, path: Path) -> dict[str, Any]:
    parent = psutil.Process(process.pid)
    end_s = time.monotonic() + after_s
    children: dict[int, psutil.Process] = {}
    t0_ns = None
    while True:  # until the moment has come, and the one to be killed is there
        now = family(parent)
        children |= {child.pid: child for child in now.values()}
        if t0_ns is None and "telemetry" in now:
            t0_ns = began_ns(now["telemetry"])
        there = victim == "parent" or victim in now
        if time.monotonic() >= end_s and there and t0_ns is not None:
            break
        if process.poll() is not None:
            return {"victim": victim, "missed": True}
        time.sleep(0.01)
    target = process.pid if victim == "parent" else now[victim].pid
    kill_s = (time.monotonic_ns() - t0_ns) / 1e9
    os.kill(target, signal.SIGKILL)
    if victim != "parent":
        time.sleep(REPLACED_S)
        children |= {child.pid: child for child in family(parent).values()}
        process.send_signal(signal.SIGTERM)
    code = process.wait(15)
    ended_s = time.monotonic()
    while (left := [c for c in children.values() if lives(c)]) and not over(ended_s):
        time.sleep(0.01)
    found: dict[str, Any] = {
        "victim": victim,
        "kill_s": round(kill_s, 3),
        "exit_code": code,
        "orphans": len(left),
        "gone_s": round(time.monotonic() - ended_s, 3),
    }
    try:
        session = fold(events(path))
    except UnreadableSession as error:
        return found | {"unreadable": str(error)}
    return found | told(session, kill_s, victim)


def told(session: Session, kill_s: float, victim: str) -> dict[str, Any]:
    """What the file says of the time around the kill."""
    moments = list(session.samples.moments)
    before = [t for t in moments if t <= kill_s]
    gaps = [b - a for a, b in pairwise(moments)]
    found: dict[str, Any] = {
        "samples": len(moments),
        "faults": [f.exit_code for f in session.faults],
        "longest_gap_s": round(max(gaps, default=0.0), 3),
    }
    if before:
        found["lost_s"] = round(kill_s - before[-1], 3)
    if victim == "telemetry" and before and len(before) < len(moments):
        found["back_s"] = round(moments[len(before)] - kill_s, 3)
    return found


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The totals of one victim."""
    tried = [r for r in rows if not r.get("missed")]
    lost = [r["lost_s"] for r in tried if "lost_s" in r]
    back = [r["back_s"] for r in tried if "back_s" in r]
    return {
        "kills": len(tried),
        "missed": len(rows) - len(tried),
        "readable": sum("unreadable" not in r for r in tried),
        "orphans": sum(r["orphans"] for r in tried),
        "longest_gone_s": max((r["gone_s"] for r in tried), default=0.0),
        "with_samples": len(lost),
        "most_lost_s": max(lost, default=0.0),
        "median_lost_s": statistics.median(lost) if lost else 0.0,
        "came_back": len(back),
        "latest_back_s": max(back, default=None),
        "exit_codes": dict(Counter(str(r["exit_code"]) for r in tried)),
        "without_fault": sum(
            r["victim"] != "parent" and -9 not in r.get("faults", []) for r in tried
        ),
    }


def main() -> int:
    """Kill as often as was asked; 1 when anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="kills of each victim")
    parser.add_argument("--victim", choices=VICTIMS, action="append")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    found: dict[str, Any] = {}
    for victim in options.victim or VICTIMS:
        dice = random.Random(f"{options.seed} {victim}")
        rows: list[dict[str, Any]] = []
        while sum(not r.get("missed") for r in rows) < options.count:
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "s.jsonl"
                after_s = dice.uniform(0, LATEST_S)
                rows.append(one(victim, len(rows) % 2 == 0, after_s, options.device, path))
            print(rows[-1], file=sys.stderr, flush=True)
        found[victim] = summary(rows)
        print(victim, json.dumps(found[victim]), flush=True)
    date = datetime.date.today().isoformat()
    if options.json:
        told = {"date": date, "device": options.device, "seed": options.seed, "victims": found}
        options.json.write_text(json.dumps(told, indent=1) + "\n")
    good = all(
        f["readable"] == f["kills"] and not f["orphans"] and f["most_lost_s"] <= 1.0
        for f in found.values()
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
