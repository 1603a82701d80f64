"""The plan as rows of text, and driven by Pilot: keys, typing, resizing, a replay."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from roofwatch.session.decode import DecodeCurve
from roofwatch.session.events import Price
from roofwatch.session.fold import Session
from roofwatch.session.kernel_map import KernelPoint
from roofwatch.session.plan_overhead import TWO_COUNTS
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, text_of, width
from roofwatch.tui.plan import plan_pane, short_plan
from roofwatch.tui.plan.plan_fields import FIELDS, PlanFields
from roofwatch.tui.plan.plan_tables import Tables, load_tables
from roofwatch.tui.screen.app import RoofwatchApp

SIZES = [(78, 18), (80, 19), (118, 30), (198, 54), (60, 12), (48, 17), (30, 8), (20, 3), (8, 1)]
Compare = Callable[[RoofwatchApp, str], None]


@pytest.fixture(scope="module")
def tables() -> Tables:
    return load_tables()


def lines(rows: list[Row]) -> list[str]:
    return [text_of(r).rstrip() for r in rows]


@pytest.mark.parametrize(("cells", "height"), SIZES)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
def test_it_fills_its_size_exactly(
    tables: Tables, h200: Session, cells: int, height: int, glyphs: Glyphs
) -> None:
    for session in (h200, Session()):
        fields = PlanFields(tables, session)
        for name in FIELDS:
            fields.open = name
            for line in (False, True):
                if line:
                    fields.begin(session)
                rows = plan_pane.build(fields, session, cells, height, glyphs)
                assert [width(r) for r in rows] == [cells] * height
                if glyphs is ASCII:
                    assert all(ord(c) < 128 for r in rows for c in text_of(r))
                small = short_plan.build(fields, session, cells, height, glyphs)
                assert [width(r) for r in small] == [cells] * height
            fields.type(None)


def test_the_ridge_says_of_which_precision_it_is(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    for weights, key in (("fp16", "fp16"), ("fp8", "fp8_fast|fp8")):
        while fields.question.weights != weights:
            fields.open = "weights"
            fields.change(1, h200)
        rows = lines(plan_pane.build(fields, h200, 80, 19, UNICODE))
        assert re.search(rf"ridge +\d+ FLOP/byte (?:{key})$", rows[0]), rows[0]


def test_fields_and_figures_stand_beside_each_other(tables: Tables, h200: Session) -> None:
    h200.price = Price(per_hour=1.99)
    rows = lines(plan_pane.build(PlanFields(tables, h200), h200, 80, 19, UNICODE))
    assert re.match(r"▸ card +NVIDIA H200 \(here\) +←→ +ridge +\d+ FLOP/byte", rows[0])
    assert re.match(r"  model +Llama-3-8B +weights +16\.1 GB, loads in 255 ms", rows[1])
    assert re.match(r"  cards +1 card +floor +3\.\d\d ms a step", rows[7])
    assert re.match(r"  price +\$1\.99/h +Mtok +\$0\.0\d+ at batch 128", rows[8])
    assert re.match(r"  roofs +measured here", rows[9])
    head = next(i for i, r in enumerate(rows) if r.startswith("    batch FLOP/B"))
    told = "batch FLOP/B step tokens/s off linear bound $/Mtok PgDn: 32, 128"
    assert " ".join(rows[head].split()) == told
    batches = [r.split("memory")[0].split()[:2] for r in rows[head + 1 :]]
    assert batches[0][0] == "1"
    assert batches[-1] == ["cap", "484"]


def test_wide_it_says_whose_roofs_and_draws_the_curve(
    tables: Tables, h200: Session, curves: list[DecodeCurve]
) -> None:
    fields = PlanFields(tables, h200)
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert any("FLOP/byte fp16, measured (nominal 206)" in r for r in rows)
    assert any("── measured 9." in r for r in rows)  # of the same model and context
    assert any("╌╌ paper 1" in r for r in rows)
    fields.toggle()
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert any("206 FLOP/byte fp16, nominal" in r for r in rows)
    fields.open = "context"
    fields.change(1, h200)
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert not any("── measured" in r for r in rows)


def test_a_batch_that_does_not_fit_says_so(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    for name, text in (("gpu", "A100 80GB SXM"), ("model", "Llama-2-7B")):
        fields.open = name
        fields.begin(h200)
        assert fields.line is not None
        fields.type(fields.line.typed(text))
        fields.enter(h200)
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert any("memory, full at batch 65" in r for r in rows)
    last = next(r for r in rows if re.match(r" +128 ", r))
    assert "no room" in last
    assert any(re.match(r" +cap 65 .* memory", r) for r in rows)
    assert any("memory full 65" in r for r in rows)


def test_which_peak_weights_go_by_is_said_where_weights_are(tables: Tables, h200: Session) -> None:
    h200.measurements[:] = [m for m in h200.measurements if m.peak_key != "fp16"]
    fields = PlanFields(tables, h200)
    said = "fp16 weights go by the bf16 peak: the session measured none of fp16"
    assert said not in "".join(lines(plan_pane.build(fields, h200, 80, 19, UNICODE)))
    fields.open = "weights"
    assert said in "".join(lines(plan_pane.build(fields, h200, 80, 19, UNICODE)))


def test_a_refusal_is_said_whole(tables: Tables, h200: Session) -> None:
    fields = PlanFields(tables, h200)
    fields.begin(h200)
    assert fields.line is not None
    fields.type(fields.line.typed("A100"))
    fields.enter(h200)
    assert len(fields.said) > 80
    for cells, height in ((80, 19), (118, 30)):
        rows = lines(plan_pane.build(fields, h200, cells, height, UNICODE))
        assert fields.said in " ".join(" ".join(rows).split())


def test_beside_the_measured_curve_two_counts_are_told_apart(
    tables: Tables, h200: Session, curves: list[DecodeCurve]
) -> None:
    fields = PlanFields(tables, h200)
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert any("── measured" in r for r in rows)
    assert TWO_COUNTS in " ".join(" ".join(rows).split())
    fields.toggle()
    fields.open = "context"
    fields.change(1, h200)
    rows = lines(plan_pane.build(fields, h200, 120, 31, UNICODE))
    assert "attention's FLOP" not in " ".join(rows)


def test_a_large_screen_has_every_model_of_the_card(tables: Tables, h200: Session) -> None:
    rows = lines(plan_pane.build(PlanFields(tables, h200), h200, 198, 54, UNICODE))
    assert any("every model on this card" in r for r in rows)
    for model in tables.models:
        assert any(r.startswith(f" {model.name} ") for r in rows), model.name


async def test_keys_change_the_plan_at_once(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await pilot.pause(0.5)
        pane = app.dashboard.pane("plan")
        before = pane.lines
        await pilot.press("down", "down", "right")
        await pilot.pause(0.1)
        assert any("4096 tokens" in r for r in pane.lines)
        assert pane.lines != before
        await pilot.press("left", "up", "up")
        await pilot.pause(0.1)
        assert pane.lines == before
        await pilot.press("m")
        await pilot.pause(0.1)
        assert any("206 FLOP/byte" in r for r in pane.lines)


async def test_a_value_is_typed_and_letters_are_no_commands(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7")
        await pilot.pause(0.5)
        pane = app.dashboard.pane("plan")
        await pilot.press("enter", *"qr7sc?")
        await pilot.pause(0.1)
        assert "qr7sc?" in pane.lines[0]
        assert "Enter take it" in app.dashboard.pane("footer").lines[0]
        assert app.dashboard.open_pane == 6
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert any("no card is called 'qr7sc?'" in r for r in pane.lines)
        await pilot.press("ctrl+u", *"rtx4090", "enter")
        await pilot.pause(0.1)
        assert "RTX 4090" in pane.lines[0]
        assert any("nominal" in r for r in pane.lines)
        await pilot.press("down", "enter", *"Llama", "escape")
        await pilot.pause(0.1)
        assert "Llama-3-8B" in pane.lines[1]
        await pilot.press("down", "enter", *"8192", "tab")
        await pilot.pause(0.1)
        assert any("8192 tokens" in r for r in pane.lines)
        assert pane.lines[3].startswith("▸ weights")
        await pilot.press("q")
    assert app.return_code == 0


async def test_what_is_typed_lives_through_a_resize(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7", "down", "enter", *"Tiny")
        for size in ((50, 12), (200, 60), (120, 36), (80, 24)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.4)
            assert any("Tiny" in r for r in app.dashboard.pane("plan").lines)
        await pilot.press(*"Llama", "enter")
        await pilot.pause(0.1)
        assert any("TinyLlama-1.1B" in r for r in app.dashboard.pane("plan").lines)


async def test_pasted_text_is_typed(h200_file: Path) -> None:
    from textual import events

    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7", "down", "down", "enter")
        app.post_message(events.Paste("16384\nsecond line"))
        await pilot.pause(0.2)
        await pilot.press("enter")
        await pilot.pause(0.1)
        assert any("16384 tokens" in r for r in app.dashboard.pane("plan").lines)


async def test_ctrl_c_quits_while_a_value_is_typed(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("7", "enter", "x", "ctrl+c")
        await pilot.pause(0.1)
    assert app.return_code == 0


async def test_a_key_that_is_for_the_plan_says_so_elsewhere(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("m")
        assert "the plan (7)" in app.dashboard.pane("footer").lines[0]


async def test_down_and_up_give_the_room_to_table_or_picture(
    h200_file: Path, curves: list[DecodeCurve]
) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("5")
        await pilot.pause(0.4)
        pane = app.dashboard.pane("decode")
        assert any("┤" in r for r in pane.lines)
        assert "256 tokens" in pane.lines[0]
        await pilot.press("down", "right")
        await pilot.pause(0.2)
        assert not any("┤" in r for r in pane.lines)
        assert "2048 tokens" in pane.lines[0]
        await pilot.press("up", "left")
        await pilot.pause(0.2)
        assert any("┤" in r for r in pane.lines)


async def test_the_cursor_goes_through_the_kernels(
    h200_file: Path, kernels: list[KernelPoint]
) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("6")
        await pilot.pause(0.4)
        pane = app.dashboard.pane("kernels")
        for presses, mark in ((["down"] * 3, "D"), (["pagedown"] * 9, "O"), (["k"], "N")):
            await pilot.press(*presses)
            await pilot.pause(0.2)
            assert [r[1] for r in pane.lines if r.startswith("▸")] == [mark]
        await pilot.resize_terminal(120, 36)
        await pilot.pause(0.4)
        assert [r[1] for r in pane.lines if r.startswith("▸")] == ["N"]
        await pilot.resize_terminal(50, 12)
        await pilot.pause(0.4)
        assert any(r.startswith("▸prefill attention") for r in pane.lines)


async def test_nothing_is_drawn_again_while_nothing_changes(
    h200_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        for key in "567":
            await pilot.press(key)
            await pilot.pause(0.5)
            drawn = []
            pane = app.dashboard.pane({"5": "decode", "6": "kernels", "7": "plan"}[key])
            monkeypatch.setattr(pane, "show", drawn.append)
            for _ in range(6):
                app.dashboard.paint()
            await asyncio.sleep(0)
            assert drawn == []


@pytest.mark.parametrize("name", ["decode", "kernels", "plan"])
async def test_pictures(
    h200_file: Path,
    curves: list[DecodeCurve],
    kernels: list[KernelPoint],
    same_picture: Compare,
    name: str,
) -> None:
    key = {"decode": "5", "kernels": "6", "plan": "7"}[name]
    replay = Replay(h200_file)
    replay.session.price = Price(per_hour=1.99)
    for size in ((80, 24), (120, 36)):
        app = RoofwatchApp(replay, UNICODE)
        async with app.run_test(size=size) as pilot:
            await pilot.press(key, "right")
            await pilot.pause(0.8)
            same_picture(app, f"{name}-{size[0]}x{size[1]}")


def test_the_models_prices_name_their_batch(tables: Tables, h200: Session) -> None:
    h200.price = Price(per_hour=1.99)
    rows = lines(plan_pane.build(PlanFields(tables, h200), h200, 198, 54, UNICODE))
    at = next(i for i, r in enumerate(rows) if "every model on this card" in r)
    assert rows[at + 1].startswith(
        " $/Mtok at batch 128, or at cap where that is less; no overhead"
    )
    h200.price = None
    rows = lines(plan_pane.build(PlanFields(tables, h200), h200, 198, 54, UNICODE))
    assert rows[at + 1].startswith(" floor: the weights alone; cap: the last batch that fits")


def test_the_full_memory_is_said_once_beside_the_fields(tables: Tables, h200: Session) -> None:
    p = PlanFields(tables, h200).answer(h200).plan
    assert p is not None
    rows = lines(plan_pane.build(PlanFields(tables, h200), h200, 198, 54, UNICODE))
    memory = next(r for r in rows if "  memory   " in r and "GiB" in r)
    limit = next(r for r in rows if "  limit   " in r)
    assert str(p.batch_memory_cap) not in memory
    assert f"full at batch {p.batch_memory_cap}" in limit
