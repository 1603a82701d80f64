"""The cursor on the saved sessions stays on its file, and so does the mark."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from textual.pilot import Pilot

from roofwatch.session.listing import Listing
from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen import moving
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.sessions.saved_cursor import SavedCursor, followed, moved

SESSIONS = Path(__file__).parent.parents[1] / "sessions"
QUICK = (SESSIONS / "h200-quick-1.jsonl").read_text()
BEGAN = QUICK.partition('"started_at":"')[2].partition('"')[0]


def save(folder: Path, name: str, day: int, written: int = 0) -> Path:
    """A session that began on a day of December, and was written so many seconds ago."""
    path = folder / f"{name}.jsonl"
    path.write_text(QUICK.replace(BEGAN, f"2026-12-{day:02d}T10:00:00.000Z", 1))
    os.utime(path, (path.stat().st_mtime - written,) * 2)
    return path


def test_it_follows_its_file_while_others_come_and_go(tmp_path: Path) -> None:
    first, second, third = (
        save(tmp_path, name, day) for name, day in (("a", 3), ("b", 2), ("c", 1))
    )
    listing = Listing(None, [tmp_path])
    while listing.advance(1.0):
        pass
    at = moved(followed(SavedCursor(), listing), listing, 1)
    assert at == SavedCursor(1, second)
    newest = save(tmp_path, "d", 4)
    listing.refresh()
    while listing.advance(1.0):
        pass
    assert [e.path for e in listing.entries] == [newest, first, second, third]
    at = followed(at, listing)
    assert at == SavedCursor(2, second)
    first.unlink()
    listing.refresh()
    at = followed(at, listing)
    assert at == SavedCursor(1, second)
    second.unlink()
    listing.refresh()
    assert followed(at, listing) == SavedCursor(1, third)
    assert moved(at, listing, 9) == SavedCursor(1, third)
    assert moved(at, listing, -9) == SavedCursor(0, newest)


def test_without_any_file_it_stands_still(tmp_path: Path) -> None:
    listing = Listing(None, [tmp_path])
    listing.refresh()
    assert followed(SavedCursor(), listing) == moved(SavedCursor(), listing, 1) == SavedCursor()


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Thirty sessions that were copied in another order than they were measured."""
    for day in range(1, 31):
        save(tmp_path, f"s{day:02d}", day, written=day * 60)
    return tmp_path


async def until(pilot: Pilot[None], what: Callable[[], bool]) -> None:
    for _ in range(200):
        if what():
            return
        await pilot.pause(0.05)
    raise AssertionError("it never came to be")


async def test_no_session_comes_under_the_cursor_by_itself(many: Path) -> None:
    app = RoofwatchApp(Replay(many / "s01.jsonl"), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        await pilot.pause()
        entries = lambda: app.dashboard.sources.listing.entries  # noqa: E731
        await until(pilot, lambda: len(entries()) == 30)
        await pilot.press("down", "down", "down")
        here = moving.saved_here(app.dashboard._scene)
        assert here is not None
        await pilot.press("v", "down")
        below = moving.saved_here(app.dashboard._scene)
        assert below is not None
        await until(pilot, lambda: all(e.complete for e in entries()))
        held = moving.saved_here(app.dashboard._scene)
        assert held is not None
        assert held.path == below.path
        paths = [e.path for e in entries()]  # read, they stand in another order
        away = paths.index(here.path) - paths.index(below.path)
        await pilot.press(*(["down" if away > 0 else "up"] * abs(away)))
        after = moving.saved_here(app.dashboard._scene)
        assert after is not None
        assert after.path == app.dashboard.at.marked == here.path
        save(many, "newer", 31)
        app.dashboard.sources.listing.refresh()
        await until(pilot, lambda: entries()[0].path.name == "newer.jsonl")

        def drawn() -> bool:
            lines = app.dashboard.pane("sessions").lines
            marked = any(line.startswith(" ▸A") for line in lines)
            path = "".join(line.strip() for line in lines)  # a long one is wrapped
            return marked and here.path.name in path

        await until(pilot, drawn)


async def test_a_mark_whose_file_is_gone_is_none(many: Path) -> None:
    app = RoofwatchApp(Replay(many / "s01.jsonl"), UNICODE)
    async with app.run_test(size=(80, 24)) as pilot:
        await pilot.press("8")
        listing = app.dashboard.sources.listing
        await until(
            pilot, lambda: len(listing.entries) == 30 and all(e.complete for e in listing.entries)
        )
        await pilot.press("v")
        assert app.dashboard.at.marked is not None
        app.dashboard.at.marked.unlink()
        listing.refresh()
        await pilot.pause(0.3)
        assert "v marks it as A" in app.dashboard.pane("sessions").lines[-1]
        await pilot.press("v")
        here = moving.saved_here(app.dashboard._scene)
        assert here is not None
        assert app.dashboard.at.marked == here.path
        assert app.screen is app.dashboard


@pytest.mark.parametrize("cells", [44, 80, 160])
async def test_a_refusal_names_the_file_and_says_why(many: Path, cells: int) -> None:
    name = f"{'long-' * 20}.jsonl"
    (many / name).write_text(QUICK.partition("\n")[0] + '\n{"kind":"measurement","t":1}\n')
    (many / name).touch()
    app = RoofwatchApp(Replay(many / "s01.jsonl"), UNICODE)
    async with app.run_test(size=(cells, 24)) as pilot:
        await pilot.press("8")
        listing = app.dashboard.sources.listing
        await until(
            pilot,
            lambda: (
                len(listing.entries) == 31 and all(e.problem or e.complete for e in listing.entries)
            ),
        )
        at = next(i for i, e in enumerate(listing.entries) if e.path.name == name)
        await pilot.press(*["down"] * at, "enter")
        said = app.dashboard.pane("footer").lines[0]
        assert ("…" in said) == (cells < 160)
        assert ".jsonl: row 2: " in said
        assert cells < 80 or "lacks" in said or "missing" in said
        assert str(many) not in said
