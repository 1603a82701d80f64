"""The tabs drawn from what an H200 measured: decode steps, and the kernel map."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from roofwatch.session.file import events
from roofwatch.session.fold import Session, fold
from roofwatch.session.replay import Replay
from roofwatch.tui.decode import decode_pane
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.kernels import kernels_pane
from roofwatch.tui.kernels.kernels_pane import View
from roofwatch.tui.plan import plan_pane
from roofwatch.tui.plan.plan_fields import PlanFields
from roofwatch.tui.plan.plan_tables import load_tables
from roofwatch.tui.screen.app import RoofwatchApp

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
DECODE, KERNELS = SESSIONS / "h200-decode-1.jsonl", SESSIONS / "h200-kernels-1.jsonl"
SIZES = [(78, 18), (80, 19), (118, 30), (120, 31), (198, 54), (60, 12), (48, 17), (20, 3)]


@pytest.fixture(scope="module")
def decode() -> Session:
    return fold(events(DECODE))


@pytest.fixture(scope="module")
def kernels() -> Session:
    return fold(events(KERNELS))


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_they_fill_every_size(
    decode: Session, kernels: Session, cells: int, height: int, glyphs: object
) -> None:
    for which in range(4):
        for whole in (False, True):
            rows = decode_pane.build(decode, cells, height, glyphs, which, whole)  # type: ignore[arg-type]
            assert [width(r) for r in rows] == [cells] * height
    for page in range(3):
        for at in (0, 9, 99):
            rows = kernels_pane.build(kernels, cells, height, glyphs, View(page, at))  # type: ignore[arg-type]
            assert [width(r) for r in rows] == [cells] * height


def test_the_parts_explain_the_steps(decode: Session) -> None:
    found = decode_pane.curves(decode)
    assert {(c.model, c.context) for c in found} >= {("Llama-3-8B", 256), ("Llama-3-8B", 2048)}
    rows = lines(decode_pane.build(decode, 198, 54, UNICODE, len(found) - 1))
    assert rows[0].startswith(f" {found[-1].model}  {found[-1].context} tokens")
    explained = [int(m[1]) for r in rows if (m := re.search(r" (\d+) % +-?\d+\.\d %", r))]
    assert len(explained) == len(found[-1].points)
    assert all(80 <= x <= 120 for x in explained)
    assert any("off linear from batch" in r for r in rows)


@pytest.mark.parametrize("cells", [60, 80, 100, 118, 120, 140, 170, 198])
def test_a_column_of_the_decode_table_stays_where_it_is(decode: Session, cells: int) -> None:
    count = len(decode_pane.curves(decode))
    heads = set()
    for which in range(count):
        rows = lines(decode_pane.build(decode, cells, 40, UNICODE, which, True))
        head = next(r for r in rows if r.startswith(" batch"))
        heads.add(re.split(r" {3}\S weights", head)[0])  # the bars' legend is each curve's own
    assert count > 1
    assert len(heads) == 1


def test_every_kernel_has_its_row_share_and_treatment(kernels: Session) -> None:
    count = kernels_pane.length(kernels, 80, 19, UNICODE, View())
    seen = set()
    for at in range(count):
        rows = lines(kernels_pane.build(kernels, 80, 19, UNICODE, View(0, at)))
        here = next(r for r in rows if r.startswith("▸"))
        seen.add(here[1])
        assert re.search(r"\d+ %  (memory|compute|overhead)$", here)
        assert any(r.startswith(" Do  ") for r in rows)
    assert len(seen) == count >= 14


async def test_their_replay_goes_through_all_tabs() -> None:
    for file, key, pane in ((DECODE, "5", "decode"), (KERNELS, "6", "kernels")):
        app = RoofwatchApp(Replay(file), UNICODE)
        async with app.run_test(size=(80, 24)) as pilot:
            for each in (*"1234567", key):
                await pilot.press(each)
                await pilot.pause(0.2)
            before = app.dashboard.pane(pane).lines
            await pilot.press("right")
            await pilot.pause(0.2)
            assert app.dashboard.pane(pane).lines != before


def test_the_plan_of_a_measured_model_has_its_overhead(decode: Session) -> None:
    fields = PlanFields(load_tables(), decode)
    found, _, said = fields.answer(decode)
    assert found is not None
    assert found.overhead_source == "measured"
    assert found.overhead_s > 0
    assert "measured here" in said
    fields.open = "overhead"
    rows = lines(plan_pane.build(fields, decode, 80, 19, UNICODE))
    assert any(re.search(r"▸ overhead +[\d.]+ ms, measured +←→", r) for r in rows)
    assert any("decode step, measured here" in r for r in rows)
    fields.change(1, decode)
    higher = fields.answer(decode).plan
    assert higher is not None
    assert higher.overhead_s > found.overhead_s
    assert higher.overhead_source == "given"
    for _ in range(12):  # down to none, then what was measured again
        fields.change(-1, decode)
        if fields.answer(decode).plan == found:
            break
    assert fields.answer(decode).plan == found
    fields.toggle()
    nominal = fields.answer(decode).plan
    assert nominal is not None
    assert nominal.overhead_s == 0
