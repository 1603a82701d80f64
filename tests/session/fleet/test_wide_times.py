"""How far a collective's repetitions lie apart: in the JSON always, in the report if far."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from made_fleet import made_fleet

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import WITHIN, CollectiveLine, LinkLine
from roofwatch.session.fleet.wide_times import LATENCY, RATE, wide_times
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.fleet.wide_rows import wide_rows

TWO = Path(__file__).parents[2] / "sessions" / "two"


def fleet_of(*lines: CollectiveLine) -> Fleet:
    fleet = Fleet()
    for line in lines:
        fleet.add(line)
    return fleet


def line(iqr_s: list[float], op: str = "all_reduce", **more: str) -> CollectiveLine:
    return CollectiveLine(
        op=op,
        ranks=2,
        sizes_bytes=[8, 64, 1 << 20],
        times_s=[1e-5, 1e-5, 1e-3],
        iqr_s=iqr_s,
        repetitions=[7, 7, 3],
        **more,
    )


def text(fleet: Fleet) -> str:
    return " ".join(" ".join(text_of(r) for r in wide_rows(fleet, 80)).split())


def test_what_repeats_within_a_tenth_is_not_told() -> None:
    assert wide_times(fleet_of(line([1e-6, 9e-6, 1e-4]))) == []  # the middle one is not on show
    assert wide_rows(fleet_of(line([])), 80) == []  # a file that does not say


def test_the_widest_of_what_is_on_show_comes_first() -> None:
    fleet = fleet_of(
        line([2e-6, 0.0, 0.0]), line([0.0, 0.0, 5e-4], "broadcast", group=WITHIN, node="n1")
    )
    assert [(w.op, w.figure, w.spread) for w in wide_times(fleet)] == [
        ("broadcast", RATE, pytest.approx(0.5)),
        ("all_reduce", LATENCY, pytest.approx(0.2)),
    ]
    assert text(fleet) == (
        "spread: middle half of the times over 10 % of the median wide: bus GB/s of broadcast on "
        "n1 50 %, latency of all_reduce 20 %"
    )


def test_of_two_h200s_only_latencies_do_not_repeat() -> None:
    said = text(read_fleet(TWO / "fleet-1.jsonl"))
    assert "latency of reduce_scatter 20 %, latency of all_to_all 16 %" in said
    assert "bus GB/s of" not in said


def test_the_json_has_the_spread_and_the_number_of_repetitions() -> None:
    told = json.loads(b"".join(fleet_json(fleet_of(line([2e-6]), line([0.0] * 3)), [])))
    first, second = (c["sizes"] for c in told["collectives"])
    assert [(s["iqr_s"], s["repetitions"]) for s in first] == [(2e-6, 7), (None, 7), (None, 3)]
    assert [s["iqr_s"] for s in second] == [0.0] * 3
    kept = json.loads(b"".join(fleet_json(read_fleet(TWO / "fleet-1.jsonl"), [])))
    assert all(s["iqr_s"] > 0 for c in kept["collectives"] for s in c["sizes"])
    assert kept["overlap"]["flop"] == 2.0 * 8192**3
    assert (kept["overlap"]["bytes"], kept["overlap"]["repetitions"]) == (256 << 20, 7)


def test_a_link_without_a_time_says_so() -> None:
    fleet = made_fleet(8)
    fleet.links[0] = msgspec.structs.replace(fleet.links[0], time_s=None)
    fleet.add(LinkLine(a=0, b=7, time_s=1e-3))
    told = json.loads(b"".join(fleet_json(fleet, [])))["links"]
    assert (told[0]["gbs"], told[0]["status"]) == (None, "not_measured")
    assert {x["status"] for x in told[1:]} == {""}
