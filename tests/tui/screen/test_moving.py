"""The keys that move: the first press goes where it says, and one that can do nothing says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.command_page import matching
from roofwatch.tui.screen.commands import commands
from roofwatch.tui.screen.footer import HOLDS
from roofwatch.tui.screen.keys import IN_REPLAYS, KEYS

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
FULL, QUICK, KERNELS, DECODE, MISTAKES = (
    SESSIONS / f"h200-{name}-1.jsonl" for name in ("full", "quick", "kernels", "decode", "mistakes")
)


async def driven(
    path: Path, size: tuple[int, int], keys: str, seen: Callable[[RoofwatchApp], object]
) -> object:
    """What is seen of the screen after these keys, blanks between them."""
    app = RoofwatchApp(Replay(path), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.1)
        await _press(pilot, keys)
        return seen(app)


async def _press(pilot: Pilot[None], keys: str) -> None:
    for key in keys.split():
        await pilot.press(key)
        await pilot.pause()


def footer(app: RoofwatchApp) -> str:
    return app.dashboard.pane("footer").lines[0]


@pytest.mark.parametrize(
    ("pane", "where"),
    [
        ("1", lambda at: at.point),
        pytest.param("3", lambda at: at.probe, marks=pytest.mark.long),
        pytest.param("4", lambda at: at.place.finding, marks=pytest.mark.long),
    ],
)
async def test_the_first_press_goes_where_it_says(pane: str, where: Callable[..., int]) -> None:
    at = lambda app: where(app.dashboard.at)  # noqa: E731
    for path in (FULL,):
        first = await driven(path, (80, 24), f"{pane} home", at)
        last = await driven(path, (80, 24), f"{pane} end", at)
        assert first == 0
        assert last == await driven(path, (80, 24), f"{pane} {'pagedown ' * 9} {'down ' * 9}", at)
        assert isinstance(last, int)
        assert last > 0
        assert await driven(path, (80, 24), f"{pane} end down home", at) == 0
        if pane != "4":  # of findings a page is rows
            on = await driven(path, (80, 24), f"{pane} pagedown", at)
            assert on == min(9, last)


@pytest.mark.parametrize(
    ("path", "size", "keys", "said"),
    [
        (FULL, (80, 24), "plus", "+ and - are for the clocks"),
        (FULL, (80, 24), "3 minus", "+ and - are for the clocks"),
        (FULL, (80, 24), "2 plus plus plus plus plus plus", "there is no shorter stretch"),
        (
            QUICK,
            (80, 24),
            "2 minus minus minus minus minus minus minus",
            "the whole session is in view",
        ),
        (QUICK, (80, 24), "2 left", "the whole session is in view"),
        (FULL, (80, 24), "2 plus right", "this is its end"),
        (FULL, (80, 24), "2 plus home left", "this is the beginning"),
        (QUICK, (80, 24), "2 down", "there is one card"),
        (QUICK, (80, 24), "2 enter", "there is one card"),
        (QUICK, (60, 16), "2 left", "no room for a chart"),
        (QUICK, (60, 16), "2 plus", "no room for a chart"),
        (QUICK, (60, 16), "2 down", "every row is in view"),
        (QUICK, (80, 24), "5 right", "there is no other curve"),
        (QUICK, (80, 24), "6 right", "there is no other page"),
        (QUICK, (80, 24), "8 right", "left and right move nothing here"),
        (KERNELS, (80, 24), "right", "there is no other precision"),
        (KERNELS, (80, 24), "p", "there is no other precision"),
    ],
)
async def test_a_key_that_can_do_nothing_says_so(
    path: Path, size: tuple[int, int], keys: str, said: str
) -> None:
    assert said in str(await driven(path, size, keys, footer))


MOVES = {"↑↓": "down", "←→": "right", "+-": "plus"}


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((60, 16), marks=pytest.mark.long),
        pytest.param((50, 12), marks=pytest.mark.long),
        (80, 24),
    ],
)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(FULL, marks=pytest.mark.long),
        KERNELS,
        DECODE,
        pytest.param(MISTAKES, marks=pytest.mark.long),
    ],
    ids=lambda p: p.stem,
)
async def test_what_is_offered_does_something(path: Path, size: tuple[int, int]) -> None:
    app = RoofwatchApp(Replay(path), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.1)
        for pane in "1234567":
            for sign, key in MOVES.items():
                await _press(pilot, f"{pane} home")
                name = app.dashboard._scene.focus
                before = app.dashboard.pane(name).lines
                if f" {sign} " in footer(app):
                    await _press(pilot, key)
                    assert app.dashboard.pane(name).lines != before, (pane, sign)
                    assert "?" in footer(app), (pane, sign)


@pytest.mark.parametrize("path", [DECODE, MISTAKES, FULL, KERNELS], ids=lambda p: p.stem)
async def test_compact_text_is_reached_to_its_last_row(path: Path) -> None:
    app = RoofwatchApp(Replay(path), UNICODE)
    async with app.run_test(size=(50, 12)) as pilot:
        await pilot.pause(0.1)
        for pane in "123456":
            await _press(pilot, f"{pane} end")
            rows = app.dashboard.pane(app.dashboard._scene.focus).lines
            assert not any("more: " in r for r in rows), (pane, rows)
            await _press(pilot, "up home")
            assert app.dashboard.at.first_row == app.dashboard.at.kernel == 0


async def test_a_paused_replay_says_so_whatever_is_pressed() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        await _press(pilot, "x tab 1")
        assert " Space pause " in footer(app)
        await _press(pilot, "space 1")
        assert " Space go on " in footer(app)
        assert footer(app).rstrip().endswith(", paused")
        await _press(pilot, "x x")
        assert "at once, still paused: Space goes on" in footer(app)
        for key in "12345678":
            await _press(pilot, key)
            assert "paused" in footer(app)
    assert HOLDS[0] != HOLDS[1]


def test_every_key_that_acts_can_be_asked_for_by_name() -> None:
    found = commands(replay=True)
    offered = {c.action for c in found}
    for key in KEYS:
        for _, action in key.keys:
            assert action in offered or action == "app.commands", action
    assert len({c.title for c in found}) == len(found)
    of_replays = {action for key in KEYS if key.group == IN_REPLAYS for _, action in key.keys}
    assert offered - {c.action for c in commands(replay=False)} == of_replays
    for typed, first in (
        ("mark", "Sessions: mark one"),
        ("sess", "Open Sessions"),
        ("help", "Help"),
        ("zoom", "Zoom in"),
        ("compare", "Sessions: mark one, compare"),
        ("plan", "Open Plan"),
        ("qt", "Quit"),
    ):
        assert matching(found, typed)[0].title.startswith(first), typed
