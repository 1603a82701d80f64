"""A pane repaints only what changed."""

from __future__ import annotations

from textual.app import App, ComposeResult

from roofwatch.tui.pane import Pane, _changed
from roofwatch.tui.rows_of_text import row


class One(App[None]):
    def compose(self) -> ComposeResult:
        yield Pane("only")


def test_the_changed_columns_are_found() -> None:
    assert _changed(row("abcdef"), row("abXdYf")) == (2, 5)
    assert _changed(row("ab"), row("abcd")) == (2, 4)
    assert _changed(row(("ab", "dim")), row("ab")) == (0, 2)


async def test_only_changed_regions_are_refreshed(monkeypatch) -> None:  # type: ignore[no-untyped-def]
    app = One()
    async with app.run_test(size=(20, 3)) as pilot:
        pane = app.query_one(Pane)
        pane.show([row("one"), row("two"), row("three")])
        await pilot.pause()
        asked: list[tuple[object, ...]] = []
        monkeypatch.setattr(pane, "refresh", lambda *regions: asked.append(regions))
        pane.show([row("one"), row("twX"), row("three")])
        assert [(r.x, r.y, r.width, r.height) for r in asked[0]] == [(2, 1, 1, 1)]  # type: ignore[attr-defined]
        pane.show([row("one"), row("twX"), row("three")])
        assert len(asked) == 1
        assert pane.lines == ["one", "twX", "three"]
