"""Every key does what the help says of it, in the pane where it says so."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.theme import COLORLESS, THEMES
from roofwatch.tui.kernels.kernel_page import KernelPage
from roofwatch.tui.notebook.check_form import CheckForm
from roofwatch.tui.notebook.error_page import ErrorPage
from roofwatch.tui.probes.measurement_page import MeasurementPage
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.command_page import CommandPage
from roofwatch.tui.screen.dialogs import Saved
from roofwatch.tui.screen.help_page import HelpPage
from roofwatch.tui.screen.keys import KEYS
from roofwatch.tui.screen.painting import PANES
from roofwatch.tui.sessions.compare_page import ComparePage
from roofwatch.tui.widgets.pane import Pane

SESSIONS = Path(__file__).parent.parent.parent / "sessions"
FULL, QUICK = SESSIONS / "h200-full-1.jsonl", SESSIONS / "h200-quick-1.jsonl"
KERNELS, DECODE = SESSIONS / "h200-kernels-1.jsonl", SESSIONS / "h200-decode-1.jsonl"


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause()


def lines(app: RoofwatchApp, name: str) -> list[str]:
    return app.dashboard.pane(name).lines


def footer(app: RoofwatchApp) -> str:
    return lines(app, "footer")[0]


async def drive(path: Path, size: tuple[int, int], *keys: str) -> tuple[RoofwatchApp, list[str]]:
    """The app after these keys, and the pane whose keys act, as it was drawn last."""
    app = RoofwatchApp(Replay(path), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.1)
        await press(pilot, *keys)
        return app, lines(app, PANES[app.dashboard.open_pane])


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_quit(key: str) -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, key)
    assert app.return_code == 0


@pytest.mark.parametrize(
    ("key", "opened"),
    [("question_mark", HelpPage), ("ctrl+p", CommandPage), ("c", CheckForm), ("s", Saved)],
)
async def test_what_opens_over_the_panes_closes_with_escape(key: str, opened: type) -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(40, 20)) as pilot:
        await press(pilot, key)
        assert isinstance(app.screen, opened)
        await press(pilot, "escape")
        assert app.screen is app.dashboard


async def test_panes_by_number_and_by_tab() -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for i, name in enumerate(PANES):
            await press(pilot, str(i + 1))
            assert app.dashboard.open_pane == i
            assert any(line.strip() for line in lines(app, name))
        await press(pilot, "tab")
        assert app.dashboard.open_pane == 0
        await press(pilot, "shift+tab")
        assert app.dashboard.open_pane == len(PANES) - 1


async def test_p_and_the_arrows_change_the_precision_from_the_roofline() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "p")
        assert app.dashboard.at.precision == "fp16"
        await press(pilot, "right")
        assert app.dashboard.at.precision == "tf32"
        await press(pilot, "left", "left")
        assert app.dashboard.at.precision == "bf16"
        await press(pilot, "3", "p")
        assert lines(app, "header")[1].startswith(" fp16")


async def test_r_runs_nothing_in_a_replay_and_a_note_goes_with_the_next_key() -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "r")
        assert "a replay cannot run anything" in footer(app)
        await press(pilot, "2")
        assert "zoom" in footer(app)


async def test_y_copies_the_record_through_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        written: list[str] = []
        assert app._driver is not None
        monkeypatch.setattr(app._driver, "write", written.append)
        await press(pilot, "y")
        assert "copied: the record as Markdown" in footer(app)
    (sequence,) = [text for text in written if text.startswith("\x1b]52;c;")]
    text = base64.b64decode(sequence.removeprefix("\x1b]52;c;").removesuffix("\a")).decode()
    assert text.startswith("**NVIDIA H200**")
    assert "| bf16 |" in text


async def test_t_goes_through_the_themes_and_says_which() -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for theme in (*THEMES[1:], THEMES[0]):
            await press(pilot, "t")
            assert app.theme == theme
            assert "theme: " in footer(app)


async def test_ctrl_l_sends_every_cell_again(monkeypatch: pytest.MonkeyPatch) -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        forgotten: list[bool] = []
        monkeypatch.setattr(app._frame, "forget", lambda: forgotten.append(True))
        await press(pilot, "ctrl+l")
        assert forgotten


async def test_ctrl_z_asks_to_be_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        asked: list[bool] = []
        monkeypatch.setattr(app, "action_suspend_process", lambda: asked.append(True))
        await press(pilot, "ctrl+z")
        assert asked == [True]


async def test_the_rooflines_cursor_walks_its_points_and_escape_takes_it_away() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.1)
        before = lines(app, "roofline")
        await press(pilot, "down")
        assert app.dashboard.at.point == 0
        await press(pilot, "j", "k", "down")
        assert app.dashboard.at.point == 1
        assert any(line.startswith("▸B") for line in lines(app, "roofline"))
        await press(pilot, "enter")
        assert isinstance(app.screen, MeasurementPage)
        await press(pilot, "escape", "end")
        last = app.dashboard.at.point
        await press(pilot, "down")
        assert app.dashboard.at.point == last
        await press(pilot, "home")
        assert app.dashboard.at.point == 0
        await press(pilot, "escape")
        assert app.dashboard.at.point is None
        assert lines(app, "roofline") == before


async def test_the_clocks_scroll_zoom_and_come_back_to_now() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "2", "plus", "plus")
        view = app.dashboard.at.clocks
        assert view.length_s < 60
        assert view.end_s is None
        await press(pilot, "left", "left")
        back = app.dashboard.at.clocks.end_s
        assert back is not None
        await press(pilot, "right")
        assert (app.dashboard.at.clocks.end_s or 0) > back
        await press(pilot, "home")
        assert (app.dashboard.at.clocks.end_s or 0) <= view.length_s + 1
        await press(pilot, "end")
        assert app.dashboard.at.clocks.end_s is None
        await press(pilot, "minus", "equals_sign", "minus", "minus")
        assert app.dashboard.at.clocks.length_s >= 60


async def test_the_probes_cursor_opens_a_measurement() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "3", "down", "down")
        assert app.dashboard.at.probe == 1
        assert any(line.startswith("▸matmul bf16") for line in lines(app, "probes"))
        await press(pilot, "pagedown")
        assert app.dashboard.at.probe == 11
        await press(pilot, "pageup", "enter")
        assert isinstance(app.screen, MeasurementPage)
        assert "matmul bf16" in app.screen.pane.lines[0]
        before = app.screen.pane.lines
        await press(pilot, "down", "pagedown", "end", "home")
        assert app.screen.pane.lines == before
        await press(pilot, "escape", "escape")
        assert app.dashboard.at.probe is None


async def test_the_notebooks_cursor_opens_a_finding() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "4", "down")
        assert app.dashboard.at.place.finding == 1
        await press(pilot, "up", "enter")
        assert isinstance(app.screen, ErrorPage)


async def test_decode_turns_through_its_curves_and_shows_all_batches() -> None:
    _, first = await drive(DECODE, (80, 24), "5")
    _, second = await drive(DECODE, (80, 24), "5", "right")
    _, again = await drive(DECODE, (80, 24), "5", "right", "left")
    _, whole = await drive(DECODE, (80, 24), "5", "down")
    assert first != second
    assert first == again
    assert whole != first


async def test_kernels_have_a_cursor_and_pages() -> None:
    app, first = await drive(KERNELS, (80, 24), "6")
    assert app.dashboard.at.kernel == 0
    app, moved = await drive(KERNELS, (80, 24), "6", "down")
    assert app.dashboard.at.kernel == 1
    assert moved != first
    app, page = await drive(KERNELS, (80, 24), "6", "down", "right")
    assert (app.dashboard.at.kernel_page, app.dashboard.at.kernel) == (1, 0)
    assert page != first


async def test_a_kernel_of_the_map_opens() -> None:
    app = RoofwatchApp(Replay(KERNELS), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "6", "down", "enter")
        assert isinstance(app.screen, KernelPage)
        assert "rmsnorm" in app.screen.pane.lines[0] or "graph" in app.screen.pane.lines[0]
        await press(pilot, "escape", "1", "6", "right", "enter")
        assert app.screen is app.dashboard
        assert "Enter opens a kernel of the map, on another page of this tab" in footer(app)
    links = RoofwatchApp(Replay(KERNELS.parent / "two" / "links.jsonl"), UNICODE)
    async with links.run_test(size=(80, 24)) as pilot:
        await press(pilot, "enter")
        assert "nothing here opens" in footer(links)


async def test_the_plan_is_changed_typed_and_measured() -> None:
    app, first = await drive(FULL, (80, 24), "7")
    fields = app.dashboard.at.plan(app.dashboard.session)
    opened = fields.open
    app, _ = await drive(FULL, (80, 24), "7", "down")
    assert app.dashboard.at.plan(app.dashboard.session).open != opened
    _, changed = await drive(FULL, (80, 24), "7", "m")
    assert changed != first
    app, _ = await drive(FULL, (80, 24), "7", "down", "enter", "q", "r")
    assert app.dashboard.at.typing
    app, _ = await drive(FULL, (80, 24), "7", "down", "enter", "q", "escape")
    assert not app.dashboard.at.typing


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder of two saved sessions; the path of the first."""
    for path in (FULL, QUICK):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path / FULL.name


