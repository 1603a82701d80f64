"""Whether a day of samples opens, scrolls and fits: eight hours at 10 Hz, made of a recording.

    python benchmarks/long_session.py [--hours 8] [--keys "2 - - left left + end"] [--json FILE]

Two fresh processes look at the file. One folds it and draws the Clocks pane, 60 s, 10 min and the
whole of it, at its begin, in its middle and at its end. The other is the program itself in an 80x24
pseudo-terminal: when its first screen stands, what each key takes until the last byte of its
answer, and how many bytes that is. Memory is the most that a process ever had resident.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from check_speed import processor
from long_file import make
from terminal import Terminal

RECORDED = Path(__file__).parent.parent / "tests" / "sessions" / "h200-full-1.jsonl"
RUNS_OF_SUITE = 5
SIZES = ((80, 20), (120, 36), (200, 56))  # of the pane, cells x rows
WINDOWS_S = (60.0, 600.0)  # and the whole
DRAWS = 7
KEYS = "2 - - - left left left right + + home end"
NAMED = {"left": "\x1b[D", "right": "\x1b[C", "home": "\x1b[H", "end": "\x1b[F"}
PATIENCE_S = 60.0
QUIET_S = 0.3  # without a byte: the answer to a key is over


def peak_bytes(pid: int | str) -> int:
    """The most memory that a process ever had resident (ru_maxrss would count its parent's)."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) * 1024


def folded(path: Path) -> dict[str, Any]:
    """In this process: time and memory of the fold, then what drawing takes."""
    from roofwatch.session.replay import Replay
    from roofwatch.session.summary import record
    from roofwatch.tui.clocks import clocks_pane
    from roofwatch.tui.clocks.clocks_view import ClocksView
    from roofwatch.tui.drawing.glyphs import UNICODE

    begun = time.perf_counter()
    session = Replay(path).session
    found: dict[str, Any] = {"fold_s": time.perf_counter() - begun}
    found["fold_peak_bytes"] = peak_bytes("self")
    whole_s = session.duration_s
    draws = []
    for cells, rows in SIZES:
        for length_s in (*WINDOWS_S, whole_s):
            for place in (0.0, 0.5, 1.0):
                if length_s == whole_s and place < 1.0:
                    continue
                end_s = length_s + place * (whole_s - length_s)
                view = ClocksView(end_s=None if place == 1.0 else end_s, length_s=length_s)
                times = []
                for _ in range(DRAWS):
                    begun = time.perf_counter()
                    clocks_pane.build(session, cells, rows, UNICODE, view)
                    times.append(time.perf_counter() - begun)
                draws.append(
                    {
                        "cells": cells,
                        "rows": rows,
                        "window_s": length_s,
                        "end_s": end_s,
                        "first_s": times[0],
                        "draw_s": statistics.median(times[1:]),
                    }
                )
    found["draws"] = draws
    begun = time.perf_counter()
    record(session, path)
    found["record_s"] = time.perf_counter() - begun
    return found


def on_screen(path: Path, keys: list[str]) -> dict[str, Any]:
    """The program in a pseudo-terminal."""
    terminal = Terminal([sys.executable, "-m", "roofwatch", "show", str(path), "--replay"])
    painted_s = terminal.when(lambda text: "MHz" in text and "quit" in text, PATIENCE_S)
    if painted_s is None:
        raise SystemExit(f"no screen:\n{terminal.text()}")
    _quiet(terminal)
    told = []
    for key in keys:
        before, begun = len(terminal.raw), time.monotonic()
        terminal.type(NAMED.get(key, key))
        last = _quiet(terminal)
        sent = len(terminal.raw) - before
        told.append({"key": key, "answered_s": last - begun if sent else None, "bytes": sent})
    peak = peak_bytes(terminal.process.pid)
    terminal.close()
    return {"painted_s": painted_s, "screen_peak_bytes": peak, "keys": told}


def _quiet(terminal: Terminal) -> float:
    """Wait until nothing comes any more; when the last byte came."""
    size, last = len(terminal.raw), time.monotonic()
    while time.monotonic() - last < QUIET_S:
        time.sleep(0.001)
        if len(terminal.raw) != size:
            size, last = len(terminal.raw), time.monotonic()
    return last


def table(found: dict[str, Any]) -> list[str]:
    """The figures for a person."""
    out = [
        f"{found['samples']} samples, {found['file_bytes'] / 1e6:.0f} MB, on {found['device']}",
        f"folded in {found['fold_s']:.2f} s, {found['fold_peak_bytes'] / 1e6:.0f} MB resident",
        f"record in {found['record_s'] * 1e3:.0f} ms",
        f"first screen after {found['painted_s']:.2f} s, "
        f"{found['screen_peak_bytes'] / 1e6:.0f} MB resident",
        "",
        "  pane     window s     until s   first ms   again ms",
    ]
    for draw in found["draws"]:
        size = f"{draw['cells']}x{draw['rows']}"
        out.append(
            f"{size:>7} {draw['window_s']:11.0f} {draw['end_s']:11.0f}"
            f" {draw['first_s'] * 1e3:10.1f} {draw['draw_s'] * 1e3:10.1f}"
        )
    out += ["", "    key   answered ms   bytes"]
    for key in found["keys"]:
        took = key["answered_s"]
        answered = f"{took * 1e3:.0f}" if took is not None else "nothing"
        out.append(f"{key['key']:>7} {answered:>13} {key['bytes']:>7}")
    return out


def main() -> None:
    """Print a table; keep the figures with --json."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--keys", default=KEYS, help="typed into the screen, one after the other")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--fold", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.fold:
        print(json.dumps(folded(options.fold)))
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.jsonl"
        found: dict[str, Any] = {
            "device": processor(),
            "date": datetime.now(timezone.utc).date().isoformat(),
            "python": platform.python_version(),
            "hours": options.hours,
            "samples": make(RECORDED, path, options.hours, RUNS_OF_SUITE),
            "file_bytes": path.stat().st_size,
        }
        command = [sys.executable, __file__, "--fold", str(path)]
        told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        found |= json.loads(told)
        found |= on_screen(path, options.keys.split())
    print("\n".join(table(found)))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
