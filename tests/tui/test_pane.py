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


def test_half_of_a_wide_character_is_never_drawn() -> None:
    assert _changed(row("a中b"), row("a文b")) == (1, 3)
    assert _changed(row("中文字"), row("中 文字")) == (2, 7)
    assert _changed(row("ab"), row("中")) == (0, 2)


def test_what_joins_the_character_before_it_takes_no_cell() -> None:
    assert _changed(row("e\u0301x"), row("e\u0301y")) == (1, 2)
    assert _changed(row("ex"), row("e\u0301x")) == (0, 1)


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