async def listed(app: RoofwatchApp, pilot: Pilot[None], what: Callable[[], bool]) -> None:
    for _ in range(100):
        if what():
            return
        await pilot.pause(0.05)
    raise AssertionError("it was never listed")


async def test_a_saved_session_is_opened_and_left_again(saved: Path) -> None:
    app = RoofwatchApp(Replay(saved), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "8")
        entries = lambda: app.dashboard.sources.listing.entries  # noqa: E731
        await listed(app, pilot, lambda: len(entries()) == 2 and all(e.card for e in entries()))
        at = next(i for i, e in enumerate(entries()) if e.path.name == QUICK.name)
        await press(pilot, *["down"] * at, "enter")
        assert app.dashboard.open_pane == 0
        assert app.dashboard.session.suite == "quick"
        assert "Esc goes back" in footer(app)
        await press(pilot, "escape")
        assert app.dashboard.session.suite == "full"


async def test_two_saved_sessions_are_compared(saved: Path) -> None:
    app = RoofwatchApp(Replay(saved), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "8")
        await listed(app, pilot, lambda: len(app.dashboard.sources.listing.entries) == 2)
        await press(pilot, "v")
        marked = app.dashboard.at.marked
        await press(pilot, "v")
        assert marked is not None
        assert app.dashboard.at.marked is None
        await press(pilot, "v", "down", "v")
        assert isinstance(app.screen, ComparePage)
        await press(pilot, "escape", "1", "v")
        assert "v is for the saved sessions" in footer(app)


