"""The tab Trace in the screen: key 9, its cursor, its page, and the screen without a trace."""

from __future__ import annotations

from pathlib import Path

from textual.pilot import Pilot

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.printed.trace_plain import opened
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.painting import PANES
from roofwatch.tui.trace.opened_trace import OpenedTrace

TRACE = Path(__file__).parents[2] / "traces" / "h200" / "layer.json.gz"


def lines(app: RoofwatchApp) -> list[str]:
    return app.dashboard.pane("trace").lines


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
        await pilot.pause(0.05)


async def test_a_trace_opens_in_its_tab_with_the_sessions_roofs(full_file: Path) -> None:
    app = RoofwatchApp(Replay(full_file), UNICODE, trace=OpenedTrace(*opened(TRACE)))
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.3)
        assert PANES[app.dashboard.open_pane] == "trace"
        assert any("NVIDIA H200, measured" in line for line in lines(app))
        await press(pilot, "down", "down")
        assert any(line.startswith(f"{UNICODE.here} addmm") for line in lines(app))
        await press(pilot, "enter")
        assert app.screen is not app.dashboard
        await press(pilot, "escape", "1")
        assert PANES[app.dashboard.open_pane] == "roofline"
        await press(pilot, "9", "end")
        assert PANES[app.dashboard.open_pane] == "trace"
        assert any(line.startswith(f"{UNICODE.here} gelu") for line in lines(app))
        await pilot.resize_terminal(60, 16)
        await pilot.pause(0.3)
        assert "overhead" in lines(app)[0]
        assert any(UNICODE.here in line for line in lines(app))
        await pilot.resize_terminal(120, 36)
        await pilot.pause(0.3)
        assert any("FLOP/B" in line for line in lines(app))


async def test_without_a_trace_the_tab_says_how_to_give_one(h200_file: Path) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.pause(0.2)
        assert PANES[app.dashboard.open_pane] == "roofline"
        await press(pilot, "9", "down")
        assert any("roofwatch --trace FILE" in line for line in lines(app))
        assert any("no trace here" in line for line in app.dashboard.pane("footer").lines)
        await press(pilot, "enter")
        assert app.screen is app.dashboard
