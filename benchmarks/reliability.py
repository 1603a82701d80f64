"""Writes docs/reliability.md from kept results; a test holds it to them.

python benchmarks/reliability.py
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kept import load, paragraph, place
from nvml_matrix import table

ROOT = Path(__file__).parent.parent
CPU = ROOT / "benchmarks" / "results" / "cpu"
OUTPUT = ROOT / "docs" / "reliability.md"

CASES = {
    "assert": "device-side assert in a kernel",
    "kill": "probes killed in a matmul",
    "hang": "probes stopped in a matmul",
    "parent": "roofwatch killed in a matmul, then `--resume`",
    "hog": "another process takes all but 5 %, again and again",
    "full": "another process holds all but 9 GiB",
}
WORDS = (
    "`null`: no value, and its status says why. `line`: one line, nothing else. `same`: every "
    "value is true all the same. `works`: the heartbeat names the call that hangs, and telemetry "
    "started again without it reads on. `other card`: what is shown is true of the card that it "
    "names. `reading`: a 0 where 0 is a reading. The garbage: largest integers, 0, negative, NaN, "
    "None, wrong types, no UTF-8, short, empty and huge lists, control characters."
)
KILLED = ("killed", "times", "readable", "most lost, s", "median lost, s", "orphans", "back, s")
ENDED = (
    "how",
    "times",
    "median, s",
    "longest, s",
    "exit codes",
    "not restored",
    "orphans",
    "open",
    "tracebacks",
)

FUZZED = (
    "reader",
    "inputs",
    "refused in a line",
    "answered",
    "through everything",
    "tracebacks",
    "hangs",
    "longest, s",
)


def result(name: str) -> dict[str, Any]:
    """A kept result of a machine without a GPU."""
    loaded: dict[str, Any] = json.loads((CPU / f"{name}.json").read_text())
    return loaded


def head(names: Sequence[str], words: Sequence[int] = (0,)) -> list[str]:
    """The two first lines of a table; columns of ``words`` stand left, figures right."""
    sides = ("---" if i in words else "---:" for i in range(len(names)))
    return [f"| {' | '.join(names)} |", f"|{'|'.join(sides)}|"]


def kills() -> list[str]:
    """A row a victim."""
    told = result("kills")
    lines = paragraph(
        f"`python benchmarks/kills.py --count 100`, {told['date']}, on a CPU: SIGKILL at a "
        "random moment of the first twelve seconds, by turns of the screen and of `run`. Lost is "
        "what lies between the last sample in the file and the kill; orphans are looked for two "
        "seconds later; back is when the next sample came, at most."
    )
    lines += head(KILLED)
    for victim, seen in told["victims"].items():
        back = f"{seen['latest_back_s']:.2f}" if seen["came_back"] else ""
        name = "roofwatch itself" if victim == "parent" else victim
        lines.append(
            f"| {name} | {seen['kills']} | {seen['readable']} | {seen['most_lost_s']:.2f} "
            f"| {seen['median_lost_s']:.2f} | {seen['orphans']} | {back} |"
        )
    return [*lines, ""]


def ends() -> list[str]:
    """A row a way to end."""
    told = result("signals")
    lines = paragraph(
        f"`python benchmarks/signals.py --count {told['count']}`, {told['date']}: at random "
        "moments of the first eight seconds. Not restored: modes or screen of a terminal that is "
        "still there. Open: session files without an end."
    )
    lines += head(ENDED, words=(0, 4))
    for name, row in told["rows"].items():
        codes = ", ".join(f"{code}: {count}" for code, count in row["codes"].items())
        open_files = sum(n for kind, n in row["files"].items() if kind not in ("ended", "none"))
        left = row["modes_not_restored"] + row["screen_not_restored"]
        lines.append(
            f"| {name} | {row['count']} | {row['median_s']:.2f} | {row['longest_s']:.2f} | {codes} "
            f"| {left} | {row['orphans']} | {open_files} | {row['tracebacks']} |"
        )
    return [*lines, ""]


def matrix() -> list[str]:
    """The cells of the NVML matrix."""
    told = result("nvml_matrix")
    totals = ", ".join(f"{count} {word}" for word, count in told["totals"].items())
    said = f"`python benchmarks/nvml_matrix.py`, {told['date']}: {told['functions']} functions, "
    lines = paragraph(f"{said}{told['cells']} cells: {totals}. {WORDS}")
    return [*lines, "```text", *table(told["matrix"]), "```", ""]


def fuzz() -> list[str]:
    """A row a reader."""
    told = result("fuzz")
    dates = sorted({row["date"] for row in told["readers"].values()})
    lines = paragraph(
        f"`python benchmarks/fuzz.py`, {', '.join(dates)}: mutated inputs from a fixed seed. Some "
        "of what is accepted goes through everything that is made of it: the record, findings, the "
        "report, Markdown and the screen's fold."
    )
    lines += head(FUZZED)
    for name, row in told["readers"].items():
        lines.append(
            f"| {name} | {row['count']:,} | {row['refused']:,} | {row['answered']:,} "
            f"| {row['through_everything']:,} | {row['tracebacks']} | {row['hangs']} "
            f"| {row['longest_s']:.2f} |"
        )
    return [*lines, ""]


def soak() -> list[str]:
    """What an hour takes."""
    told = result("soak")
    return paragraph(
        f"`python benchmarks/soak.py`, {told['date']}: {told['hours']:.2f} hours of a live "
        f"screen at 10 Hz, {told['speed']:g} times as fast, with {told['runs']} runs of the quick "
        f"suite in them. Resident memory grew by {told['growth_mb']:.1f} MB, from "
        f"{told['resident_mb']:.0f} MB; the file by {told['file_mb_per_hour']:.0f} MB an hour. "
        "From 128 MiB of file on telemetry is read once a second between probes; from 1 GiB on "
        "telemetry and launches are no longer saved, which is said once, and all else is. Of runs "
        "that a later complete one has replaced, memory keeps spans, notes, faults and the rate "
        "through time."
    )


def on_a_gpu() -> list[str]:
    """A row a case."""
    told = load("cuda_faults")
    lines = paragraph(
        f"{place(told)}, `python benchmarks/cuda_faults.py`. Memory of the whole card, by NVML; it "
        "is back when it is where it was before the session. The last column is the least share of "
        "the card's memory that was free in any sample."
    )
    lines += [
        "| what happened | fault | memory back, s | probes measured | failed | exit | least free |",
        "|---|---|---:|---:|---:|---:|---:|",
    ]
    for case, seen in told["cases"].items():
        back = max(seen.get("back_s", 0.0), seen["back_at_the_end_s"])
        fault = seen["faults"][0][0] if seen["faults"] else "none"
        states = seen["states"]
        lines.append(
            f"| {CASES[case]} | {fault} | {back:.2f} | {states.get('done', 0)} "
            f"| {states.get('failed', 0)} | {seen['exit_code']} | {seen['least_free_share']:.1%} |"
        )
    said = [n for seen in told["cases"].values() for n in seen["notes"]]
    example = next((n for n in said if n.startswith("out of memory")), "")
    said_so = paragraph(f"What is said of a shortage: *{example}*.") if example else []
    return [*lines, "", *said_so]


def document() -> str:
    """The whole page."""
    parts = [
        "# Reliability",
        "",
        *paragraph(
            "Rented machines drop links, kill processes, lose cards and lie about metrics. What "
            "roofwatch does then, as it was run; each table names the command that repeats it."
        ),
        "## Killed at any moment",
        "",
        *kills(),
        "## Faults of a GPU, and a full one",
        "",
        *on_a_gpu(),
        "## Every way to end",
        "",
        *ends(),
        "## NVML",
        "",
        *matrix(),
        "## Damaged input",
        "",
        *fuzz(),
        "## Hours",
        "",
        *soak(),
    ]
    return "\n".join(parts).rstrip() + "\n"


if __name__ == "__main__":
    OUTPUT.write_text(document())
    print(OUTPUT)