async def test_a_replay_is_played_paused_and_hurried() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, "space")
        assert "x plays it" in footer(app)
        await press(pilot, "x")
        replay = app.dashboard.sources.replay
        assert replay is not None
        assert replay.speed == 1.0
        assert not app.dashboard.session.closed
        await press(pilot, "space")
        assert replay.paused
        reached = replay.at_s
        await pilot.pause(0.4)
        assert replay.at_s == reached
        await press(pilot, "1")
        assert "paused" in footer(app)
        await press(pilot, "space", "x")
        assert replay.speed == 10.0
        await asyncio.sleep(0.3)
        await pilot.pause(0.1)
        assert replay.at_s > reached
        await press(pilot, "x")
        await listed(app, pilot, lambda: replay.done)
        assert app.dashboard.session.closed
        assert app.dashboard.session.complete


async def test_compact_text_scrolls_and_has_no_cursor() -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(60, 12)) as pilot:
        await press(pilot, "3")
        first = lines(app, "probes")
        await press(pilot, "down", "down")
        assert lines(app, "probes")[0] == first[2]
        await press(pilot, "enter")
        assert app.screen is app.dashboard
        assert "no room for a cursor" in footer(app)


async def test_the_palette_runs_what_it_lists_once() -> None:
    app = RoofwatchApp(Replay(FULL), ASCII)
    async with app.run_test(size=(80, 24)) as pilot:
        await press(pilot, "ctrl+p", *"prob")
        assert "Open Probes" in app.screen.query_one(Pane).lines[2]
        await pilot.press("enter", "enter")
        await pilot.pause(0.1)
        assert app.screen is app.dashboard
        assert PANES[app.dashboard.open_pane] == "probes"
        await pilot.press("ctrl+p", "pagedown", "pageup", "down", *"xyzzy", "enter")
        await pilot.pause(0.1)
        assert "no command of that name" in app.screen.query_one(Pane).lines[2]
        await press(pilot, "ctrl+u", *"light", "enter")
        assert app.theme == "light"


@pytest.mark.parametrize("keys", [("ctrl+p",), ("3", "down", "enter"), ("4", "enter"), ("c",)])
async def test_what_is_open_survives_a_terminal_of_a_few_cells(keys: tuple[str, ...]) -> None:
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await press(pilot, *keys)
        opened = app.screen
        for size in ((6, 24), (4, 4), (80, 3), (1, 1), (120, 36)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.05)
            await pilot.press("down", "pagedown", "pageup")
        assert app.screen is opened


async def test_a_resize_to_the_same_size_sends_every_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    app = RoofwatchApp(Replay(QUICK), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        forgotten: list[bool] = []
        monkeypatch.setattr(app._frame, "forget", lambda: forgotten.append(True))
        await pilot.resize_terminal(80, 24)
        assert forgotten


async def test_without_colours_there_is_one_theme(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = RoofwatchApp(Replay(FULL), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        assert app._frame.colorless
        assert app.theme == COLORLESS
        await press(pilot, "t")
        assert "NO_COLOR is set" in footer(app)
        assert app.theme == COLORLESS


def test_no_action_of_the_table_is_unknown() -> None:
    from roofwatch.tui.screen.dashboard import Dashboard

    for key in KEYS:
        for _, action in key.keys:
            name = action.partition("(")[0]
            owner = RoofwatchApp if name.startswith("app.") else Dashboard
            assert hasattr(owner, f"action_{name.removeprefix('app.')}"), action
