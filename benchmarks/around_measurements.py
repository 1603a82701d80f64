"""The part of docs/measurements.md on other people's work: watch, doctor, trace."""

from __future__ import annotations

import statistics
from pathlib import Path

from kept import load, paragraph, place

from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.watch.summary import CardWatched, watched

SESSIONS = Path(__file__).parent.parent / "tests" / "sessions" / "watch"
RUNS = {"h200-1": "matmul, nothing else", "h200-2": "the same, three rests of 0.6 s"}


def around() -> list[str]:
    """Cost and sums of ``roofwatch watch``."""
    cost = load("watch_cost")
    bare, seen = cost["bare_tflops"], cost["watched_tflops"]
    lines = [
        "## Around a command",
        "",
        *paragraph(
            f"{place(cost)}. `python benchmarks/watch_cost.py --pairs {cost['pairs']}`: a bf16 "
            f"matmul loop of {cost['seconds']:.0f} s, a process each time, with and without "
            "`roofwatch watch` around it in turns. Throughput watched / bare: "
            f"{cost['ratio']:.5f}, 95 % interval {cost['low']:.5f} to {cost['high']:.5f} (medians "
            f"{statistics.median(seen):.1f} and {statistics.median(bare):.1f} TFLOP/s)."
        ),
        "What it summed up, by both ways each (sessions kept under `tests/sessions/watch/`):",
        "",
        "| session | work | energy, counter | power x time | ratio | power limit, counter "
        "| power limit, samples | no kernel inside the work |",
        "|---|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, what in RUNS.items():
        card = watched(fold(events(SESSIONS / f"{name}.jsonl")), {}).cards[0]
        lines.append(f"| {name} | {what} | {_sums(card)} |")
    return [*lines, "", *looked_over()]


def looked_over() -> list[str]:
    """What ``roofwatch doctor`` said of the machine."""
    kept = load("doctor")
    rows = kept["rows"]
    others = [row for row in rows if row["status"] != "ok"]
    told = "".join(f"; {row['check']} {row['status']} ({row['found']})" for row in others)
    shown = ("driver", "locked-clocks", "thermals", "pcie-generation", "pcie-width", "pcie-rate")
    seen = [f"| {row['check']} | {row['found']} |" for row in rows if row["check"] in shown]
    return [
        "## The machine, looked over",
        "",
        *paragraph(
            f"{place(kept)}. `{kept['command']}`, {kept['seconds']:.0f} s with torch's import, as "
            f"root: {len(rows) - len(others)} of {len(rows)} checks ok{told}. "
            "Some of them:"
        ),
        "| check | found |",
        "|---|---|",
        *seen,
        "",
    ]


def _sums(card: CardWatched) -> str:
    energy = card.energy
    capped = next(r for r in card.reasons if r.key == "power_cap")
    assert energy is not None
    assert energy.counter_j is not None
    assert energy.integral_j is not None
    told = (
        f"{energy.counter_j:.0f} J",
        f"{energy.integral_j:.0f} J",
        f"{energy.integral_j / energy.counter_j:.4f}",
        f"{(capped.counter_share or 0.0) * 100:.1f} %",
        f"{capped.sampled_share * 100:.1f} %",
        f"{(card.starved_share or 0.0) * card.work_s:.1f} of {card.work_s:.1f} s",
    )
    return " | ".join(told)
