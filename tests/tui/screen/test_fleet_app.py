"""The screen of a fleet, driven by Pilot."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from made_fleet import fleet_lines, made_fleet
from textual.binding import Binding

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.fleet_file import read_fleet
from roofwatch.session.fleet.lines import encode
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.fleet.fleet_help import FleetHelp
from roofwatch.tui.fleet.links_page import LinksPage
from roofwatch.tui.fleet.rank_page import RankPage
from roofwatch.tui.screen.fleet_app import FleetApp, FleetScreen
from roofwatch.verbs import show

TWO = Path(__file__).parents[2] / "sessions" / "two"


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


def slow_pair() -> Fleet:
    """Ranks that are alike, one link that is not."""
    fleet = Fleet()
    for line in fleet_lines(6):  # the planted ones come later
        fleet.add(line)
    fleet.ranks = {r: msgspec.structs.replace(fleet.ranks[0], rank=r, card=r) for r in range(6)}
    fleet.links[2] = msgspec.structs.replace(fleet.links[2], time_s=fleet.links[2].time_s * 7.3)
    return fleet


async def test_a_slow_link_is_in_the_head_beneath_the_ranks_and_on_its_page() -> None:
    app = FleetApp(slow_pair(), UNICODE)
    said = "node000 card 2 to node000 card 3 carries 52.1 GB/s: 7.3 times slower"
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "▲ 1 slow link" in app.pane.lines[1]
        assert "none slow" not in app.pane.lines[1]
        assert any(said in line for line in app.pane.lines[10:])
        assert "c links" in app.pane.lines[-1]
        for key in ("n", "c"):  # no rank is slow: n leads to the links too
            await pilot.press(key)
            await pilot.pause()
            assert isinstance(app.screen, LinksPage)
            assert any(said in line for line in app.screen.pane.lines)
            assert any(line.rstrip().endswith("fit off") for line in app.screen.pane.lines)
            await pilot.press("escape")
            await pilot.pause()


async def test_the_list_of_keys_has_every_key_of_the_grid() -> None:
    app = FleetApp(made_fleet(8, links=False), UNICODE)
    signs = {
        "escape": "Esc", "up": "↑", "down": "↓", "left": "←", "right": "→", "pageup": "PgUp",
        "pagedown": "PgDn", "space": "Space", "home": "Home", "end": "End", "enter": "Enter",
        "question_mark": "?", "f1": "F1",
    }  # fmt: skip
    async with app.run_test(size=(80, 40)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause()
        assert isinstance(app.screen, FleetHelp)
        told = " ".join(line[:18] for line in app.screen.pane.lines)
        for binding in FleetScreen.BINDINGS:
            assert isinstance(binding, Binding)
            for key in binding.key.split(","):
                if not key.startswith("ctrl+"):
                    assert signs.get(key, key) in told, key
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, FleetHelp)


@pytest.mark.parametrize("size", [(60, 16), (40, 12), (80, 24), (120, 36)])
async def test_the_footer_keeps_the_list_of_keys_and_the_end(size: tuple[int, int]) -> None:
    app = FleetApp(made_fleet(64), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        assert "? keys  q Esc quit  1 of 64" in app.pane.lines[-1]


async def test_the_footer_offers_nothing_that_does_nothing() -> None:
    fleet = read_fleet(TWO / "fleet-1.jsonl")
    app = FleetApp(fleet, UNICODE)
    async with app.run_test(size=(200, 24)) as pilot:
        await pilot.pause()
        assert "n slow" not in app.pane.lines[-1]  # none is
        assert "figure" not in app.pane.lines[-1]  # all are on show
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "←→ figure" in app.pane.lines[-1]


async def test_the_figure_that_earned_the_mark_is_in_view_from_the_start() -> None:
    fleet = read_fleet(TWO / "fleet-slow.jsonl")
    fleet.ranks = {0: msgspec.structs.replace(fleet.ranks[1], rank=0), 1: fleet.ranks[0]}
    fleet.ranks[1] = msgspec.structs.replace(fleet.ranks[1], rank=1)
    app = FleetApp(fleet, UNICODE)
    async with app.run_test(size=(35, 24)) as pilot:
        await pilot.pause()
        assert here(app).count("▲") >= 2


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


async def test_why_the_rank_under_the_cursor_is_slow_stands_in_the_grid() -> None:
    app = FleetApp(made_fleet(64), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert app.pane.lines[-2].strip() == ""  # the first is not slow
        await pilot.press("n")
        told = app.pane.lines[-2]
        assert told.startswith(" ▲ ")
        assert "its power limit is 500 W, the others' 700 W" in told
        await pilot.press("end")
        assert len(app.pane.lines) == 24
        assert "node007 7" in here(app)
