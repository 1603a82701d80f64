"""Rank 0's last duties, against a meeting that is made up."""

from __future__ import annotations

import argparse
import errno
import json
import os
import signal
import time
from pathlib import Path

import msgspec
import pytest

import roofwatch
from roofwatch.fleet import lead as leading
from roofwatch.fleet.__main__ import SLOW, _code, _measure
from roofwatch.fleet.gather import Waiting
from roofwatch.fleet.joining import Claim
from roofwatch.fleet.lead import Lead
from roofwatch.fleet.links import Plan
from roofwatch.fleet.links_fault import BROKEN, SAID, SILENT, Fault
from roofwatch.fleet.links_process import LinksProcess
from roofwatch.fleet.rank import LEFT, NO_LINKS, PLAN, Rank
from roofwatch.fleet.stopping import Stopping
from roofwatch.fleet.world import world
from roofwatch.session.asked import Options
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.fleet_json import fleet_json
from roofwatch.session.fleet.lines import ABSENT, FAILED, RankLine
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.printed.fleet_rows import fleet_rows


class Made:
    """A meeting that so many have left, one more at each look."""

    def __init__(self, leaves: int) -> None:
        self.left, self._leaves = 0, leaves

    def count(self, key: str, by: int = 0) -> int:
        assert (key, by) == (LEFT, 0)
        self.left = min(self.left + 1, self._leaves)
        return self.left

    def say(self, key: str, text: str) -> None:
        pass


@pytest.fixture
def lead() -> Lead:
    made = Lead(Path(os.devnull), keep_records=False)
    for rank in range(4):
        made.rank(RankLine(rank=rank, host="n", node="0", card=rank))
    made.rank(RankLine(rank=4, state=ABSENT, why="never came"))
    return made


def me(meeting: Made) -> Rank:
    return Rank(world({}, "here"), meeting, Stopping(), 60.0)  # type: ignore[arg-type]


def test_rank_0_leaves_last_and_waits_for_none_that_never_came(lead: Lead) -> None:
    meeting = Made(3)
    lead.see_off(me(meeting))
    assert meeting.left == 3


def test_one_that_does_not_leave_is_not_waited_for(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leading, "LEAVE_S", 0.2)
    began = time.monotonic()
    lead.see_off(me(Made(2)))
    assert time.monotonic() - began < 2


def test_a_host_that_two_nodes_have_is_numbered_and_an_absent_rank_has_none(lead: Lead) -> None:
    lead.rank(RankLine(rank=5, host="n", node="1"))
    assert list(lead.fleet.nodes) == ["n", "n#2"]
    assert lead.fleet.ranks[4].node == ""


def test_a_full_disk_is_told_in_the_report(lead: Lead) -> None:
    lead.file.problem = "/mnt/f.jsonl: No space left on device; the session is no longer saved"
    lead.end(None, True, "")
    assert [note.text for note in lead.fleet.notes] == [
        "/mnt/f.jsonl: No space left on device; the fleet is no longer saved"
    ]


@pytest.mark.parametrize("there", [False, True])
def test_what_nobody_met_leaves_no_file_but_a_persons_own(tmp_path: Path, there: bool) -> None:
    path = tmp_path / "f.jsonl"
    if there:
        path.touch()
    Lead(path, keep_records=False).abandon()
    assert path.exists() is there


@pytest.mark.parametrize(
    ("record", "why"),
    [
        (b'{"measurements": 7}', "its record is unreadable: Expected `array`"),
        (b'{"device": {"name": "\xff"}}', "its record is unreadable"),
    ],
)
def test_a_record_that_is_none_is_its_ranks_failure_in_report_file_and_json(
    tmp_path: Path, record: bytes, why: str
) -> None:
    path = tmp_path / "f.jsonl"
    lead = Lead(path, keep_records=True)
    lead.begin(1, "quick", "cpu", "", "2.4")
    lead.rank(RankLine(rank=0, host="n", node="0", record=msgspec.Raw(record)))
    lead.end(None, False, "")
    (line,) = lead.lines()
    for kept in (lead.fleet.ranks[0], read_fleet(path).ranks[0], line):
        assert kept.state == FAILED
        assert kept.why.startswith(why)
    told = json.loads(b"".join(fleet_json(lead.fleet, lead.lines())))["ranks"][0]
    assert (told["state"], told["record"]) == (FAILED, None)


