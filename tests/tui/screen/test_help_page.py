"""The help names every key that is bound, in every width."""

from __future__ import annotations

import pytest

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.screen.app import RoofwatchApp
from roofwatch.tui.screen.dashboard import Dashboard
from roofwatch.tui.screen.help_page import body, build
from roofwatch.tui.screen.keys import GROUPS, KEYS

WRITTEN = {
    "question_mark": "?",
    "pagedown": "PgDn",
    "pageup": "PgUp",
    "plus": "+",
    "minus": "-",
    "ctrl+c": "Ctrl-C",
    "ctrl+p": "Ctrl-P",
    "ctrl+l": "Ctrl-L",
    "ctrl+z": "Ctrl-Z",
    "shift+tab": "Tab",
    "down": "↑↓",
    "up": "↑↓",
    "left": "←→",
    "right": "←→",
    "escape": "Esc",
    "equals_sign": "+",  # the same key without Shift
    "ctrl+q": "Ctrl-C",  # the same, as Textual's own
}


def test_every_key_that_is_bound_is_named() -> None:
    text = "\n".join(map(text_of, body(76, UNICODE)))
    bound = [b.key for b in (*Dashboard.BINDINGS, *RoofwatchApp.BINDINGS)]  # type: ignore[union-attr]
    for keys in bound:
        for key in keys.split(","):
            if key.isdigit():
                assert "1 to 9" in text
                continue
            sign = WRITTEN.get(key, key)
            lines = [line for line in text.splitlines() if sign.lower() in line[:12].lower()]
            assert lines, key


def test_every_line_of_the_table_stands_in_one_of_its_groups() -> None:
    assert {key.group for key in KEYS} == set(GROUPS)
    for key in KEYS:
        assert key.told
        assert not key.told.endswith(".")


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("cells", [20, 40, 56, 72])
def test_no_row_is_wider_than_its_room(cells: int, glyphs: Glyphs) -> None:
    rows = body(cells, glyphs)
    assert all(width(r) <= cells for r in rows)
    if glyphs is ASCII:
        assert all(text_of(r).isascii() for r in rows)
    assert len(build(cells, 20, glyphs)) == 20
    assert text_of(build(cells, 20, glyphs, 5)[0]).strip() == text_of(rows[5]).strip()
