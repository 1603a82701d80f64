"""The part of docs/measurements.md on ``roofwatch compare``: what it flags, and what not."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from kept import RESULTS, load, paragraph, place

WHAT = {
    "half": "Streams of tensors of half the size",
    "tf32": "NVIDIA_TF32_OVERRIDE=1",
}


def compared() -> list[str]:
    """Nothing where no such result is kept."""
    if not (RESULTS / "compare_runs.json").exists():
        return []
    found = load("compare_runs")
    pairs = found["pairs"]
    ratios = sum(pair["compared"] for pair in pairs)
    flags = [one["what"] for pair in pairs for one in pair["figures"]]
    conditions = [one["what"] for pair in pairs for one in pair["conditions"]]
    lines = [
        "## What a comparison flags",
        "",
        *paragraph(
            f"{place(found)}, torch {found['torch']}. `python benchmarks/compare_runs.py FOLDER`: "
            f"{found['runs']} quick suites in fresh processes, all {len(pairs)} pairs of them: of "
            f"{ratios} ratios {_so_many(flags)} called outside noise, {_so_many(conditions)} "
            "called another condition."
        ),
        "| figure | runs | apart by | may be chance |",
        "|---|---|---:|---:|",
        *map(_spread, found["spreads"]),
        "",
    ]
    for name, seen in found["against"].items():
        lines += _against(WHAT[name], seen)
    return lines


def _so_many(found: list[str]) -> str:
    if not found:
        return "none was"
    return f"{len(found)} ({', '.join(sorted(set(found)))}) {'was' if len(found) == 1 else 'were'}"


def _spread(each: dict[str, Any]) -> str:
    values = each["values"]
    digits = max(0, 3 - math.floor(math.log10(max(values))))
    said = ", ".join(f"{v:.{digits}f}" for v in values)
    apart = max(values) / min(values) - 1
    return f"| {each['what']}, {each['unit']} | {said} | {apart:.2%} | {each['run_to_run']:.2%} |"


def _against(what: str, seen: dict[str, Any]) -> list[str]:
    figures = _listed(
        f"{p['what']} {p['ratio']:.3f}" + ("" if p["alike"] else " (not measured alike)")
        for p in seen["figures"]
    )
    conditions = _listed(f"{c['what']} ({c['a']}; {c['b']})" for c in seen["conditions"])
    return paragraph(
        f"{what}, against the first run: conditions that differ: {conditions}. Outside noise: "
        f"{figures}; {seen['compared'] - len(seen['figures'])} others within."
    )


def _listed(said: Iterable[str]) -> str:
    return ", ".join(said) or "none"
