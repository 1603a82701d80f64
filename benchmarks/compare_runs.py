"""Whether ``roofwatch compare`` flags what differs, and nothing else.

    python benchmarks/compare_runs.py FOLDER [--runs 5] [--json FILE] [--kept]

Fresh quick suites one after the other on an idle card, after one that is thrown away so that all
begin as warm; then one whose streams' tensors are half the size, and one with
NVIDIA_TF32_OVERRIDE=1. Each is a process of its own; the sessions are kept in FOLDER, without the
readings between probes. Then every pair of the alike, and both others against the first. With
--kept nothing is run: the sessions of FOLDER are compared. Exit code 1 where a pair of the alike
differs, or one of the two others is not flagged.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from roofwatch.session.compare import Comparison, compare
from roofwatch.session.differences import SETTINGS, SIZE
from roofwatch.session.events import Measurement, Sample, Series, decode
from roofwatch.session.figures import figures
from roofwatch.session.fold import Session
from roofwatch.session.replay import Replay

MOST_BYTES = 120_000  # of a kept session
BESIDE_S = 0.15  # readings so close to a measurement are kept
HALF, TF32 = "half", "tf32"
LONGEST_S = 300.0
HALVED = '''\
"""Halves the tensors of the streams in whatever Python starts with this on its path."""
import importlib.abc
import importlib.machinery
import sys

NAME = "roofwatch.probes.streams"


class Halving(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != NAME:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module

        def exec_module(module):
            run(module)
            whole = module.tensor_bytes

            def half(target, op):
                size, beyond_cache = whole(target, op)
                return size // 2 // 4096 * 4096, beyond_cache

            module.tensor_bytes = half

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Halving())
'''
"""The program has no option for it: a size that differs is a mistake that is planted here."""


def run(path: Path, environ: dict[str, str], more: list[str]) -> None:
    """One quick suite in a fresh process; its session is thinned."""
    path.unlink(missing_ok=True)
    command = [sys.executable, "-m", "roofwatch", "run", "--save", str(path), *more]
    done = subprocess.run(
        command,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        timeout=LONGEST_S,
        check=False,
    )
    if done.returncode:
        sys.exit(f"{path.name}: exit code {done.returncode}: {done.stderr.strip()[-400:]}")
    before = told(Replay(path).session)
    thin(path)
    if told(Replay(path).session) != before:
        sys.exit(f"{path.name}: what was left out changed a figure")
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB", flush=True)


def told(session: Session) -> dict[str, float]:
    """Every figure of a session."""
    return {f.what: f.estimate.value for f in figures(session)}


def thin(path: Path) -> None:
    """Leave out the readings between measurements; where it is still long, the series too."""
    lines = path.read_bytes().splitlines(keepends=True)
    found = [decode(line) for line in lines]
    windows = [(m.begin_s, m.end_s) for m in found if isinstance(m, Measurement)]

    def near(t: float) -> bool:
        return any(begin - BESIDE_S <= t <= end + BESIDE_S for begin, end in windows)

    def keep(wanted: Callable[[Any], bool]) -> None:
        nonlocal lines, found
        kept = [i for i, e in enumerate(found) if wanted(e)]
        lines, found = [lines[i] for i in kept], [found[i] for i in kept]

    first = next((e for e in found if isinstance(e, Sample)), None)
    keep(lambda e: not isinstance(e, Sample) or e is first or near(e.t))
    if sum(map(len, lines)) > MOST_BYTES:
        keep(lambda e: not isinstance(e, Series))
    path.write_bytes(b"".join(lines))


def measure(folder: Path, runs: int, more: list[str]) -> None:
    """All sessions."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        run(Path(scratch) / "warm.jsonl", {}, more)
        for i in range(1, runs + 1):
            run(folder / f"run-{i}.jsonl", {}, more)
        (Path(scratch) / "sitecustomize.py").write_text(HALVED)
        path = os.pathsep.join(p for p in (scratch, os.environ.get("PYTHONPATH")) if p)
        run(folder / f"{HALF}.jsonl", {"PYTHONPATH": path}, more)
    run(folder / f"{TF32}.jsonl", {"NVIDIA_TF32_OVERRIDE": "1"}, more)


