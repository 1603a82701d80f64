"""Public measurements, right and wrong: what the notebook says of each, and how wide it guesses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from roofwatch.notebook.known_card import Cards
from roofwatch.notebook.verdict import Verdict, check_rows

FILE = Path(__file__).parent / "cases" / "cases.jsonl"
CASES = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
BY_ARITHMETIC = {
    "E1", "E2", "E3", "E4", "E5", "E7", "units", "wrong-sku", "wrong-peak-value",
    "bytes-miscounted", "flop-miscounted", "transfer-included", "impossible",
}  # fmt: skip
"""Causes that the number itself proves; the others can only be named."""

Judged = list[tuple[dict[str, Any], Verdict]]


@pytest.fixture(scope="module")
def judged(cards: Cards) -> Judged:
    rows = [(f"row {i}", case["row"]) for i, case in enumerate(CASES, 1)]
    return list(zip([c["truth"] for c in CASES], check_rows(rows, cards), strict=True))


def accepted(truth: dict[str, Any]) -> set[str]:
    return {*truth["codes"], *truth["also_accept"]}


def test_every_believable_number_is_believed(judged: Judged) -> None:
    doubted = [
        v.id for t, v in judged if t["verdict"] == "believable" and v.verdict != "believable"
    ]
    assert doubted == []


def test_a_believed_number_carries_notes_at_most(judged: Judged) -> None:
    assert {f.severity for _, v in judged if v.verdict == "believable" for f in v.findings} == {
        "note"
    }


def test_what_a_number_proves_is_found_first(judged: Judged) -> None:
    missed, asked = [], 0
    for truth, v in judged:
        if not BY_ARITHMETIC & set(truth["codes"]):
            continue
        asked += 1
        believed = v.verdict == "believable" and "ok" in truth["also_accept"]
        first = v.findings[0].code if v.findings else None
        if not believed and (v.verdict == "believable" or first not in accepted(truth)):
            missed.append((v.id, v.verdict, first))
    assert asked >= 30
    assert len(missed) <= 0.05 * asked, missed


def test_what_one_number_cannot_prove_is_named(judged: Judged) -> None:
    unnamed = []
    for truth, v in judged:
        if truth["verdict"] == "believable" or BY_ARITHMETIC & set(truth["codes"]):
            continue
        if v.verdict == "believable":
            assert v.expected is not None
            rate = v.gbs if v.judged == "gbs" else v.tflops
            if rate is not None and v.expected.low <= rate <= v.expected.high:
                continue  # one number cannot tell a usual one from a throttled better one
            if "ok" not in truth["also_accept"] and "E6" not in truth["codes"]:
                unnamed.append((v.id, "believed"))
        elif not accepted(truth) & {f.code for f in v.findings}:
            unnamed.append((v.id, [f.code for f in v.findings]))
        elif v.verdict == "wrong":
            unnamed.append((v.id, "wrong"))
    # One of them, a speculative decode, says its tokens a step: corrected it is a usual number.
    assert [u for u in unnamed if u[0] != "c059"] == []


def test_ranges_hold_good_numbers_and_are_narrow(judged: Judged) -> None:
    good = [v for t, v in judged if t["verdict"] == "believable"]
    ranges = [(v, v.expected) for v in good if v.expected is not None]
    assert len(ranges) == len(good)
    held = [
        e.low * 0.99 <= (v.gbs if v.judged == "gbs" else v.tflops) <= e.high * 1.01  # type: ignore[operator]
        for v, e in ranges
    ]
    widths = sorted((e.high - e.low) / ((e.high + e.low) / 2) for _, e in ranges)
    assert sum(held) >= 0.95 * len(held)
    assert widths[len(widths) // 2] <= 0.20


def test_little_is_left_unsaid_of_complete_rows(judged: Judged) -> None:
    complete = [
        (case["row"], v)
        for case, (_, v) in zip(CASES, judged, strict=True)
        if case["row"]["gpu"]
        and case["row"].get("time_s")
        and any(case["row"].get(name) for name in ("elements", "m", "params", "weight_bytes"))
    ]
    unsaid = [v.id for _, v in complete if v.verdict == "cannot-say"]
    assert len(complete) > 50
    assert len(unsaid) <= 0.10 * len(complete)


def test_no_row_is_unreadable(judged: Judged) -> None:
    assert [v.error for _, v in judged if v.error] == []
