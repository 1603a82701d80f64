"""The screen of a fleet, driven by Pilot."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from made_fleet import fleet_lines, made_fleet

from roofwatch.session.fleet.lines import encode
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of
from roofwatch.tui.fleet.fleet_keys import KEYS, FleetHelp, body
from roofwatch.tui.fleet.rank_page import RankPage
from roofwatch.tui.screen.fleet_app import FleetApp
from roofwatch.verbs import show


def here(app: FleetApp) -> str:
    return next(line for line in app.pane.lines if "▸" in line)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)])
async def test_arrows_move_n_finds_the_slow_and_enter_opens_a_rank(size: tuple[int, int]) -> None:
    app = FleetApp(made_fleet(64, lost=(3,)), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert len(app.pane.lines) == size[1]
        assert "64 ranks on 8 nodes" in app.pane.lines[0]
        assert "node000 0" in here(app)
        await pilot.press("down", "down", "up")
        assert "node000 1" in here(app)
        await pilot.press("n")
        assert "silent" in here(app)
        await pilot.press("n", "enter")
        await pilot.pause()
        page = app.screen
        assert isinstance(page, RankPage)
        assert any("power-capped" in line for line in page.pane.lines)
        await pilot.press("escape")
        await pilot.press("end")
        assert "node007 7" in here(app)
        await pilot.press("home", "pagedown")
        assert "node000 0" not in here(app)
        await pilot.press("right", "right")
        assert app.at.column == (2 if size[0] == 80 else 0)
        await pilot.press("q")
    assert app.return_code == 0


@pytest.mark.parametrize("size", [(80, 24), (60, 16)])
@pytest.mark.parametrize("key", ["question_mark", "f1"])
async def test_the_help_tells_every_key(size: tuple[int, int], key: str) -> None:
    app = FleetApp(made_fleet(8), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert app.pane.lines[-1].startswith(" q quit  ? help  ↑↓ rank")
        assert app.pane.lines[-1].rstrip().endswith("1 of 8")
        await pilot.press(key)
        await pilot.pause()
        assert isinstance(app.screen, FleetHelp)
        await pilot.press("x")
        await pilot.pause()
        assert not isinstance(app.screen, FleetHelp)
    told = " ".join(text_of(r) for r in body(72, UNICODE))
    for word in (
        "quit",
        "Enter",
        "PgDn PgUp",
        "Home End",
        "slow or not whole",
        "contrast",
        "▲",
        "✗",
    ):
        assert word in told


def test_every_key_of_the_fleets_screen_does_something() -> None:
    for key in KEYS:
        for _, action in key.keys:
            assert hasattr(FleetApp, f"action_{action.partition('(')[0]}"), action


async def test_figures_out_of_sight_are_counted_whatever_the_width() -> None:
    app = FleetApp(made_fleet(8), UNICODE)
    async with app.run_test(size=(60, 16)) as pilot:
        for cells in range(40, 110):
            await pilot.resize_terminal(cells, 16)
            await pilot.pause()
            rows = app.pane.lines
            told = [int(n) for r in rows[:8] for n in re.findall(r" (\d+) more", r)]
            shown = sum(r.count(" %") for r in rows if r.startswith("▸"))
            assert shown + sum(told) == len(app.grid.names), cells


async def test_it_follows_the_terminals_size() -> None:
    app = FleetApp(made_fleet(8, links=False), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.resize_terminal(60, 12)
        await pilot.pause()
        assert len(app.pane.lines) == 12


def test_without_a_terminal_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "fleet.jsonl"
    path.write_bytes(b"".join(encode(line) for line in fleet_lines(2, links=False)))
    with pytest.raises(SystemExit) as ended:
        show.main([str(path), "--replay"])
    assert ended.value.code == 2
    assert "--replay needs a terminal" in capsys.readouterr().err
