"""What ``roofwatch watch`` costs the command that it wraps, and whether its sums are right.

    python benchmarks/watch_cost.py [--pairs 20] [--seconds 3] [--json FILE] [--session FILE]

Each pair is the same program twice, a process each, one of them under ``roofwatch watch``; which
comes first alternates. Then one longer run is watched, its energy by the card's counter held
against power times time, and each reason's counter against the samples that had its bit.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from perturbation import interval
from where import where

from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.watch.summary import watched

LOOP = [sys.executable, str(Path(__file__).with_name("matmul_loop.py"))]
WATCH = [sys.executable, "-m", "roofwatch", "watch"]


def run(command: list[str], *options: str) -> dict[str, Any]:
    """What the loop says of itself."""
    done = subprocess.run([*command, *LOOP, *options], capture_output=True, text=True, check=True)
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def sums(path: Path) -> dict[str, Any]:
    """Energy and reasons of a kept session, each by its two ways."""
    session = fold(events(path))
    seen = watched(session, {})
    card = seen.cards[0]
    found: dict[str, Any] = {"seconds": seen.seconds, "samples": card.samples, "reasons": {}}
    if card.energy is not None and card.energy.counter_j:
        found["counter_j"] = card.energy.counter_j
        found["integral_j"] = card.energy.integral_j
        found["energy_ratio"] = (card.energy.integral_j or 0.0) / card.energy.counter_j
    for reason in card.reasons:
        if reason.counter_share is not None:
            found["reasons"][reason.key] = {
                "counter_share": reason.counter_share,
                "sampled_share": reason.sampled_share,
            }
    return found


def main() -> None:
    """Pairs, then the longer run; printed, and written where asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=3.0)
    parser.add_argument("--long", type=float, default=8.0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--session", type=Path, help="keep the longer run's session there")
    options = parser.parse_args()
    scratch = Path(tempfile.mkdtemp())
    ratios, bare_tflops, watched_tflops = [], [], []
    for i in range(options.pairs):
        seen: dict[bool, float] = {}
        for on in (True, False) if i % 2 else (False, True):
            wrap = [*WATCH, "--save", str(scratch / f"{i}.jsonl"), "--"] if on else []
            seen[on] = run(wrap, "--seconds", str(options.seconds), "--warm", "2")["tflops"]
        ratios.append(seen[True] / seen[False])
        bare_tflops.append(seen[False])
        watched_tflops.append(seen[True])
        print(f"pair {i + 1}: {seen[False]:.1f} bare, {seen[True]:.1f} watched", flush=True)
    middle, low, high = interval(ratios) if len(ratios) > 1 else (ratios[0], 0.0, 9.0)
    print(f"watched / bare: {middle:.5f}   95 % {low:.5f} to {high:.5f}")
    kept = options.session or scratch / "long.jsonl"
    long = ["--seconds", str(options.long), "--warm", "1"]
    run([*WATCH, "--save", str(kept), "--"], *long)
    result = {
        **where(),
        "pairs": options.pairs,
        "seconds": options.seconds,
        "ratio": middle,
        "low": low,
        "high": high,
        "bare_tflops": bare_tflops,
        "watched_tflops": watched_tflops,
        "long": sums(kept),
    }
    print(json.dumps(result["long"], indent=1))
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
