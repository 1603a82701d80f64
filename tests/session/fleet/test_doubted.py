"""Figures that a rank's own record doubts: by code, the grave findings of a figure alone."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
from made_fleet import made_fleet

from roofwatch.session.fleet.doubted import Doubted, doubted, doubted_figures
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import Header, RankLine

TWO = Path(__file__).parents[2] / "sessions" / "two"
UNSTABLE = (
    "add_scalar-fp16",
    "matmul-bf16",
    "matmul-fp16",
    "matmul-tf32",
    "matmul-fp32",
    "add_scalar-fp32",
)


def test_the_slowed_card_of_two_has_six_unstable_figures_and_the_other_none() -> None:
    fleet = read_fleet(TWO / "fleet-slow.jsonl")
    assert doubted(fleet) == [Doubted(rank=1, code="unstable", figures=UNSTABLE)]
    assert doubted_figures(doubted(fleet)) == {(1, name) for name in UNSTABLE}
    told = json.loads(b"".join(fleet_json(fleet, [])))
    assert told["doubted"] == [{"rank": 1, "code": "unstable", "figures": list(UNSTABLE)}]


def test_whole_fleets_have_none() -> None:
    assert doubted(read_fleet(TWO / "fleet-1.jsonl")) == []
    assert json.loads(b"".join(fleet_json(made_fleet(8), [])))["doubted"] == []


def test_notes_and_what_is_of_no_figure_are_left_out_and_a_code_stands_once() -> None:
    said = [
        ("unstable", "suspect", "add"),
        ("l2-hit", "wrong", "add"),
        ("unstable", "suspect", "mul"),
        ("unstable", "suspect", "add"),
        ("cold-start", "note", "add"),
        ("other-process", "suspect", "card"),
        ("unstable", "suspect", "never measured"),
        ("of a newer version", "grave", "add"),
    ]
    record = {
        "measurements": [
            {"id": name, "probe": name, "gbs": 100.0, "tflops": 0, "protocol": "stream"}
            for name in ("add", "mul")
        ],
        "findings": [{"code": c, "severity": s, "subject": of, "message": ""} for c, s, of in said],
    }
    fleet = Fleet()
    fleet.add(Header(schema="roofwatch.fleet/1", world=1, device="cuda"))
    fleet.add(RankLine(rank=0, host="n", node="n", record=msgspec.Raw(msgspec.json.encode(record))))
    assert doubted(fleet) == [
        Doubted(rank=0, code="unstable", figures=("add", "mul")),
        Doubted(rank=0, code="l2-hit", figures=("add",)),
    ]