def flagged(found: Comparison) -> dict[str, Any]:
    """What of a comparison a person would see as different."""
    return {
        "figures": [
            {
                "what": p.what,
                "a": p.a,
                "b": p.b,
                "unit": p.unit,
                "ratio": p.ratio,
                "interval": p.interval,
                "alike": p.alike,
                "notes": p.notes,
            }
            for p in found.pairs
            if p.outside_noise
        ],
        "conditions": [{"what": c.what, "a": c.a, "b": c.b} for c in found.conditions],
        "compared": len(found.pairs),
    }


def spreads(alike: list[Session]) -> list[dict[str, Any]]:
    """Each figure of the alike: its values, and by how much two of them may differ."""
    every = [{(f.what, f.unit): f for f in figures(s)} for s in alike]
    return [
        {
            "what": what,
            "unit": unit,
            "values": [one[what, unit].estimate.value for one in every],
            "run_to_run": first.run_to_run,
        }
        for (what, unit), first in every[0].items()
        if all((what, unit) in one for one in every)
    ]


def judge(folder: Path) -> dict[str, Any]:
    """All comparisons of kept sessions."""
    names = sorted(folder.glob("run-*.jsonl"), key=lambda p: int(p.stem.partition("-")[2]))
    alike = [Replay(path).session for path in names]
    if len(alike) < 2:
        sys.exit(f"{folder}: fewer than two sessions run-N.jsonl")
    pairs = [
        {"a": a.stem, "b": b.stem, **flagged(compare(one, other))}
        for (a, one), (b, other) in itertools.combinations(zip(names, alike, strict=True), 2)
    ]
    first = alike[0]
    against = {
        name: flagged(compare(first, Replay(folder / f"{name}.jsonl").session))
        for name in (HALF, TF32)
        if (folder / f"{name}.jsonl").exists()
    }
    return {
        "device": first.device.name,
        "driver": first.software.driver,
        "torch": first.software.torch,
        "date": (first.started_at or "")[:10],
        "runs": len(alike),
        "pairs": pairs,
        "spreads": spreads(alike),
        "against": against,
    }


def wrong(result: dict[str, Any]) -> list[str]:
    """What was flagged and should not be, or should be and was not."""
    said = [
        f"{pair['a']} and {pair['b']} are alike: {one['what']}"
        for pair in result["pairs"]
        for one in (*pair["figures"], *pair["conditions"])
    ]
    for name, what in ((HALF, SIZE), (TF32, SETTINGS)):
        seen = result["against"].get(name)
        if seen is not None and what not in {c["what"] for c in seen["conditions"]}:
            said.append(f"{name}: the condition {what!r} was not flagged")
    seen = result["against"].get(TF32)
    if seen is not None and "fp32 burst" not in {p["what"] for p in seen["figures"]}:
        said.append(f"{TF32}: the fp32 matmul was not flagged")
    return said


def main() -> int:
    """Measure, compare, print; keep the result where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--device", default="cuda:0")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--kept", action="store_true", help="compare what is there")
    options = parser.parse_args()
    if not options.kept:
        measure(options.folder, options.runs, ["--device", options.device])
    result = judge(options.folder)
    compared = sum(pair["compared"] for pair in result["pairs"])
    flags = sum(len(pair["figures"]) for pair in result["pairs"])
    said = sum(len(pair["conditions"]) for pair in result["pairs"])
    print(f"{len(result['pairs'])} pairs alike, {compared} ratios: {flags} figures, {said} flagged")
    for each in result["spreads"]:
        far = max(each["values"]) / min(each["values"]) - 1
        print(f"  {each['what']:24} {far:8.3%} apart, {each['run_to_run']:.3%} may be chance")
    for name, seen in result["against"].items():
        print(f"{name} against run-1:")
        for p in seen["figures"]:
            print(f"  {p['what']:24} {p['ratio']:.4f} {'; '.join(p['notes'])}")
        for c in seen["conditions"]:
            print(f"  {c['what']}: {c['a']} | {c['b']}")
    for line in (found := wrong(result)):
        print(f"WRONG {line}")
    if options.json:
        options.json.write_text(json.dumps(result, indent=1) + "\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
