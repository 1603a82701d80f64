"""The screen driven by Pilot: keys, layouts, live against replay, and a few pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from roofwatch.session.asked import Options
from roofwatch.session.busy import Busy
from roofwatch.session.cards import load_cards
from roofwatch.session.events import AnyEvent
from roofwatch.session.file import events
from roofwatch.session.live import Live
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.layout import FOUR, SIX
from roofwatch.tui.screen.painting import PANES
from roofwatch.tui.widgets.pane import Pane


class Fed(Live):
    """A live session whose instruments are a recording, handed over in pieces."""

    def __init__(self, recording: Path, save: Path, piece: int) -> None:
        super().__init__(Options(save=save), load_cards)
        self._recorded: Iterator[AnyEvent] = events(recording)
        self._piece = piece
        self.drained = False

    def start_probes(self) -> None:
        pass

    def poll(self, look_up: bool = True) -> list[AnyEvent]:
        for _ in range(self._piece):
            event = next(self._recorded, None)
            if event is None:
                self.drained = True
                break
            self.session.add(event)
        return []


def standing(app: RoofwatchApp) -> tuple[str, ...]:
    return tuple(name for name in PANES if app.dashboard.pane(name).size.width)


def drawn(app: RoofwatchApp) -> dict[str, list[str]]:
    return {pane.id or "": pane.lines for pane in app.dashboard.query(Pane)}


@pytest.mark.parametrize(
    "size",
    [
        pytest.param((80, 24), marks=pytest.mark.long),
        (120, 36),
        pytest.param((200, 60), marks=pytest.mark.long),
    ],
)
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
            source.session.closed = True  # what is recorded has ended; "now" is no word for it
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
        keys = (("3", 2), ("tab", 3), ("tab", 4), ("9", 8), ("tab", 0), ("shift+tab", 8), ("1", 0))
        for key, index in keys:
            await pilot.press(key)
            await pilot.pause(0.3)
            assert app.dashboard.open_pane == index
            assert standing(app) == (PANES[index],)
            assert f"[{index + 1} " in app.dashboard.pane("tabs").lines[0]


async def test_four_or_six_panes_stand_together_where_there_is_room(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(200, 60)) as pilot:
        for size, names in (((200, 60), SIX), ((120, 36), FOUR), ((80, 24), PANES[:1])):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.5)
            assert set(standing(app)) == set(names)
            for name in names:
                assert any(line.strip() for line in app.dashboard.pane(name).lines)
        for size in ((60, 16), (40, 9)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.5)
            assert "burst         818" in "".join(app.dashboard.pane("roofline").lines)


async def test_where_panes_stand_together_tab_moves_what_the_keys_act_on(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        for name in (*FOUR[1:], FOUR[0]):
            await pilot.press("tab")
            await pilot.pause(0.3)
            assert set(standing(app)) == set(FOUR)
            marked = [n for n in FOUR if UNICODE.here in app.dashboard.pane(n).lines[0]]
            assert marked == [name]
        await pilot.press("tab", "tab", "down", "down")
        assert app.dashboard.at.probe == 1
        assert app.dashboard.at.point is None


async def test_precision_switch_goes_round(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.3)
        assert app.dashboard.pane("header").lines[1].startswith(" bf16")
        await pilot.press("right")
        assert app.dashboard.pane("header").lines[1].startswith(" fp16")
        await pilot.press("left", "left")
        assert app.dashboard.pane("header").lines[1].startswith(" int8")
        assert "TOPS" in app.dashboard.pane("header").lines[1]


async def test_s_says_where_and_r_says_no_in_a_replay(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("s")
        assert str(h200_file) in app.dashboard.pane("footer").lines[0]
        await pilot.press("r")
        assert "replay" in app.dashboard.pane("footer").lines[0]


async def test_where_it_is_saved_fits_anew_in_a_narrower_terminal(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(160, 40)) as pilot:
        await pilot.press("s")
        for size in ((80, 24), (60, 16), (40, 12)):
            await pilot.resize_terminal(*size)
            await pilot.pause(0.3)
            said = app.dashboard.pane("footer").lines[0].rstrip()
            assert said.endswith(str(h200_file)[-20:])
            assert said.startswith(" read from ")


@pytest.mark.parametrize("key", ["ctrl+c", "ctrl+q"])
async def test_these_keys_quit_even_in_a_dialog(h200_file: Path, key: str) -> None:
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
        for keys in (["question_mark"] * 3, ["question_mark", "x", "z", "z"]):
            await pilot.press(*keys)
            await pilot.pause(0.1)
        assert len(app.screen_stack) <= 2


async def test_the_notebook_scrolls_to_its_end_and_back(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(64, 18)) as pilot:
        await pilot.press("4")
        await pilot.pause(0.3)
        top = app.dashboard.pane("notebook").lines
        await pilot.press(*["down"] * 40)
        await pilot.pause(0.3)
        assert "more rows" not in app.dashboard.pane("notebook").lines[-1]
        await pilot.press(*["pageup"] * 9)
        await pilot.pause(0.3)
        assert app.dashboard.pane("notebook").lines == top


async def test_a_number_shows_one_pane_alone_and_again_all(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(120, 36)) as pilot:
        for index in (1, 3, 4, 7):
            await pilot.press(str(index + 1))
            await pilot.pause(0.3)
            assert standing(app) == (PANES[index],)
            await pilot.press(str(index + 1))
            await pilot.pause(0.3)
            # A pane that never stands with the others stays.
            assert set(standing(app)) == set(FOUR if index < 4 else {PANES[index]})


async def test_a_pane_that_stands_alone_does_so_through_every_size(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        for key in "78":
            await pilot.press(key)
            for size in ((120, 36), (200, 60), (50, 12), (80, 24)):
                await pilot.resize_terminal(*size)
                await pilot.pause(0.3)
                assert standing(app) == (PANES[int(key) - 1],)
                lines = app.dashboard.pane(PANES[int(key) - 1]).lines
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
        assert "NVIDIA H200" in app.dashboard.pane("header").lines[0]
        app.export_screenshot()


@pytest.mark.parametrize("size", [(80, 24), (120, 36)])
async def test_pictures(
    h200_file: Path, size: tuple[int, int], same_picture: Callable[[RoofwatchApp, str], None]
) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.8)
        same_picture(app, f"{size[0]}x{size[1]}")
