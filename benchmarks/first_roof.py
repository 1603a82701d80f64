"""How soon the screen is alive: first paint, live telemetry, both first roofs, the whole suite.

    python benchmarks/first_roof.py [--runs 3] [--device auto] [--start] [--json FILE]

Each run starts the program (with --start through ./start) in an 80x24 pseudo-terminal and reads its
screen. Times are seconds after the process was started; torch's import is told by the probe
instrument itself.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from terminal import Terminal
from where import where

MARKS = {
    "first_paint_s": r"quit",
    "card_s": r"(?m)^ (?!looking)\S.*(GiB|GB)",
    "telemetry_s": r"\d+/\d+ MHz",
    "bandwidth_roof_s": r"DRAM [\d.]+( of \d+)? GB/s",
    "compute_roof_s": r"burst [\d.]+",
}


def one(program: list[str], device: str, folder: Path, number: int) -> dict[str, float | None]:
    """One run; every figure in seconds."""
    session = folder / f"{number}.jsonl"
    terminal = Terminal([*program, "--device", device, "--save", str(session)])
    found: dict[str, float | None] = {}
    for name, pattern in MARKS.items():
        found[name] = terminal.when(lambda text, p=pattern: bool(re.search(p, text)), 120)
    terminal.when(lambda _: '"kind":"end"' in session.read_text(), 180)
    terminal.close()
    events = [json.loads(line) for line in session.read_text().splitlines()]
    probes = next(e for e in events if e.get("instrument") == "probes" and e["kind"] == "session")
    end = next(e for e in events if e["kind"] == "end")
    begin = next(e["t"] for e in events if e["kind"] == "span")
    found["torch_import_s"] = probes["import_s"]
    found["probing_s"] = end["t"] - begin
    found["suite_after_import_s"] = end["t"] - (probes["t"])
    roofs = [found["bandwidth_roof_s"], found["compute_roof_s"]]
    if None not in roofs:
        found["roofs_after_import_s"] = max(roofs) - probes["import_s"]  # type: ignore[type-var]
    return found


def main() -> None:
    """Print a table; write JSON where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--start", action="store_true", help="through ./start, set up before")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    program = [sys.executable, "-m", "roofwatch"]
    if options.start:
        program = [str(Path(__file__).parent.parent / "start")]
    with tempfile.TemporaryDirectory() as folder:
        runs = [one(program, options.device, Path(folder), i) for i in range(options.runs)]
    for name in runs[0]:
        values = [r[name] for r in runs]
        print(f"{name:24}", *(f"{v:8.2f}" if v is not None else "    none" for v in values))
    if options.json:
        options.json.write_text(json.dumps({**where(), "runs": runs}, indent=1))


if __name__ == "__main__":
    main()
