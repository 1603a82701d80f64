"""Whether ``roofwatch triage`` names the bottleneck of callables that have a known one.

    python benchmarks/triage_planted.py [--json FILE] [--session FILE] [--only NAME ...]

Runs every function of benchmarks/planted.py through the command line, one process each, and
compares the bound with what was planted. Exit code 1 when one of the planted ones is wrong; a test
of judgement that differs is printed. A saved session of this card spares each its own roof.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from planted import EXPECTED, PLANTED
from where import where

ROOT = Path(__file__).parent.parent
LONGEST_S = 300.0


def triaged(name: str, more: list[str]) -> dict[str, Any]:
    """The command line's answer about one function; its error where there is none."""
    command = [sys.executable, "-m", "roofwatch", "triage", f"benchmarks/planted.py:{name}"]
    begin = time.monotonic()
    done = subprocess.run(
        [*command, "--json", *more],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=LONGEST_S,
        check=False,
    )
    took_s = round(time.monotonic() - begin, 1)
    if done.returncode:
        said = done.stderr.strip()[-300:]
        return {"bound": None, "code": done.returncode, "error": said, "took_s": took_s}
    return {**json.loads(done.stdout), "took_s": took_s}


def main() -> int:
    """Print a line each; keep all answers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--session", type=Path)
    parser.add_argument("--only", nargs="*", choices=EXPECTED, default=list(EXPECTED))
    options = parser.parse_args()
    more = ["--session", str(options.session.resolve())] if options.session else []
    answers: dict[str, Any] = {}
    wrong = []
    for name in options.only:
        got = answers[name] = {"planted": EXPECTED[name], **triaged(name, more)}
        right = got["bound"] == EXPECTED[name]
        mark = "ok   " if right else "WRONG" if name in PLANTED else "other"
        if not right and name in PLANTED:
            wrong.append(name)
        said = got.get("error") or f"{got['bound']} {got['certainty']}"
        print(f"{mark} {name:24} {EXPECTED[name]:10} {said:22} {got['took_s']:.1f} s", flush=True)
    if options.json:
        kept = {"where": where(), "load": os.getloadavg(), "answers": answers}
        options.json.write_text(json.dumps(kept, indent=1) + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
