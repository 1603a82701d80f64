"""What holds for all that opens over the panes: keys that always act, the wheel, small rooms."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.notebook.check_form import CheckForm
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.command_page import CommandPage
from roofwatch.tui.screen.dialogs import Ask, Saved
from roofwatch.tui.widgets.sheet import WHEEL, Sheet

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
FULL, KERNELS = SESSIONS / "h200-full-1.jsonl", SESSIONS / "h200-kernels-1.jsonl"
SMALL = [(80, 24), (40, 9), (30, 8), (20, 5)]
OPENED = {
    "help": (FULL, ("question_mark",)),
    "palette": (FULL, ("ctrl+p",)),
    "form": (FULL, ("c",)),
    "measurement": (FULL, ("3", "down", "enter")),
    "finding": (FULL, ("4", "enter")),
    "kernel": (KERNELS, ("6", "enter")),
    "saved": (FULL, ("s",)),
    "record": (FULL, ("a",)),
}
FIELD = {"field of the plan": (FULL, ("7", "enter"))}


@pytest.fixture
def far(tmp_path: Path) -> Callable[[Path], Path]:
    """A copy of a session at the end of a path that no footer has room for."""

    def copied(path: Path) -> Path:
        long = tmp_path / ("folder-" * 20) / ("name-" * 20)
        long.parent.mkdir()
        long.write_bytes(path.read_bytes())
        return long

    return copied


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def screen_of(app: RoofwatchApp) -> str:
    """What stands on the terminal."""
    strips = app.screen._compositor.render_strips()
    return "\n".join(strip.text for strip in strips)


@pytest.mark.parametrize("opened", [*OPENED, *FIELD])
async def test_ctrl_l_and_ctrl_z_act_over_everything(
    opened: str, far: Callable[[Path], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    path, keys = (OPENED | FIELD)[opened]
    app = RoofwatchApp(Replay(far(path)), UNICODE)
    async with app.run_test(size=(64, 20)) as pilot:
        await press(pilot, *keys)
        told: list[str] = []
        monkeypatch.setattr(app._frame, "forget", lambda: told.append("redrawn"))
        monkeypatch.setattr(app, "action_suspend_process", lambda: told.append("stopped"))
        screen, before = app.screen, screen_of(app)
        assert isinstance(screen, Sheet) == (opened in OPENED)
        await press(pilot, "ctrl+l", "ctrl+z")
        assert {"redrawn", "stopped"} == set(told)
        assert app.screen is screen
        assert screen_of(app) == before
        assert app.dashboard.at.typing == (opened in FIELD)


async def wheel(app: RoofwatchApp, pilot: Pilot[None], down: bool) -> None:
    kind = events.MouseScrollDown if down else events.MouseScrollUp
    x, y = app.size.width // 2, app.size.height // 2
    app.post_message(kind(None, x, y, 0, 1 if down else -1, 0, False, False, False, x, y))
    await pilot.pause()


@pytest.mark.parametrize("opened", ["help", "measurement", "finding", "kernel", "saved"])
async def test_the_wheel_moves_a_page(opened: str, far: Callable[[Path], Path]) -> None:
    path, keys = OPENED[opened]
    app = RoofwatchApp(Replay(far(path)), UNICODE)
    async with app.run_test(size=(64, 20)) as pilot:
        await press(pilot, *keys)
        await pilot.resize_terminal(64, 7)
        await pilot.pause(0.1)
        page = app.screen
        assert isinstance(page, Sheet)
        top = page.pane.lines
        await wheel(app, pilot, down=True)
        assert page.pane.lines != top
        await wheel(app, pilot, down=False)
        assert page.pane.lines == top
        assert app.screen is page


async def test_the_wheel_moves_the_palettes_cursor_and_the_forms_answer() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(60, 14)) as pilot:
        await press(pilot, "ctrl+p")
        assert isinstance(app.screen, CommandPage)
        await wheel(app, pilot, down=True)
        assert app.screen._at == WHEEL
        await press(pilot, "escape", "c")
        assert isinstance(app.screen, CheckForm)
        await pilot.pause(0.2)
        await wheel(app, pilot, down=True)
        assert app.screen._scroll > 0
        await wheel(app, pilot, down=False)
        assert app.screen._scroll == 0


async def read_through(app: RoofwatchApp, pilot: Pilot[None]) -> list[str]:
    """All rows of the page, as the arrows bring them on."""
    page = app.screen
    assert isinstance(page, Sheet)
    rows = [line.rstrip() for line in page.pane.lines]
    for _ in range(60):
        await press(pilot, "down")
        if app.screen is not page or page.pane.lines[-1].rstrip() == rows[-1]:
            break
        rows.append(page.pane.lines[-1].rstrip())
    return rows


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
async def test_the_whole_path_can_be_read_and_the_frame_says_what_closes_it(
    size: tuple[int, int], glyphs: Glyphs, tmp_path: Path
) -> None:
    folder = tmp_path / "share" / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    path = folder / "20261130T013107Z-NVIDIA-H200-4f3c2a1b.jsonl"
    path.write_bytes(FULL.read_bytes())
    app = RoofwatchApp(Replay(path), glyphs)
    async with app.run_test(size=size) as pilot:
        await press(pilot, "s")
        assert isinstance(app.screen, Saved)
        assert "Esc closes" in screen_of(app) or "closes this" in screen_of(app)
        assert "…" not in screen_of(app).split("\n")[-1]
        rows = await read_through(app, pilot)
        assert rows[0] == "read from"
        assert "".join(rows[1:]) == str(path)
        await press(pilot, *["escape"] * isinstance(app.screen, Saved))
        assert app.screen is app.dashboard


@pytest.mark.parametrize("size", SMALL)
@pytest.mark.parametrize(("key", "answer"), [("y", [True]), ("n", [False]), ("enter", [])])
async def test_a_question_has_its_keys_on_every_terminal(
    size: tuple[int, int], key: str, answer: list[bool]
) -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    told: list[bool] = []
    answered: Callable[[bool], None] = told.append
    async with app.run_test(size=size) as pilot:
        app.push_screen(Ask("1 process holds 1.0 GiB of the card, at 90 %", answered, UNICODE))
        await pilot.pause()
        assert "y run" in screen_of(app).replace("  ", " ")
        assert "n watch" in screen_of(app) or "n only" in screen_of(app).replace("  ", " ")
        rows = await read_through(app, pilot)
        assert " ".join(" ".join(rows).split()).endswith("run, and the numbers low.")
        await press(pilot, key, key)
        assert told == answer
        assert isinstance(app.screen, Ask) == (not answer)
