"""What the screen costs: first paints, key to paint, bytes to the terminal, share of a core.

    python benchmarks/screen.py [--device auto] [--seconds 15] [--json FILE] [--without-nvitop]

The first paint is the program's name and two keys, the whole one the first with panes. Everything
is live while it is measured: a matmul is held, telemetry streams at 10 Hz. Each pane is
watched for so long at 80x24, and all that stand together at 200x60; then keys are pressed and the
time is taken until the screen shows what they ask for. nvitop is measured at the same sizes, beside
the same load. At last a terminal reads nothing for ten seconds. It is a pseudo-terminal of 24-bit
colours each time.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from terminal import Terminal
from where import where

TICKS = os.sysconf("SC_CLK_TCK")
SIZES = ((80, 24), (200, 60))
PANES = (
    *("Roofline", "Clocks", "Probes", "Notebook", "Decode", "Kernels", "Plan", "Sessions"),
    "Trace",
)
KEYS = 40  # presses a size
FIRST_PAINTS = 5
HOLD_S = 600
STALL_S = 10.0


def cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has used, its own threads alone."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def cost(terminal: Terminal, seconds: float) -> dict[str, float]:
    """Bytes and CPU of a program while it stands open."""
    pid = terminal.process.pid
    bytes_before, cpu_before, begin = len(terminal.raw), cpu_s(pid), time.monotonic()
    time.sleep(seconds)
    took = time.monotonic() - begin
    return {
        "kb_per_s": (len(terminal.raw) - bytes_before) / took / 1e3,
        "core_share": (cpu_s(pid) - cpu_before) / took,
    }


def answered(terminal: Terminal, key: str, seen: Callable[[str], bool]) -> float | None:
    """Seconds from a key to the last byte of a screen that shows what it asks for."""
    terminal.text()
    begin = time.monotonic()
    terminal.type(key)
    return terminal.after(begin, seen, begin + 2.0)


def key_times(terminal: Terminal) -> list[float]:
    """Of panes opened one after the other, as a person leafs through them."""
    found = []
    for press in range(KEYS):
        at = press % len(PANES)
        name = f"[{at + 1} "  # the name itself is short where there is little room
        took = answered(terminal, str(at + 1), lambda text, name=name: name in text)
        if took is not None:
            found.append(took)
        time.sleep(0.25)
    return found


def first_paint(
    command: Sequence[str], size: tuple[int, int], *seen: str
) -> tuple[float | None, ...]:
    """Seconds until each of these had been drawn, in their order; the program is ended then."""
    terminal = Terminal(command, *size)
    took = tuple(terminal.when(lambda text, one=one: one in text, 20) for one in seen)
    terminal.close()
    return took


def at_size(size: tuple[int, int], device: str, seconds: float, nvitop: bool) -> dict[str, Any]:
    """All figures of one size."""
    me = [sys.executable, "-m", "roofwatch", "--device", device]
    found: dict[str, Any] = {"size": list(size)}
    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_DATA_HOME"] = folder
        paints = [first_paint(me, size, "quit", "1 Roof") for _ in range(FIRST_PAINTS)]
        found["first_paint_s"], found["whole_paint_s"] = map(list, zip(*paints, strict=True))
        held = [*me, "--sustain", str(HOLD_S), "--save", str(Path(folder) / "held.jsonl")]
        terminal = Terminal(held, *size)
        assert terminal.when(lambda text: "measuring" in text and f"{HOLD_S} s" in text, 180)
        found["panes"] = {}
        if size == SIZES[0]:
            for i, name in enumerate(PANES):
                terminal.type(str(i + 1))
                time.sleep(1.0)
                found["panes"][name] = cost(terminal, seconds)
        else:
            time.sleep(1.0)
            found["panes"]["all that stand together"] = cost(terminal, seconds)
        found["key_to_paint_s"] = key_times(terminal)
        if nvitop:
            theirs = [sys.executable, "-m", "nvitop"]
            found["nvitop"] = {
                "first_paint_s": [
                    first_paint(theirs, size, "NVITOP")[0] for _ in range(FIRST_PAINTS)
                ]
            }
            other = Terminal(theirs, *size)
            other.when(lambda text: "NVITOP" in text, 20)
            time.sleep(2.0)
            found["nvitop"] |= cost(other, seconds)
            other.close()
        terminal.close()
    return found


def stalled(device: str, seconds: float) -> dict[str, float]:
    """What a terminal that reads nothing for so long costs: the longest gap between two samples,
    from before it until after it, and the launches of the held probe that are missing."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "stalled.jsonl"
        me = [sys.executable, "-m", "roofwatch", "--device", device]
        terminal = Terminal([*me, "--sustain", "120", "--save", str(path)], *SIZES[1])
        assert terminal.when(lambda text: "measuring" in text and "120 s" in text, 180)
        time.sleep(3.0)
        terminal.stall(seconds)
        time.sleep(2.0)
        terminal.close()
        events = [json.loads(line) for line in path.read_text().splitlines()]
    ticks = [e["t"] for e in events if e["kind"] == "sample"][-int((seconds + 4) * 10) :]
    series = [e for e in events if e["kind"] == "series"]
    ends = [e["t0"] + sum(e["times_s"]) for e in series]
    between = [b["t0"] - end for end, b in zip(ends, series[1:], strict=False)]
    return {
        "seconds": seconds,
        "samples": len(ticks),
        "longest_gap_s": max(b - a for a, b in pairwise(ticks)),
        "series": len(series),
        "longest_series_gap_s": max(between, default=0.0),
        "faults": sum(e["kind"] == "fault" for e in events),
    }


def tell(found: dict[str, Any]) -> None:
    """The figures of one size as text."""
    keys = sorted(found["key_to_paint_s"])
    print(f"{found['size'][0]}x{found['size'][1]}")
    print(f"  first paint      {_range(found['first_paint_s'])} s")
    print(f"  all panes        {_range(found['whole_paint_s'])} s")
    if len(keys) > 1:
        p95 = statistics.quantiles(keys, n=20)[-1]
        middle = statistics.median(keys)
        print(f"  key to paint     median {middle * 1e3:.0f} ms, p95 {p95 * 1e3:.0f} ms")
    for name, seen in found["panes"].items():
        print(f"  {name:24} {seen['kb_per_s']:5.2f} kB/s {seen['core_share']:6.2%} of a core")
    if "nvitop" in found:
        seen = found["nvitop"]
        print(f"  nvitop, first paint {_range(seen['first_paint_s'])} s")
        print(f"  {'nvitop':24} {seen['kb_per_s']:5.2f} kB/s {seen['core_share']:6.2%} of a core")


def _range(values: Sequence[float | None]) -> str:
    known = sorted(v for v in values if v is not None)
    return f"{known[0]:.2f} - {known[-1]:.2f}" if known else "none"


def main() -> None:
    """Print a table; write JSON where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--without-nvitop", action="store_true")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    nvitop = not options.without_nvitop and shutil.which("nvidia-smi") is not None
    result = {**where(), "seconds": options.seconds, "sizes": []}
    for size in SIZES:
        found = at_size(size, options.device, options.seconds, nvitop)
        tell(found)
        result["sizes"].append(found)
    result["stalled"] = stalled(options.device, STALL_S)
    print("a terminal that reads nothing:", result["stalled"])
    if options.json:
        options.json.write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
