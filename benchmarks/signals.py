"""How the program ends at random moments: how soon, with which code, and what it leaves behind.

    python benchmarks/signals.py [--count 20] [--seed 1] [--json FILE]

Each way to end it is tried so often, between 0 and 8 seconds after the start, on the CPU: on the
screen each way, on `run` the signals. Told are the seconds until it was gone, exit codes, whether
the terminal was as before (modes, usual screen, cursor), instruments alive two seconds later, and
whether the session file is readable and has an end. A file that was never begun counts as such.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
from terminal import Terminal
from where import where

from roofwatch.session.file import UnreadableSession, events
from roofwatch.session.fold import fold

LATEST_S = 8.0
PATIENCE_S = 20.0
ORPHANS_S = 2.0
STALL_S = 1.5  # a terminal that reads nothing is asked to redraw for so long, so that it is full
RESULT = Path(__file__).parent / "results" / "cpu" / "signals.json"


def send(number: int) -> Callable[[Terminal], None]:
    """A signal from outside."""
    return lambda terminal: os.kill(terminal.process.pid, number)


def press(key: str) -> Callable[[Terminal], None]:
    """A key."""
    return lambda terminal: terminal.type(key)


def stalled(then: Callable[[Terminal], None]) -> Callable[[Terminal], None]:
    """The terminal reads nothing and is full; then something else."""

    def act(terminal: Terminal) -> None:
        terminal.hold()
        until = time.monotonic() + STALL_S
        while time.monotonic() < until:
            terminal.type("\x0c")
            time.sleep(0.03)
        then(terminal)

    return act


def stopped_and_quit(terminal: Terminal) -> None:
    """Ctrl-Z, a second, fg, a second, q."""
    pid = terminal.process.pid
    terminal.type("\x1a")
    time.sleep(1.0)
    if terminal.process.poll() is None:
        os.kill(pid, signal.SIGCONT)
        time.sleep(1.0)
        terminal.type("q")


def hang_up(terminal: Terminal) -> None:
    """The other end is closed."""
    terminal.hang_up()


SCREEN: dict[str, tuple[Callable[[Terminal], None], bool]] = {
    "SIGINT": (send(signal.SIGINT), False),
    "SIGTERM": (send(signal.SIGTERM), False),
    "SIGHUP": (send(signal.SIGHUP), False),
    "gone, with SIGHUP": (hang_up, True),
    "gone, without": (hang_up, False),
    "stalled, SIGTERM": (stalled(send(signal.SIGTERM)), False),
    "stalled, q": (stalled(press("q")), False),
    "Ctrl-C": (press("\x03"), True),
    "Ctrl-Z, fg, q": (stopped_and_quit, True),
}
RUN = {name: SCREEN[name] for name in ("SIGINT", "SIGTERM", "SIGHUP")}


def family(pid: int) -> list[psutil.Process]:
    """The instruments by what /proc tells of their command line."""
    try:
        return [
            child
            for child in psutil.Process(pid).children(recursive=True)
            if any("roofwatch" in word for word in child.cmdline())
        ]
    except psutil.Error:
        return []


def once(
    verb: list[str], act: Callable[[Terminal], None], owned: bool, after_s: float, folder: Path
) -> dict[str, Any]:
    """One start and its end."""
    saved = folder / "s.jsonl"
    command = [sys.executable, "-m", "roofwatch", *verb, "--device", "cpu", "--save", str(saved)]
    terminal = Terminal(command, owned=owned)
    seen: dict[int, psutil.Process] = {}
    while (left_s := terminal.started + after_s - time.monotonic()) > 0:
        if terminal.process.poll() is not None:
            break
        seen |= {child.pid: child for child in family(terminal.process.pid)}
        time.sleep(min(0.1, left_s))
    seen |= {child.pid: child for child in family(terminal.process.pid)}
    act(terminal)
    begin = time.monotonic()
    seen |= {child.pid: child for child in family(terminal.process.pid)}
    try:
        code = terminal.process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        code = None
        terminal.process.kill()
        terminal.process.wait()
    gone_s = time.monotonic() - begin
    found = {
        "after_s": round(after_s, 3),
        "gone_s": round(gone_s, 3),
        "code": code,
        **restored(terminal, act is hang_up),
    }
    time.sleep(max(0.0, begin + gone_s + ORPHANS_S - time.monotonic()))
    orphans = [child for child in seen.values() if child.is_running()]
    for child in orphans:
        child.kill()
    found |= {"orphans": len(orphans), "file": kept(saved)}
    if act is not hang_up:
        terminal.hang_up()
    return found


def restored(terminal: Terminal, gone: bool) -> dict[str, Any]:
    """Whether the terminal is as before; None where there is none any more."""
    if gone:
        return {"modes": None, "screen": None, "traceback": b"Traceback" in terminal.raw}
    modes = terminal.modes() == terminal.modes_before
    terminal.go_on()
    time.sleep(0.3)
    raw = bytes(terminal.raw)
    usual = raw.rfind(b"\x1b[?1049l") >= raw.rfind(b"\x1b[?1049h")
    cursor = raw.rfind(b"\x1b[?25h") >= raw.rfind(b"\x1b[?25l")
    return {"modes": modes, "screen": usual and cursor, "traceback": b"Traceback" in raw}


def kept(path: Path) -> str:
    """What has become of the session file."""
    if not path.exists():
        return "not begun"
    try:
        return "ended" if fold(events(path)).ends else "no end"
    except UnreadableSession:
        return "unreadable"


def total(found: list[dict[str, Any]]) -> dict[str, Any]:
    """The figures of one row."""
    gone = [f["gone_s"] for f in found]
    return {
        "count": len(found),
        "median_s": statistics.median(gone),
        "longest_s": max(gone),
        "codes": dict(collections.Counter(str(f["code"]) for f in found)),
        "modes_not_restored": sum(f["modes"] is False for f in found),
        "screen_not_restored": sum(f["screen"] is False for f in found),
        "tracebacks": sum(f["traceback"] for f in found),
        "orphans": sum(f["orphans"] for f in found),
        "files": dict(collections.Counter(f["file"] for f in found)),
    }


def tell(name: str, row: dict[str, Any]) -> None:
    """One row of the table."""
    codes = " ".join(f"{code}:{n}" for code, n in sorted(row["codes"].items()))
    files = " ".join(f"{what}:{n}" for what, n in sorted(row["files"].items()))
    print(
        f"{name:26} {row['median_s']:5.2f} {row['longest_s']:6.2f} s  "
        f"modes {row['modes_not_restored']} screen {row['screen_not_restored']} "
        f"tracebacks {row['tracebacks']} orphans {row['orphans']}  {codes}  {files}",
        flush=True,
    )


def main() -> None:
    """Print a row a way; write JSON."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="rows whose name contains this")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    moments = random.Random(options.seed)
    result: dict[str, Any] = {**where(), "count": options.count, "rows": {}}
    rows = [("screen", [], name, how) for name, how in SCREEN.items()]
    rows += [("run", ["run"], name, how) for name, how in RUN.items()]
    print("ended by                  median longest  not restored")
    for what, verb, name, (act, owned) in rows:
        title = f"{what}: {name}"
        if options.only not in title:
            continue
        found = []
        for _ in range(options.count):
            with tempfile.TemporaryDirectory() as folder:
                after_s = moments.uniform(0.0, LATEST_S)
                found.append(once(verb, act, owned, after_s, Path(folder)))
        result["rows"][title] = {**total(found), "tries": found}
        tell(title, result["rows"][title])
    options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
