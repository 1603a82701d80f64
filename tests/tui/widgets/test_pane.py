"""A pane repaints only what changed."""

from __future__ import annotations

from pathlib import Path

from textual.app import App, ComposeResult

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import row
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.widgets.pane import Pane

RECORDED = Path(__file__).parent.parent.parent / "sessions" / "h200-quick-1.jsonl"


class One(App[None]):
    def compose(self) -> ComposeResult:
        yield Pane("only")


async def test_only_changed_rows_are_refreshed(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    app = One()
    async with app.run_test(size=(20, 3)) as pilot:
        pane = app.query_one(Pane)
        pane.show([row("one"), row("two"), row("three")])
        await pilot.pause()
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr(pane, "refresh", lambda *regions: asked.append(regions))
        pane.show([row("one"), row("twX"), row("three")])
        assert [(r.x, r.y, r.width, r.height) for r in asked[0]] == [(0, 1, 20, 1)]  # type: ignore[attr-defined]
        pane.show([row("one"), row("twX"), row("three")])
        assert len(asked) == 1
        assert pane.lines == ["one", "twX", "three"]


async def test_a_theme_changes_its_colours() -> None:
    app = RoofwatchApp(Replay(RECORDED), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        seen = set()
        for _ in range(3):
            await pilot.pause()
            style = app.dashboard.pane("header").render_line(0)._segments[0].style
            assert style is not None
            seen.add((style.color, style.bgcolor))
            await pilot.press("t")
        assert len(seen) == 3
        assert app.theme == "dark"
