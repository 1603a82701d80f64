"""The panes' rooms fill the screen, and are the sizes that Textual gives them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from textual.geometry import Size

from roofwatch.session.replay import Replay
from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.layout import AROUND, FOUR, LOWER, SIX, UPPER, rooms, small, together
from roofwatch.tui.screen.painting import PANES


@given(st.integers(1, 400), st.integers(1, 120))
def test_the_rooms_fill_what_the_margins_leave(width: int, height: int) -> None:
    area = Size(width, height)
    standing = together(area) or ("plan",)
    found = rooms(area, standing)
    assert set(found) == set(standing)
    if len(standing) == 1:
        assert found["plan"] == Size(width, max(0, height - AROUND - 1))
        return
    for names in (UPPER, LOWER):
        there = [found[n] for n in names if n in found]
        assert sum(r.width for r in there) == width
        assert len({r.height for r in there}) == 1
        assert min(r.width for r in there) >= 44
    assert found["roofline"].height + found["probes"].height == height - AROUND


def test_four_stand_from_112x34_and_six_from_176x48() -> None:
    assert together(Size(111, 60)) == together(Size(200, 33)) == ()
    assert together(Size(112, 34)) == together(Size(175, 60)) == together(Size(300, 47)) == FOUR
    assert together(Size(176, 48)) == together(Size(200, 60)) == SIX


def test_60x16_and_below_is_small() -> None:
    assert small(Size(60, 16))
    assert small(Size(60, 50))
    assert small(Size(200, 16))
    assert not small(Size(61, 17))


@pytest.mark.parametrize("size", [(40, 9), (80, 24), (113, 35), (120, 36), (177, 49), (200, 60)])
async def test_textual_gives_the_panes_these_rooms(h200_file: Path, size: tuple[int, int]) -> None:
    app = RoofwatchApp(Replay(h200_file), UNICODE)
    async with app.run_test(size=size) as pilot:
        await pilot.pause(0.3)
        standing = together(Size(*size)) or (PANES[0],)
        for name, room in rooms(Size(*size), standing).items():
            assert app.dashboard.pane(name).size == room, name
