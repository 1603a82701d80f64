"""How long `roofwatch check` takes: one row as a process, and ten thousand rows of a file.

python benchmarks/check_speed.py [--json FILE]
"""

from __future__ import annotations

import argparse
import json
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

CASES = Path(__file__).parent.parent / "tests" / "notebook" / "cases" / "cases.jsonl"
ONE = [
    "--gpu",
    "T4",
    "--op",
    "add_scalar",
    "--elements",
    "524288",
    "--dtype",
    "fp16",
    "--claimed",
    "900GB/s",
]
ROWS = 10_000
RUNS = 7


def seconds(arguments: list[str]) -> float:
    """Wall time of the verb as a process of its own."""
    command = [sys.executable, "-m", "roofwatch", "check", *arguments]
    begin = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def many(path: Path) -> None:
    """Ten thousand rows out of the public cases, each with a time of its own."""
    rng = random.Random(1)
    rows = [json.loads(line)["row"] for line in CASES.read_text(encoding="utf-8").splitlines()]
    with path.open("w", encoding="utf-8") as file:
        for number in range(ROWS):
            row = dict(rng.choice(rows), id=f"r{number}")
            if "time_s" in row:
                row["time_s"] *= rng.uniform(0.8, 1.2)
            file.write(json.dumps(row) + "\n")


def processor() -> str:
    """The CPU's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.machine())


def main() -> None:
    """Print medians; keep them with --json."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.jsonl"
        many(path)
        found = {
            "device": processor(),
            "date": datetime.now(timezone.utc).date().isoformat(),
            "python": platform.python_version(),
            "runs": RUNS,
            "rows": ROWS,
            "one_row_s": statistics.median(seconds(ONE) for _ in range(RUNS)),
            "rows_json_s": statistics.median(seconds(["--json", str(path)]) for _ in range(RUNS)),
            "rows_text_s": statistics.median(seconds([str(path)]) for _ in range(RUNS)),
        }
    print(json.dumps(found, indent=1))
    if options.json:
        options.json.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
