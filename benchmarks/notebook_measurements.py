"""What was measured of the notebook: its mistakes made, functions, public numbers, its speed."""

from __future__ import annotations

import json
from pathlib import Path

from kept import RESULTS, load, paragraph, place
from repeatability import figure

from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import check_rows
from roofwatch.roofline.statistics import median
from roofwatch.session.cards import packaged_cards
from roofwatch.session.file import events
from roofwatch.session.fold import fold
from roofwatch.session.mistakes import mistakes

TESTS = Path(__file__).parent.parent / "tests"
MISTAKES = TESTS / "sessions" / "h200-mistakes-1.jsonl"
CASES = TESTS / "notebook" / "cases" / "cases.jsonl"


def made() -> list[str]:
    """The mistakes, made on purpose."""
    session = fold(events(MISTAKES))
    software = session.software
    lines = [
        "",
        "## The mistakes, made on purpose",
        "",
        *paragraph(
            f"{session.device.name}, driver {software.driver}, torch {software.torch}, "
            f"{(session.started_at or '')[:10]}. `roofwatch run --suite mistakes`, "
            f"{session.duration_s:.0f} s. Each number is judged by what a person would have "
            "reported; nothing tells the notebook which mistake it is. The right numbers carry no "
            "flag."
        ),
        "",
        "| mistake | wrong | right | unit | first finding |",
        "|---|---:|---:|---|---|",
    ]
    for m in mistakes(session):
        right = figure(m.right) if m.right is not None else ""
        lines.append(
            f"| {m.code} {m.name} | {figure(m.wrong)} | {right} | {m.unit} | {m.message} |"
        )
    return lines


def functions() -> list[str]:
    """What ``roofwatch.measure`` says of a caller's functions."""
    kept = load("measure_function")
    lines = [
        "",
        "## Functions measured from Python",
        "",
        *paragraph(f"{place(kept)}. `python benchmarks/measure_function.py`: `roofwatch.measure`."),
        "",
        "| function | time | timer | GB/s | TFLOP/s | verdict | findings |",
        "|---|---:|---|---:|---:|---|---|",
    ]
    for flat in kept["measured"]:
        m = {name.partition("/")[2]: value for name, value in flat.items()}
        rates = [figure(m[name]) if name in m else "" for name in ("gbs", "tflops")]
        lines.append(
            f"| {m['name']} | {m['time_s'] * 1e6:.4g} us | {m['timing']} | {rates[0]} | {rates[1]} "
            f"| {m['verdict']} | {m['findings']} |"
        )
    return lines


def public() -> list[str]:
    """What the notebook says of public measurements."""
    cases = [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]
    rows = [(f"row {i}", case["row"]) for i, case in enumerate(cases, 1)]
    judged = check_rows(rows, Cards(packaged_cards()))
    good = [v for c, v in zip(cases, judged, strict=True) if c["truth"]["verdict"] == "believable"]
    believed = sum(v.verdict == "believable" for v in good)
    ranges = [v.expected for v in good if v.expected is not None]
    width = median([(r.high - r.low) / ((r.high + r.low) / 2) for r in ranges])
    bad = [(c["truth"], v) for c, v in zip(cases, judged, strict=True) if v not in good]
    named = sum(
        bool({*t["codes"], *t["also_accept"]} & {f.code for f in v.findings})
        or (v.verdict == "believable" and "ok" in t["also_accept"])
        for t, v in bad
    )
    return [
        "",
        "## Public measurements",
        "",
        *paragraph(
            f"{len(cases)} numbers published by others, right and wrong "
            "(`tests/notebook/cases/cases.jsonl`). "
            f"{believed} of {len(good)} good ones are believed; the ranges that hold them are "
            f"{width * 100:.0f} % wide in the median. Of {len(bad)} others the accepted cause is "
            f"among the findings in {named}."
        ),
    ]


def answers() -> list[str]:
    """How long a check takes."""
    kept = json.loads((RESULTS.parent / "cpu" / "check_speed.json").read_text())
    return [
        "",
        "## How long a check takes",
        "",
        *paragraph(
            f"{kept['device']}, Python {kept['python']}, {kept['date']}. "
            f"`python benchmarks/check_speed.py`, median of {kept['runs']}: one row "
            f"{kept['one_row_s']:.2f} s as a process; {kept['rows']} rows of a file "
            f"{kept['rows_json_s']:.2f} s as JSON, {kept['rows_text_s']:.2f} s as text."
        ),
    ]