def test_links_that_cannot_be_started_are_told_and_nobody_waits_for_them(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Says(Made):
        def say(self, key: str, text: str) -> None:
            said.append((key, text))

    def none(*_: object) -> LinksProcess:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    said: list[tuple[str, str]] = []
    monkeypatch.setattr(leading, "LinksProcess", none)
    plan = Plan(members=[0, 1], nodes=[[0, 1]], names=["n"], address="n", port=1, device="cpu")
    why = lead.links(me(Says(0)), plan, "cpu", lambda _: None)
    assert why == f"rank 0 (n card 0): its process cannot be started: {os.strerror(errno.EAGAIN)}"
    assert said[-1] == (PLAN, NO_LINKS)
    assert len([key for key, _ in said if key == PLAN]) == 1  # no plan before it


def test_a_record_of_another_version_is_told(lead: Lead) -> None:
    for rank, schema in ((8, "roofwatch.record/2"), (9, "roofwatch.record/1")):
        record = msgspec.Raw(msgspec.json.encode({"schema": schema}))
        lead.rank(RankLine(rank=rank, host="n", node="0", record=record))
    assert [(note.rank, note.text) for note in lead.fleet.notes] == [
        (8, "its record is of another version: roofwatch.record/2")
    ]
    told = json.loads(b"".join(fleet_json(lead.fleet, [])))["notes"]
    assert told == ["n card 0 (rank 8): its record is of another version: roofwatch.record/2"]
    assert told[0] in " ".join(text_of(r) for r in fleet_rows(lead.fleet, 120, UNICODE))


def test_ranks_that_run_another_version_are_told_together(lead: Lead) -> None:
    class Claims(Made):
        def claim(self, rank: int) -> Claim | None:
            version = roofwatch.__version__ if rank == 1 else "9.9"
            return Claim(host="n", pid=1, roofwatch=version) if rank < 12 else None

    here = world({"RANK": "0", "WORLD_SIZE": "16", "MASTER_ADDR": "n"}, "n")
    lead._note_versions(Rank(here, Claims(0), Stopping(), 60.0))  # type: ignore[arg-type]
    (note,) = lead.fleet.notes
    ours = roofwatch.__version__
    who = "rank 2, 3, 4, 5, 6, 7, 8, 9, ..."
    assert note.text == f"{who} runs roofwatch 9.9, rank 0 {ours}: figures may differ"


@pytest.mark.parametrize(
    ("doing", "said"),
    [
        ("importing torch", "importing torch"),
        ("measuring all_reduce 64 B", "all_reduce"),
        ("measuring pairs, done, waiting for the others", "pairs"),
    ],
)
def test_progress_says_what_the_links_are_at(doing: str, said: str) -> None:
    assert leading._step(doing) == said


@pytest.mark.parametrize(("device", "history"), [("cpu", False), ("cuda:0", True)])
def test_what_all_cores_reached_is_not_expected_of_a_ranks_share(
    device: str, history: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[Options] = []
    monkeypatch.setattr("roofwatch.fleet.own_suite.own_suite", lambda o, *_: asked.append(o))
    options = argparse.Namespace(suite="short", sustain=None)
    _measure(options, device)(None, None, None)  # type: ignore[arg-type]
    assert [o.history for o in asked] == [history]


@pytest.mark.parametrize(
    ("beats", "doing", "said"),
    [
        (True, "waiting for the others", "rank 1 (n card 1): took no part; last word: waiting"),
        (False, "links: importing torch", "rank 1 (n card 1): no sign of life"),
        (True, "links: measuring", "not all ranks came in 60 s, says rank 0 (n card 0)"),
    ],
)
def test_a_planned_rank_that_stays_out_is_named_not_rank_0(
    beats: bool, doing: str, said: str, lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Waits(Made):
        looks = 0

        def beats(self, rank: int) -> int:
            self.looks += 1
            return self.looks if beats else 1

        def doing(self, rank: int) -> str:
            return doing

        def said(self, key: str) -> str | None:
            return None

        def beat(self, doing: str) -> None:
            pass

        def count(self, key: str, by: int = 0) -> int:
            return 0

    monkeypatch.setattr(leading, "GRACE_S", 0.2)
    plan = Plan(members=[0, 1], nodes=[[0, 1]], names=["n"], address="n", port=1, device="cpu")
    own = Fault(cause=BROKEN, how="not all ranks came in 60 s")
    why = lead._why_failed(me(Waits(0)), plan, own)
    assert why.startswith(said)


def test_a_rank_that_is_gone_is_not_planned_and_its_figures_stay(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    class There(Made):
        address, port, fleet = "n", 1, "f"

    gone = {1: Fault(cause=SILENT, how="no sign of life"), 2: Fault(cause=SAID, how="by SIGTERM")}
    monkeypatch.setattr(leading, "roll_call", lambda *_: gone)
    lead._heard = Waiting(4)
    told: list[str] = []
    why = lead.look_who_is_there(me(There(0)), told.append)
    assert why == "rank 1 (n card 1): no sign of life"
    assert told == [why, "rank 2 (n card 2): by SIGTERM"]
    plan = lead.plan(me(There(0)), "cpu", None)
    assert plan is not None
    assert plan.members == [0, 3]
    assert [(r.rank, r.state, r.why) for r in lead.fleet.troubled if r.node] == [
        (1, "silent", "no sign of life, once its record had come"),
        (2, "partial", "by SIGTERM, once its record had come"),
    ]


def test_a_signal_to_rank_0_drops_nothing_that_is_known_of_others(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = {
        1: Fault(cause=SILENT, how="no sign of life for 6 s"),
        2: Fault(cause=SAID, how="ended by SIGTERM"),  # by the same signal, as rank 0
    }
    monkeypatch.setattr(leading, "roll_call", lambda *_: gone)
    lead._heard = Waiting(4)
    here = me(Made(0))
    here.stopping.number = signal.SIGTERM
    told: list[str] = []
    assert lead.look_who_is_there(here, told.append) == ""  # the signal is why there are no links
    assert told == ["rank 1 (n card 1): no sign of life for 6 s"]
    assert [(r.rank, r.state) for r in lead.fleet.troubled if r.node] == [(1, "silent")]


@pytest.mark.parametrize(("before", "by_now", "told"), [(1, 1, 0), (1, 2, 1), (0, 0, 0)])
def test_a_fault_of_one_that_takes_no_part_is_none_of_the_links(
    before: int, by_now: int, told: int, lead: Lead
) -> None:
    class Said(Made):
        def count(self, key: str, by: int = 0) -> int:
            return by_now

        def said(self, key: str) -> str | None:
            fault = Fault(cause=SAID, how="ended by SIGTERM")
            gone = key == "links/2" and before
            return msgspec.json.encode(fault).decode() if gone else None

    plan = Plan(members=[0, 1], nodes=[[0, 1]], names=["n"], address="n", port=1, device="cpu")
    assert lead._told(me(Said(0)), plan) == told


def test_torchruns_signal_is_looked_into_for_the_rank_whose_end_it_tells(
    lead: Lead, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Ended(Made):
        def count(self, key: str, by: int = 0) -> int:
            return 1

        def said(self, key: str) -> str | None:
            fault = Fault(cause=SAID, how="ended by SIGTERM")
            return msgspec.json.encode(fault).decode() if key in quiet else None

        def beats(self, rank: int) -> int:
            return 7

        def beat(self, doing: str) -> None:
            pass

    monkeypatch.setattr(leading, "GRACE_S", 0.2)
    stopping = Stopping(agent=True)
    stopping.number = signal.SIGTERM
    here = Rank(world({}, "here"), Ended(0), stopping, 60.0)  # type: ignore[arg-type]
    plan = Plan(
        members=[0, 1, 2], nodes=[[0, 1, 2]], names=["n"], address="n", port=1, device="cpu"
    )
    quiet = {"links/2"}
    assert lead._why_failed(here, plan, None) == (
        "rank 1 (n card 1): no sign of life: killed, or it hangs"
    )
    assert lead.fleet.ranks[1].state == "silent"
    quiet = {"links/1", "links/2"}  # the launcher itself was ended
    assert lead._why_failed(here, plan, None) == "ended by SIGTERM"


def test_strict_fails_on_ranks_too_far_apart_to_name_one() -> None:
    for rates, code in (([100.0, 80.0, 60.0], SLOW), ([100.0, 100.0, 60.0], SLOW), ([9.0] * 3, 0)):
        made = Lead(Path(os.devnull), keep_records=False)
        for rank, gbs in enumerate(rates):
            m = {"id": "a", "probe": "add", "gbs": gbs, "tflops": 0, "protocol": "stream"}
            record = {"device": {"kind": "cuda"}, "measurements": [m]}
            raw = msgspec.Raw(msgspec.json.encode(record))
            made.rank(RankLine(rank=rank, host="n", node="0", card=rank, record=raw))
        assert _code(argparse.Namespace(strict=True), made, links_failed=False) == code
        assert _code(argparse.Namespace(strict=False), made, links_failed=False) == 0
