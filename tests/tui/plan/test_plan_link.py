"""Several cards in the plan's pane: what is said without a link, and the fields that give one."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from roofwatch.session.fold import Session
from roofwatch.session.plan import Plan
from roofwatch.session.replay import Replay
from roofwatch.tui.decode import decode_pane
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.plan.plan_fields import BY_M, OF_CARDS, PlanFields
from roofwatch.tui.plan.plan_pane import build
from roofwatch.tui.plan.plan_tables import Tables, load_tables
from roofwatch.tui.screen.app import RoofwatchApp

CPU = Path(__file__).parents[2] / "sessions" / "cpu" / "decode-1.jsonl"


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


@pytest.fixture
def cpu() -> Session:
    return Replay(CPU).session


def rows_of(fields: PlanFields, session: Session, cells: int = 80, height: int = 19) -> list[str]:
    return [text_of(r).rstrip() for r in build(fields, session, cells, height, UNICODE)]


def step(fields: PlanFields, session: Session, name: str, by: int = 1) -> None:
    fields.open = name
    fields.change(by, session)


def typed(fields: PlanFields, session: Session, name: str, text: str) -> None:
    fields.open = name
    fields.begin(session)
    assert fields.line is not None
    fields.type(fields.line.typed(text))
    fields.enter(session)


def planned(fields: PlanFields, session: Session) -> Plan:
    found = fields.answer(session).plan
    assert found is not None
    return found


def test_without_a_link_one_cards_figures_stay_and_the_reason_is_the_link(
    tables: Tables, cpu: Session
) -> None:
    fields = PlanFields(tables, cpu)
    alone = planned(fields, cpu)
    step(fields, cpu, "tp")
    found, remark, _ = fields.answer(cpu)
    assert found == alone
    assert remark.startswith("no link between 2 cards is known, so these are the figures of one")
    text = " ".join(" ".join(rows_of(fields, cpu)).split())
    assert BY_M not in text
    assert "type its GB/s in the field link" in text
    assert "link not known" in text
    assert any("╌╌ paper" in r for r in rows_of(fields, cpu, 120, 31))
    paper = [text_of(r) for r in decode_pane.build(Session(), 100, 28, UNICODE, paper=found)]
    assert any("╌╌ paper" in r for r in paper)


def test_a_link_that_is_typed_is_planned_with(tables: Tables, cpu: Session) -> None:
    fields = PlanFields(tables, cpu)
    step(fields, cpu, "tp")
    typed(fields, cpu, "link_gbs", "25 GB/s")
    p = planned(fields, cpu)
    assert (p.tp, p.peer_gbs, p.peer_from, p.latency_from) == (2, 25.0, "given", "none")
    typed(fields, cpu, "link_latency", "40us")
    p = planned(fields, cpu)
    assert (p.peer_latency_s, p.latency_from) == (pytest.approx(40e-6), "given")
    rows = rows_of(fields, cpu)
    assert any(r.startswith("  link       25 GB/s, given") for r in rows)
    assert any(r.startswith("▸ latency    40.0 µs, given") for r in rows)
    assert any("exchanged" in r for r in rows)
    assert any(re.search(r"pays      to \d cards?( at most)? at batch 1", r) for r in rows)
    typed(fields, cpu, "link_latency", "")
    assert planned(fields, cpu).latency_from == "none"
    typed(fields, cpu, "link_latency", "0")
    assert any(r.startswith("▸ latency    0 s, given") for r in rows_of(fields, cpu))
    for none in ("none", "None counted"):
        typed(fields, cpu, "link_latency", none)
        assert planned(fields, cpu).latency_from == "none"
    typed(fields, cpu, "link_latency", "soon")
    assert fields.said.startswith("latency: 'soon' ")
    typed(fields, cpu, "link_gbs", "fast")
    assert fields.said.startswith("link: 'fast' ")
    typed(fields, cpu, "link_gbs", "none")
    assert (fields.said, fields.question.peer_gbs) == ("", None)
    typed(fields, cpu, "tp", "many")
    assert fields.said.startswith("cards: 'many' ")


def test_its_keys_go_by_rungs_and_back_to_what_is_known(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    step(fields, h200, "tp")
    known = planned(fields, h200)
    step(fields, h200, "link_gbs")
    assert (planned(fields, h200).peer_gbs or 0) > (known.peer_gbs or 0)
    assert fields.question.peer_gbs == 150.0  # the rung above PCIe as printed
    below = []
    while fields.question.peer_gbs is not None:
        below.append(fields.question.peer_gbs)
        step(fields, h200, "link_gbs", -1)
    assert below[0] == 150.0
    assert below[-1] == 1.0
    assert planned(fields, h200).peer_gbs == known.peer_gbs
    for expected in (1e-6, 2e-6):  # never 0: tokens/s would be no upper bound any more
        step(fields, h200, "link_latency")
        assert planned(fields, h200).latency_from == "given"
        assert planned(fields, h200).peer_latency_s == pytest.approx(expected)
    for _ in range(2):
        step(fields, h200, "link_latency", -1)
    assert planned(fields, h200).latency_from == "none"


def test_one_card_has_no_fields_of_a_link(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    assert not set(OF_CARDS) & set(fields.names)
    fields.open = "tp"
    fields.step(1)
    assert fields.open == "price"
    step(fields, h200, "tp")
    fields.step(1)
    assert fields.open == "link_gbs"


def test_an_upper_bound_is_told_whole_or_not_at_all(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    step(fields, h200, "tp")
    for cells in (70, 80, 100, 120, 160):
        (row,) = (r for r in rows_of(fields, h200, cells, 30) if " pays  " in r)
        assert row.partition(" pays  ")[2].strip().startswith("to 8 cards at most")
    assert not any("--link-latency" in r for r in rows_of(fields, h200, 120, 31))


def test_roofs_that_are_not_to_be_believed_say_so(tables: Tables, cpu: Session) -> None:
    remark = PlanFields(tables, cpu).answer(cpu).remark
    said = "the measured bandwidth (add_scalar-fp32) is not to be believed: below its expected"
    assert said in remark


def test_the_paper_curve_ends_where_the_memory_is_full(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    typed(fields, h200, "gpu", "A10")
    p = planned(fields, h200)
    assert (p.batch_memory_cap or 0) < p.curve[-1].batch

    def drawn(paper: Plan) -> str:
        rows = decode_pane.build(Session(), 100, 28, UNICODE, paper=paper)
        return " ".join(" ".join(text_of(r) for r in rows).split())

    told = drawn(p)
    assert f"up to batch {p.batch_memory_cap}: there the memory is full" in told
    last = next(x for x in p.curve if x.batch == p.batch_memory_cap)
    assert f"paper {last.tokens_per_s:.0f}" in told
    assert " 64 " not in told.rpartition("paper")[2]
    assert "whose memory does not hold it" in drawn(
        msgspec.structs.replace(
            p,
            batch_memory_cap=0,
            curve=[msgspec.structs.replace(x, fits=False) for x in p.curve],
        )
    )


async def test_home_and_end_are_the_first_field_and_the_last(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await pilot.pause(0.5)
        pane = app.dashboard.pane("plan")
        await pilot.press("end")
        await pilot.pause(0.1)
        assert any(r.startswith("▸ roofs") for r in pane.lines)
        await pilot.press("home")
        await pilot.pause(0.1)
        assert any(r.startswith("▸ card") for r in pane.lines)
        await pilot.press("pagedown")
        await pilot.pause(0.1)
        assert any("all fields" in r for r in pane.lines)
        await pilot.press("down")
        await pilot.pause(0.1)
        assert any(r.startswith("▸ model") for r in pane.lines)
        assert any(r.startswith("  card") for r in pane.lines)  # the others are there again


async def test_where_there_is_no_plan_its_pages_say_so(tmp_path: Path) -> None:
    file = tmp_path / "empty.jsonl"
    info = CPU.read_text(encoding="utf-8").splitlines()[0]
    file.write_text(info + "\n", encoding="utf-8")
    app = RoofwatchApp(Replay(file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await pilot.pause(0.5)
        await pilot.press("pagedown")
        await pilot.pause(0.1)
        assert "there is no plan yet" in app.dashboard.pane("footer").lines[0]
