"""Everything that is claimed of a card, measured on any CUDA machine, and one table of it.

    python benchmarks/card.py [--runs 5] [--pairs 20] [--out FOLDER]

Runs the full suite several times (a session file each), then the benchmarks beside this one, and
prints their figures as one table. It takes a quarter of an hour. ``--steps`` names a part of them.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from repeatability import repeated

HERE = Path(__file__).parent
SUITES = ("mistakes", "decode", "kernels")  # each a step: its session and its record are kept
STEPS = ("full", "screen", "polling", "first", "cancel", "dram", *SUITES, "triage")


def script(name: str, *arguments: str) -> None:
    """Run another benchmark of this folder. What it wrote before is removed: never told again."""
    for argument in arguments:
        if argument.endswith(".json"):
            Path(argument).unlink(missing_ok=True)
    code = subprocess.run([sys.executable, str(HERE / name), *arguments], check=False).returncode
    if code:
        print(f"{name} ended with code {code}: its figures are missing below", file=sys.stderr)


def full(runs: int, out: Path) -> list[Path]:
    """Sessions of the full suite, one after the other."""
    paths = [out / f"full-{i + 1}.jsonl" for i in range(runs)]
    for path in paths:
        path.unlink(missing_ok=True)
        command = [sys.executable, "-m", "roofwatch", "run", "--suite", "full", "--json"]
        subprocess.run(
            [*command, "--save", str(path)],
            check=False,
            stdout=subprocess.DEVNULL,
            stderr=sys.stderr,
        )
    return paths


def suite(name: str, out: Path) -> None:
    """One run of a suite on this card: the session and its record are kept."""
    session, kept = out / f"{name}.jsonl", out / f"{name}.json"
    session.unlink(missing_ok=True)
    kept.unlink(missing_ok=True)
    command = [sys.executable, "-m", "roofwatch", "run", "--suite", name, "--json"]
    run = subprocess.run(
        [*command, "--save", str(session)],
        check=False,
        stdout=subprocess.PIPE,
        stderr=sys.stderr,
    )
    if run.stdout:
        kept.write_bytes(run.stdout)


def table(out: Path) -> list[tuple[str, str]]:
    """Every figure there is in ``out``, as (what, figure)."""
    rows: list[tuple[str, str]] = []
    runs = _load(out / "repeatability.json").get("runs")
    if runs:
        rows += [(r.what, r.said) for r in repeated(runs)]
        suites = " ".join(f"{r['suite_s']:.0f}" for r in runs)
        rows.append(("full suite after torch's import, s", suites))
    for name, what in (("perturbation", "screen"), ("polling", "polling")):
        seen = _load(out / f"{name}.json")
        for probe in ("matmul", "add") if seen else ():
            cost = seen[probe]
            text = f"{cost['ratio']:.5f} ({cost['low']:.5f} to {cost['high']:.5f})"
            rows.append((f"{probe} with {what} / without", text))
    first = _load(out / "first_roof.json")
    for name in ("first_paint_s", "roofs_after_import_s") if first else ():
        rows.append((name, " ".join(f"{r[name]:.2f}" for r in first["runs"])))
    stop = _load(out / "cancel.json")
    if stop:
        rows.append(("longest stop of a probe, s", f"{stop['longest_s']:.2f}"))
    dram = _load(out / "dram_counters.json")
    for op in dram.get("ops", ()):
        rows.append((f"{op['name']}: DRAM counters / formula", f"{op['ratio']:.1%}"))
    for m in _load(out / "mistakes.json").get("mistakes", ()):
        right = "n/a" if m["right"] is None else f"{m['right']:.4g}"
        text = f"{m['wrong']:.4g} / {right} {m['unit']}{'' if m['flagged'] else ', NOT FLAGGED'}"
        rows.append((f"{m['code']} {m['name']}: wrong / right", text))
    curves = _load(out / "decode.json")
    for d in curves.get("decode", ()):
        if d["explained"] is not None:
            what = f"{d['model']} at {d['context']}, batch {d['batch']}: parts / step"
            rows.append(
                (what, f"{d['explained']:.1%} of {(d['graph_s'] or d['eager_s']) * 1e3:.3g} ms")
            )
    for k in _load(out / "kernels.json").get("kernels", ()):
        share = "n/a" if k["of_roof"] is None else f"{k['of_roof']:.0%}"
        rows.append((f"{k['label']}: of its roof, bound", f"{share}, {k['bound']}"))
    for name, answer in _load(out / "triage.json").get("answers", {}).items():
        right = "" if answer["bound"] == answer["planted"] else f", planted {answer['planted']}"
        rows.append((f"triage of {name}", f"{answer['bound']}{right}"))
    return rows


def _load(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(path.read_text()) if path.exists() else {}
    return loaded


def main() -> None:
    """Measure, then print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--out", type=Path, default=Path("card"))
    parser.add_argument("--steps", default=",".join(STEPS), help="some of " + ",".join(STEPS))
    options = parser.parse_args()
    steps = options.steps.split(",")
    unknown = [step for step in steps if step not in STEPS]
    if unknown:
        parser.error(f"unknown step {unknown[0]!r}: known are {', '.join(STEPS)}")
    out = options.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    if "full" in steps:
        sessions = [str(path) for path in full(options.runs, out)]
        script("repeatability.py", *sessions, "--json", str(out / "repeatability.json"))
    pairs = ("--pairs", str(options.pairs))
    if "screen" in steps:
        script("perturbation.py", *pairs, "--json", str(out / "perturbation.json"))
    if "polling" in steps:
        script("perturbation.py", "--what", "polling", *pairs, "--json", str(out / "polling.json"))
    if "first" in steps:
        script("first_roof.py", "--json", str(out / "first_roof.json"))
    if "cancel" in steps:
        script("cancel.py", "--json", str(out / "cancel.json"))
    if "dram" in steps:
        output = str(out / "dram_counters.txt")
        script("dram_counters.py", "--json", str(out / "dram_counters.json"), "--output", output)
    for name in SUITES:
        if name in steps:
            suite(name, out)
    if "triage" in steps:
        script("triage_planted.py", "--json", str(out / "triage.json"))
    for what, said in table(out):
        print(f"{what:58} {said}")


if __name__ == "__main__":
    main()
