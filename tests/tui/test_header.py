"""The row of tabs and the keys in the footer, at every width."""

from __future__ import annotations

import pytest

from roofwatch.tui.glyphs import ASCII, UNICODE
from roofwatch.tui.header import footer, tabs
from roofwatch.tui.painting import NAMES
from roofwatch.tui.rows_of_text import text_of, width

RECORDED = "recorded 2026-11-29 17:30 UTC"


@pytest.mark.parametrize("cells", [30, 40, 60, 80, 120, 200])
@pytest.mark.parametrize("recorded", ["", RECORDED])
def test_tabs_fill_their_row_and_name_the_open_one(cells: int, recorded: str) -> None:
    for active, name in enumerate(NAMES):
        row = tabs(cells, active, NAMES, UNICODE, recorded)
        assert width(row) == cells
        text = text_of(row)
        assert f"[{active + 1} {name}]" in text
        if cells >= 40:
            assert all(str(i + 1) in text for i in range(len(NAMES)))
            assert ("recorded" in text) == bool(recorded)


def test_all_seven_names_stand_at_80_columns() -> None:
    for recorded in ("", RECORDED):
        text = text_of(tabs(80, 6, NAMES, UNICODE, recorded))
        assert all(f"{i + 1} {name}" in text for i, name in enumerate(NAMES))
    assert text_of(tabs(120, 0, NAMES, UNICODE, RECORDED)).rstrip().endswith(RECORDED)


@pytest.mark.parametrize("alone", ["", "notebook", "decode", "kernels", "plan"])
@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_the_footer_holds_whole_keys(alone: str, glyphs: object) -> None:
    for cells in (30, 60, 80, 120):
        row = footer(cells, glyphs, alone=alone)  # type: ignore[arg-type]
        assert width(row) == cells
        whole = footer(300, glyphs, alone=alone)  # type: ignore[arg-type]
        named = [part.strip() for part in text_of(whole).split("  ") if part.strip()]
        shown = [part.strip() for part in text_of(row).split("  ") if part.strip()]
        assert shown == named[: len(shown)]


def test_what_keys_do_goes_with_the_pane() -> None:
    assert "←→ precision" in text_of(footer(80, UNICODE))
    assert "←→ curve" in text_of(footer(80, UNICODE, alone="decode"))
    plan = text_of(footer(80, UNICODE, alone="plan"))
    assert "↑↓ field" in plan
    assert "Enter type" in plan
    assert "quit" not in text_of(footer(80, UNICODE, alone="plan", typing=True))
    assert text_of(footer(80, UNICODE, note="said", alone="plan")).strip() == "said"
