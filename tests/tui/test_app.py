"""The screen driven by Pilot: keys, layouts, live against replay, and a few pictures."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from textual.widgets import Static

from roofwatch.session.busy import Busy
from roofwatch.session.cards import load_cards
from roofwatch.session.events import AnyEvent
from roofwatch.session.file import events
from roofwatch.session.live import Live, Options
from roofwatch.session.replay import Replay
from roofwatch.tui.app import RoofwatchApp
from roofwatch.tui.dialogs import Saved
from roofwatch.tui.glyphs import UNICODE
from roofwatch.tui.painting import PANES, TOGETHER
from roofwatch.tui.pane import Pane


class Fed(Live):
    """A live session whose instruments are a recording, handed over in pieces."""

    def __init__(self, recording: Path, save: Path, piece: int) -> None:
        super().__init__(Options(save=save), load_cards)
        self._recorded: Iterator[AnyEvent] = events(recording)
        self._piece = piece
        self.drained = False

    def start_probes(self) -> None:
        pass

    def poll(self) -> list[AnyEvent]:
        for _ in range(self._piece):
            event = next(self._recorded, None)
            if event is None:
                self.drained = True
                break
            self.session.add(event)
        return []


def standing(app: RoofwatchApp) -> tuple[str, ...]:
    return tuple(name for name in PANES if app._pane(name).size.width)


def drawn(app: RoofwatchApp) -> dict[str, list[str]]:
    return {pane.id or "": pane.lines for pane in app.query(Pane)}


@pytest.mark.parametrize("size", [(80, 24), (120, 36), (200, 60)])
async def test_live_and_replay_draw_the_same_rows(
    h200_file: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    live = Fed(h200_file, tmp_path / "s.jsonl", piece=40)
    seen: dict[str, dict[str, list[str]]] = {}
    for name, source in (("live", live), ("replay", Replay(h200_file))):
        app = RoofwatchApp(source, UNICODE)
        async with app.run_test(size=size) as pilot:
            while isinstance(source, Fed) and not source.drained:
                await pilot.pause(0.05)
            rows: dict[str, list[str]] = {}
            for key in "1234567":
                await pilot.press(key)
                await pilot.pause(0.6)
                rows.update({k: v for k, v in drawn(app).items() if k not in ("tabs", "footer")})
            seen[name] = rows
    live.close()
    assert seen["live"] == seen["replay"]
    assert any("burst" in line for line in seen["live"]["roofline"])


async def test_tabs_open_by_number_and_by_tab(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        keys = (("3", 2), ("tab", 3), ("tab", 4), ("7", 6), ("tab", 0), ("shift+tab", 6), ("1", 0))
        for key, index in keys:
            await pilot.press(key)
            await pilot.pause(0.3)
            assert app.open_pane == index
            assert standing(app) == (PANES[index],)
            assert f"[{index + 1} " in app._pane("tabs").lines[0]


async def test_four_panes_stand_together_when_there_is_room(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.5)
        assert standing(app) == PANES[:TOGETHER]
        await pilot.resize_terminal(80, 24)
        await pilot.pause(0.5)
        assert standing(app) == PANES[:1]
        await pilot.resize_terminal(50, 12)
        await pilot.pause(0.5)
        assert re.search(r"add_scalar fp16 4\d\d\d GB/s", app._pane("roofline").lines[0])


async def test_precision_switch_goes_round(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.3)
        assert app._pane("header").lines[1].startswith(" bf16")
        await pilot.press("right")
        assert app._pane("header").lines[1].startswith(" fp16")
        await pilot.press("left", "left")
        assert app._pane("header").lines[1].startswith(" int8")
        assert "TOPS" in app._pane("header").lines[1]


async def test_s_says_where_and_r_says_no_in_a_replay(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("s")
        assert str(h200_file) in app._pane("footer").lines[0]
        await pilot.press("r")
        assert "replay" in app._pane("footer").lines[0]


@pytest.mark.parametrize("size", [(80, 24), (40, 12)])
async def test_a_path_too_long_for_the_footer_stands_whole_in_a_dialog(
    h200_file: Path, tmp_path: Path, size: tuple[int, int]
) -> None:
    folder = tmp_path / "share" / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    path = folder / "20261130T013107Z-NVIDIA-H200-4f3c2a1b.jsonl"
    path.write_bytes(h200_file.read_bytes())
    app = RoofwatchApp(Replay(path), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.press("s")
        assert isinstance(app.screen, Saved)
        told = str(app.screen.query_one(Static).render()).split("\n")
        assert told[0] == "read from"
        assert "".join(told[2:-2]) == str(path)
        assert max(map(len, told)) <= size[0] - 6
        await pilot.press("s")
        await pilot.pause()
        assert not isinstance(app.screen, Saved)


@pytest.mark.parametrize("key", ["q", "ctrl+c", "ctrl+q"])
async def test_every_quit_key_quits_even_in_a_dialog(h200_file: Path, key: str) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 2
        await pilot.press(key)
        await pilot.pause(0.1)
    assert app.return_code == 0


async def test_keys_hammered_at_a_dialog_close_it_once(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for keys in (["question_mark"] * 3, ["question_mark", "x", "x", "x"]):
            await pilot.press(*keys)
            await pilot.pause(0.1)
        assert len(app.screen_stack) <= 2


async def test_the_notebook_scrolls_to_its_end_and_back(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(64, 16)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.3)
        top = app._pane("notebook").lines
        await pilot.press(*["down"] * 40)
        await pilot.pause(0.3)
        assert "more rows" not in app._pane("notebook").lines[-1]
        await pilot.press(*["pageup"] * 9)
        await pilot.pause(0.3)
        assert app._pane("notebook").lines == top


async def test_a_number_shows_one_pane_alone_and_again_all(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        for index in (1, 4, 5, 6):
            await pilot.press(str(index + 1))
            await pilot.pause(0.3)
            assert standing(app) == (PANES[index],)
            await pilot.press(str(index + 1))
            await pilot.pause(0.3)
            assert standing(app) == PANES[:TOGETHER]


async def test_a_pane_that_stands_alone_does_so_through_every_size(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "567":
            await pilot.press(key)
            for size in ((120, 36), (200, 60), (50, 12), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause(0.3)
                assert standing(app) == (PANES[int(key) - 1],)
                lines = app._pane(PANES[int(key) - 1]).lines
                assert any(line.strip() for line in lines)
                assert {len(line) for line in lines} == {size[0]}


async def test_help_closes_with_any_key(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        await pilot.pause(0.1)
        await pilot.press("x")
        await pilot.pause(0.1)
        assert len(app.screen_stack) == 1


class Occupied(Fed):
    """Ready to measure, on a card that someone else holds."""

    def __init__(self, recording: Path, save: Path) -> None:
        super().__init__(recording, save, piece=5)
        self.told: list[str] = []

    @property
    def waiting(self) -> bool:
        return len(self.session.samples) > 3 and not self.told

    def busy(self) -> Busy:
        return Busy(processes=1, processes_bytes=1 << 30, util=0.9)

    def go(self) -> None:
        self.told.append("go")

    def stand_down(self) -> None:
        self.told.append("stand down")


@pytest.mark.parametrize(("key", "told"), [("y", "go"), ("n", "stand down")])
async def test_a_busy_card_is_asked_about(
    h200_file: Path, tmp_path: Path, key: str, told: str
) -> None:
    live = Occupied(h200_file, tmp_path / "s.jsonl")
    app = RoofwatchApp(live, UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for _ in range(40):
            await pilot.pause(0.05)
            if len(app.screen_stack) == 2:
                break
        assert live.told == []
        await pilot.press(key)
        await pilot.pause(0.2)
        assert live.told == [told]
    live.close()


async def test_no_color_does_not_end_the_app(
    h200_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.5)
        assert "NVIDIA H200" in app._pane("header").lines[0]
        app.export_screenshot()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_pictures(
    h200_file: Path, size: tuple[int, int], same_picture: Callable[[RoofwatchApp, str], None]
) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.8)
        same_picture(app, f"{size[0]}x{size[1]}")
