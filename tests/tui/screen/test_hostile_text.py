"""Nothing that a session's texts hold acts on the terminal, or is taken for markup, on any pane."""

from __future__ import annotations

from pathlib import Path

import fuzz_seeds as seeds
import pytest
from fuzz_promises import hold_text
from hostile_text import STRUCTURE, hostile
from textual.app import App

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.widgets.pane import Pane

SHOWN = "[red]x[/red]"


def on_screen(app: App[None]) -> str:
    """What the terminal shows, and what every pane was given to draw."""
    strips = app.screen._compositor.render_strips()
    drawn = [line for pane in app.screen.query(Pane) for line in pane.lines]
    return "\n".join([*("".join(s.text for s in strip) for strip in strips), *drawn])


@pytest.mark.parametrize(
    "suite", [pytest.param("full", marks=pytest.mark.long), "mistakes", "decode", "kernels"]
)
async def test_every_tab_shows_text(suite: str, tmp_path: Path) -> None:
    folder = tmp_path / "data" / "roofwatch" / "sessions"
    folder.mkdir(parents=True)
    lines = hostile(seeds.session(suite), STRUCTURE)
    for name in ("s.jsonl", "\x1b[31m[red]x\n.jsonl"):
        (folder / name).write_text("\n".join(lines) + "\n")
    app = RoofwatchApp(Replay(folder / "s.jsonl"), UNICODE)
    seen = []
    async with app.run_test(size=(120, 36)) as pilot:
        await pilot.pause(0.1)
        for tab in "12345678":
            await pilot.press(tab)
            await pilot.pause(0.05)
            seen.append(on_screen(app))
            for key in ("down", "enter"):
                await pilot.press(key)
                await pilot.pause(0.02)
            seen.append(on_screen(app))
            await pilot.press("escape")
            await pilot.pause(0.02)
        for key in ("s", "question_mark"):
            await pilot.press(key)
            await pilot.pause(0.02)
            seen.append(on_screen(app))
            await pilot.press("escape")
        assert app.return_code is None
    for text in seen:
        hold_text(text, "the screen")
    assert sum(SHOWN in text for text in seen) > 3


async def test_a_pane_draws_text_whoever_made_its_rows() -> None:
    class Alone(App[None]):
        def compose(self):  # type: ignore[no-untyped-def]
            yield Pane("one")

    app = Alone()
    async with app.run_test(size=(20, 2)) as pilot:
        app.query_one(Pane).show([(("a\x1b[2J[red]b", ""),)])
        await pilot.pause()
        strips = app.screen._compositor.render_strips()
        assert "".join(s.text for s in strips[0]).startswith("a�[2J[red]b")
