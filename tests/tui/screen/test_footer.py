"""Keys in the footer are whole, and what is recorded stands at its end."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from roofwatch.tui.drawing.glyphs import ASCII, UNICODE, Glyphs
from roofwatch.tui.drawing.rows_of_text import text_of, width
from roofwatch.tui.screen.footer import FIRST, LAST, PANES, TYPING, footer, saved

OFFERS = [*FIRST, PANES, ("{lr}", "precision"), ("{ud}", "point"), ("Enter", "open"), *LAST]
RECORDED = "recorded 2026-11-29 17:30 UTC"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
@pytest.mark.parametrize("state", ["", RECORDED])
@pytest.mark.parametrize("cells", [20, 30, 60, 80, 120, 200])
def test_it_holds_whole_keys_in_their_order(cells: int, state: str, glyphs: object) -> None:
    row = footer(cells, glyphs, OFFERS, state=state)  # type: ignore[arg-type]
    assert width(row) == cells
    text = text_of(row)
    if cells >= 60:
        assert text.rstrip().endswith(state)
    shown = [part.strip() for part in text.replace(state, "").split("  ") if part.strip()]
    whole = text_of(footer(300, glyphs, OFFERS))  # type: ignore[arg-type]
    named = [part.strip() for part in whole.split("  ") if part.strip()]
    assert shown == named[: len(shown)]
    if cells >= 80:
        assert len(shown) >= 3


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII])
def test_what_stands_at_its_end_stays_at_every_width(glyphs: Glyphs) -> None:
    for state in (RECORDED, "1x 0:03 of 1:12, paused"):
        for cells in range(len(state) + 3, 140):
            text = text_of(footer(cells, glyphs, OFFERS, state=state))
            assert len(text) == cells
            assert text.rstrip().endswith(f" {state}"), cells


def test_in_ascii_the_arrows_are_words() -> None:
    text = text_of(footer(120, ASCII, OFFERS))
    assert "left/right precision  up/down point" in text
    assert "<>" not in text
    assert "^v" not in text


def test_a_note_takes_its_place() -> None:
    assert text_of(footer(80, UNICODE, OFFERS, "said", RECORDED)).strip() == "said"


def test_what_is_typed_has_its_own_keys() -> None:
    assert text_of(footer(80, UNICODE, TYPING)).split("  ")[0].strip() == "Enter take it"


def test_a_note_that_is_too_long_says_that_it_goes_on() -> None:
    note = "somebody said so: " + "and said it again, " * 9
    for glyphs in (UNICODE, ASCII):
        said = text_of(footer(80, glyphs, OFFERS, note)).rstrip()
        assert said.endswith(glyphs.ellipsis)
        assert len(said) < 80


@pytest.mark.parametrize(
    ("home", "where"),
    [("/home/me", "~/s.jsonl"), ("", "/home/me/s.jsonl"), ("~", "/home/me/s.jsonl")],
)
def test_where_it_is_saved_is_said_without_a_home_too(
    home: str, where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", home)
    assert saved(Path("/home/me/s.jsonl"), live=False) == ("read from", where)


PATH = "~/.local/share/roofwatch/2026-11-29-cuda-h200.jsonl"
SAVED = "saved as it happens:"


@pytest.mark.parametrize("glyphs", [UNICODE, ASCII], ids=["unicode", "ascii"])
@pytest.mark.parametrize("cells", [20, 30, 40, 60, 80, 120])
def test_of_a_path_behind_a_note_the_end_stands(cells: int, glyphs: Glyphs) -> None:
    text = text_of(footer(cells, glyphs, OFFERS, SAVED, "", PATH)).rstrip()
    assert cell_len(text) <= cells
    if cells >= len(SAVED) + len(PATH) + 3:
        assert text == f" {SAVED} {PATH}"
    else:
        assert text.endswith("h200.jsonl")
        assert glyphs.ellipsis in text
    assert (SAVED in text) == (cells >= 40)
