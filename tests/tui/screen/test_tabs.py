"""The row of tabs at every width, and the rules over panes that stand together."""

from __future__ import annotations

import pytest

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.screen.painting import NAMES, SHORT_NAMES
from roofwatch.tui.screen.tabs import rule, tab_at, tabs


@pytest.mark.parametrize("cells", [30, 40, 60, 80, 120, 200])
def test_tabs_fill_their_row_and_name_the_open_one(cells: int) -> None:
    for active, name in enumerate(NAMES):
        row = tabs(cells, active, NAMES, UNICODE)
        assert width(row) == cells
        text = text_of(row)
        assert f"[{active + 1} {name}]" in text
        if cells >= 40:
            assert all(str(i + 1) in text for i in range(len(NAMES)))


def test_all_nine_names_stand_at_80_columns_the_longest_in_short() -> None:
    assert all(len(short) <= len(name) for short, name in zip(SHORT_NAMES, NAMES, strict=True))
    for active in range(len(NAMES)):
        text = text_of(tabs(80, active, NAMES, UNICODE, SHORT_NAMES))
        assert all(f"{i + 1} {name}" in text for i, name in enumerate(SHORT_NAMES))
        text = text_of(tabs(100, active, NAMES, UNICODE, SHORT_NAMES))
        assert all(f"{i + 1} {name}" in text for i, name in enumerate(NAMES))


def test_a_column_of_the_row_is_of_the_pane_named_there() -> None:
    for cells in (40, 80, 200):
        text = text_of(tabs(cells, 3, NAMES, UNICODE))
        for i in range(len(NAMES)):
            assert tab_at(text.index(str(i + 1)), cells, 3, NAMES, UNICODE) == i
        short = text_of(tabs(cells, 3, NAMES, UNICODE, SHORT_NAMES))
        at = short.index(str(len(NAMES)))
        assert tab_at(at, cells, 3, NAMES, UNICODE, SHORT_NAMES) == len(NAMES) - 1
        assert tab_at(0, cells, 3, NAMES, UNICODE) is None
        assert tab_at(cells, cells, 3, NAMES, UNICODE) is None


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_rule_of_the_pane_whose_keys_act_is_marked(glyphs: object) -> None:
    here = rule(40, 3, "Probes", glyphs, focused=True)  # type: ignore[arg-type]
    there = rule(40, 3, "Probes", glyphs, focused=False)  # type: ignore[arg-type]
    assert width(here) == width(there) == 40
    assert "3 Probes" in text_of(here)
    assert text_of(here).replace(glyphs.here, " ") == text_of(there)  # type: ignore[attr-defined]
    assert text_of(here) != text_of(there)
