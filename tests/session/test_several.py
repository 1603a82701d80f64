"""Several cards in one session: each alone, all at once, by their UUIDs, whoever of them dies."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from roofwatch.session import child, several
from roofwatch.session.asked import Options
from roofwatch.session.cards import load_cards
from roofwatch.session.cards_table import CardsTable, cards_table, lost_said
from roofwatch.session.events import Device, SessionInfo
from roofwatch.session.exit_code import exit_code
from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.interpreter import start_of
from roofwatch.session.live import Live
from roofwatch.session.markdown import markdown
from roofwatch.session.roofs import roofs
from roofwatch.session.summary import record
from roofwatch.session.table import probe_rows
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.kernels import cards_rows
from roofwatch.tui.screen.painting import first_pane

STAND_IN = Path(__file__).parent / "stand_in_probes.py"
SHIM = Path(__file__).parent.parent / "telemetry" / "shim"
EVEN = [4300.0, 820.0, 700.0, 690.0]
Start = Callable[..., Live]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """Start a session over cards that are not there."""
    opened: list[Live] = []
    monkeypatch.setattr(several, "LEAD_S", 0.2)

    def begin(order: list[int], rates: list[list[float]], **told: Any) -> Live:
        def stand_in(module: str) -> list[str]:
            if module != "roofwatch.probes":
                return start_of(module)
            return [sys.executable, str(STAND_IN)]

        monkeypatch.setattr(child, "start_of", stand_in)
        environ = {"order": order, "rates": rates, **told}
        monkeypatch.setenv("STAND_IN", json.dumps(environ))
        monkeypatch.setenv("ROOFWATCH_FAKE", json.dumps({"cards": len(rates)}))
        path = [str(SHIM), *filter(None, [os.environ.get("PYTHONPATH")])]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path))
        live = Live(Options(device="all", save=tmp_path / "s.jsonl", sustain_s=1.0), load_cards)
        opened.append(live)
        live.start()
        live.start_probes()
        return live

    yield begin
    for live in opened:
        live.close()


def until(live: Live, seen: Callable[[], bool], timeout_s: float = 60) -> None:
    end = time.monotonic() + timeout_s
    while not seen():
        assert time.monotonic() < end, [n.text for n in live.session.notes]
        live.poll()
        if live.waiting:
            live.go()
        time.sleep(0.01)


def whole(live: Live) -> tuple[Session, CardsTable]:
    """The session when it has ended, which its file repeats, and its table."""
    until(live, lambda: not live.probing)
    live.close()
    again = fold(events(live.path))
    table = cards_table(again)
    assert table is not None
    assert msgspec.to_builtins(table) == msgspec.to_builtins(cards_table(live.session))
    return again, table


def test_each_card_alone_then_all_at_once_and_the_odd_one_is_named(
    start: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    """CUDA_VISIBLE_DEVICES turns the cards round: they are paired by their UUIDs."""
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "2,1,0")
    slow = [4290.0, 620.0, 610.0, 580.0]
    session, table = whole(start([2, 1, 0], [EVEN, slow, EVEN]))
    assert session.complete
    assert session.faults == []
    assert exit_code(session, [], strict=False) == 0
    assert [(r.gpu, r.measured) for r in table.rows] == [(0, False), (1, False), (2, True)]
    assert [r.uuid for r in table.rows] == [f"GPU-{i}{i}aa-uuid" for i in range(3)]
    alone = [(r.alone.bandwidth_gbs, r.alone.sustained_tflops) for r in table.rows]
    assert alone == [pytest.approx((4300, 700)), pytest.approx((4290, 610)), alone[0]]
    assert [r.together.sustained_tflops for r in table.rows] == pytest.approx([690, 580, 690])
    assert [r.lost for r in table.rows] == pytest.approx([1 / 70, 3 / 61, 1 / 70])
    assert {(o.gpu, o.figure) for o in table.odd} == {
        (1, "sustained_tflops"),
        (1, "burst_tflops"),
    }
    said = " ".join(table.sentences)
    assert "card 1 is the odd one: held all at once 580 TFLOP/s, 15.9 % under" in said
    assert "all at once card 1 holds 4.9 % less than alone" in said
    # Clock, power and heat are of each card's own samples.
    assert {r.together.temp_c for r in table.rows} == {61.0}
    assert table.rows[1].outside == ["burst_tflops"]
    began = {
        m.begin_s
        for events in session.cards.values()
        for m in events.measurements
        if m.probe == "together-matmul-bf16-sustained"
    }
    assert len(began) == 3
    assert max(began) - min(began) < 0.25


def test_the_sessions_own_views_see_its_own_card_alone(start: Start) -> None:
    session, _ = whole(start([0, 1], [EVEN, [1.0, 1.0, 1.0, 1.0]]))
    assert {m.probe for m in session.measurements} == {
        "add_scalar-fp16",
        "matmul-bf16",
        "matmul-bf16-sustained",
    }
    own = roofs(session)
    assert own.bandwidth_gbs == pytest.approx(4300)
    assert own.compute["bf16"].sustained_tflops == pytest.approx(700)
    assert session.running() is None
    assert all("together" not in r.probe for r in probe_rows(session))
    assert not [s for s in session.spans if s.gpu is not None]


@pytest.mark.long
def test_a_telemetry_that_guessed_another_card_is_paired_and_keeps_all(start: Start) -> None:
    """CUDA counts the fastest first: torch's first is NVML's second."""
    session, table = whole(start([1, 0], [EVEN, EVEN]))
    assert session.device.uuid == "GPU-11aa-uuid"
    assert [(r.gpu, r.measured) for r in table.rows] == [(0, False), (1, True)]
    assert all(r.together.power_w for r in table.rows)
    assert table.odd == []
    assert not any("neither is known to be the odd one" in s for s in table.sentences)  # alike


def test_a_card_that_dies_is_a_fault_and_the_others_go_on(start: Start) -> None:
    session, table = whole(start([0, 1, 2], [EVEN, EVEN, EVEN], dies=1))
    assert [(f.gpu, f.exit_code) for f in session.faults] == [(1, -9)]
    assert session.faults[0].what == "card 1: the probes ended: killed by signal 9"
    assert exit_code(session, [], strict=False) == 4
    assert [r.gpu for r in table.rows] == [0, 2]
    assert table.rows[1].together.sustained_tflops == pytest.approx(690)
    assert session.complete


def test_of_one_card_there_is_a_table_of_one(start: Start) -> None:
    session, table = whole(start([0], [EVEN]))
    assert [n.text for n in session.notes][-1] == several.ALONE_IS_NONE
    assert [(r.gpu, r.alone.sustained_tflops) for r in table.rows] == [(0, pytest.approx(700))]
    assert table.rows[0].together.status["sustained_tflops"] == "not_measured"
    assert table.rows[0].lost is None
    assert exit_code(session, [], strict=False) == 0
    assert cards_rows.build(table, 80, UNICODE) == []  # nothing to compare, so nothing is drawn
    assert "| card |" not in markdown(session)
    session.closed = True
    assert first_pane(session) == 0


def test_a_card_that_only_torch_sees_is_left_out_with_a_note(start: Start) -> None:
    live = start([0, 1], [EVEN, EVEN], uuids={"1": "GPU-another"})
    session, table = whole(live)
    assert [r.gpu for r in table.rows] == [0]
    said = [n.text for n in session.notes]
    assert "cuda:1 is left out: NVML names no card by its UUID" in said


def test_closing_it_ends_every_process(start: Start) -> None:
    live = start([0, 1, 2], [EVEN, EVEN, EVEN])
    until(live, lambda: any("cards at once" in n.text for n in live.session.notes))
    processes = [c.process for c in live.instruments._children.values()]
    assert len(processes) == 4
    live.close()
    assert all(p.poll() is not None for p in processes)


@pytest.mark.long
def test_a_second_run_does_it_again(start: Start) -> None:
    live = start([0, 1], [EVEN, EVEN])
    until(live, lambda: not live.probing)
    assert live.rerun()
    session, table = whole(live)
    assert session.reported_run == 2
    assert {m.run for c in session.cards.values() for m in c.measurements} == {2}
    assert [r.gpu for r in table.rows] == [0, 1]


@pytest.mark.long
def test_the_table_is_in_the_record_the_text_and_the_markdown(start: Start) -> None:
    live = start([0, 1, 2], [EVEN, EVEN, [4300.0, 820.0, 500.0, 490.0]])
    session, table = whole(live)
    block = msgspec.json.decode(msgspec.json.encode(record(session, None)))["cards"]
    assert [row["gpu"] for row in block["rows"]] == [0, 1, 2]
    assert block["odd"][0]["gpu"] == 2
    for cells in (80, 120):
        for glyphs in (UNICODE, ASCII):
            rows = cards_rows.build(table, cells, glyphs)
            assert max(map(width, rows)) <= cells
            text = "\n".join(map(text_of, rows))
            assert "card 2 is the odd one" in text
            if glyphs is ASCII:
                assert text.isascii()
    pasted = markdown(session)
    assert "| card 2 | 4300 | 820 | 500 |" in pasted
    assert "card 2 is the odd one" in pasted


def test_a_visible_card_is_paired_whatever_the_case_of_its_uuid() -> None:
    session = fold(
        [
            SessionInfo(
                t=0.0,
                instrument="telemetry",
                device=Device(kind="cuda", uuid="GPU-AA", index=3),
                neighbours=[Device(kind="cuda", uuid="GPU-BB", index=5)],
            ),
            SessionInfo(
                t=0.1,
                instrument="probes",
                device=Device(kind="cuda", uuid="gpu-aa", index=0),
                visible=[
                    Device(kind="cuda", uuid="gpu-aa", index=0),
                    Device(kind="cuda", uuid="gpu-bb", index=1),
                ],
            ),
        ]
    )
    found, own, missing = several.others(session)
    assert [(o.ordinal, o.gpu) for o in found] == [(1, 5)]
    assert (own, missing) == (3, [])


@pytest.mark.parametrize(
    ("lost", "said"),
    [(None, ""), (-0.004, "0 %"), (0.009, "0 %"), (0.031, "3 %"), (-0.021, "gain 2 %")],
)
def test_what_is_lost_is_nothing_within_noise_and_never_a_negative_loss(
    lost: float | None, said: str
) -> None:
    assert lost_said(lost) == said
