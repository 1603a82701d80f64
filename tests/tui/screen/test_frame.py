"""What is sent makes the terminal equal to what is wanted, and is little where little changed."""

from __future__ import annotations

import re

import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import ChopsUpdate, LayoutUpdate
from textual.geometry import Region
from textual.strip import Strip

from roofwatch.tui.screen.frame import Frame, _of_layout

COLUMNS, ROWS = 12, 3
STYLES = (
    Style(color="#c8ccd4", bgcolor="#0d1117"),
    Style(color="#58c4dd", bgcolor="#0d1117", bold=True),
    Style(color="#58c4dd", bgcolor="#ffffff"),
    Style(),
)
CONSOLE = Console(color_system="truecolor", force_terminal=True)


def strip(text: str, style: Style = STYLES[0]) -> Strip:
    return Strip([Segment(text, style)], COLUMNS)


def whole(rows: list[Strip], columns: int = COLUMNS) -> LayoutUpdate:
    return LayoutUpdate([[r] for r in rows], Region(0, 0, columns, len(rows)))


class Seen:
    """A terminal behind a frame."""

    def __init__(self) -> None:
        self.frame = Frame()
        self.screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.Stream(self.screen)

    def show(self, update: LayoutUpdate | ChopsUpdate) -> str:
        sent = self.frame.sparse(update).render_segments(CONSOLE)
        self._stream.feed(sent)
        return sent

    def cell(self, x: int, y: int) -> tuple[str, str, str, bool]:
        seen = self.screen.buffer[y][x]
        return seen.data, seen.fg, seen.bg, seen.bold


def _wanted(rows: list[Strip]) -> list[list[tuple[str, str, str, bool]]]:
    out = []
    for r in rows:
        cells: list[tuple[str, str, str, bool]] = []
        for text, style, _ in r:
            assert style is not None
            look = (_color(style.color), _color(style.bgcolor), bool(style.bold))
            for char in text:
                cells += [(char, *look), *[("", *look)] * (cell_len(char) - 1)]
        out.append(cells)
    return out


def _color(color: object) -> str:
    return "default" if color is None else color.triplet.hex.removeprefix("#")  # type: ignore[attr-defined]


@st.composite
def rows(draw: st.DrawFn) -> list[Strip]:
    """Three rows of exactly twelve cells, narrow and wide characters in changing styles."""
    found = []
    for _ in range(ROWS):
        segments, left = [], COLUMNS
        while left:
            char = draw(st.sampled_from("ab─⠤中文 "))
            size = cell_len(char)
            if size > left:
                char, size = "x", 1
            segments.append(Segment(char, draw(st.sampled_from(STYLES))))
            left -= size
        found.append(Strip(segments, COLUMNS))
    return found


@given(st.lists(rows(), min_size=1, max_size=4))
def test_the_terminal_shows_what_was_wanted(frames: list[list[Strip]]) -> None:
    seen = Seen()
    for wanted in frames:
        seen.show(whole(wanted))
        for y, row in enumerate(_wanted(wanted)):
            assert [seen.cell(x, y) for x in range(COLUMNS)] == row


def test_nothing_is_sent_twice() -> None:
    seen = Seen()
    rows = [strip("SM 1455 MHz "), strip("-" * 12), strip(" " * 12)]
    first = seen.show(whole(rows))
    assert len(first) > 36
    assert seen.show(whole(rows)) == ""
    sent = seen.show(whole([strip("SM 1460 MHz "), *rows[1:]]))
    assert "60" in sent
    assert len(sent) < 60
    assert seen.screen.display[0] == "SM 1460 MHz "


def test_what_is_forgotten_is_sent_again() -> None:
    seen = Seen()
    rows = [strip("a" * 12)] * 3
    seen.show(whole(rows))
    seen.frame.forget()
    assert seen.show(whole(rows)).count("aaaaaaaaaaaa") == 3


@pytest.mark.parametrize("told", ["before the resize is known", "after it"])
@pytest.mark.parametrize("size", [(8, 2), (11, 3), (12, 2), (14, 5), (5, 1)])
def test_a_terminal_of_another_size_shows_the_whole_new_screen(
    size: tuple[int, int], told: str
) -> None:
    seen = Seen()
    old = [strip("abcdefghijkl"), strip(" " * 12), strip("q quit 12:34")]
    seen.show(whole(old))
    columns, rows = size
    seen.screen.resize(rows, columns)
    seen.screen.reset_mode(7)  # what is too long is cut, as a row too low lands on the last one
    if told == "after it":
        seen.frame.forget()
    seen.show(whole([strip("X" * 12), *old[1:]]))  # still laid out for the old size
    new = [
        Strip([Segment(("row" + str(y)).ljust(columns)[:columns], STYLES[0])], columns)
        for y in range(rows)
    ]
    seen.show(whole(new, columns))
    assert seen.screen.display == [r.text for r in new]
    assert seen.show(whole(new, columns)) == ""


def test_back_at_its_size_all_of_it_is_sent_again() -> None:
    seen = Seen()
    rows = [strip("abcdefghijkl"), strip("-" * 12), strip("q quit      ")]
    seen.show(whole(rows))
    seen.screen.resize(2, 8)
    seen.frame.forget()
    seen.show(ChopsUpdate([{}, {}, {0: rows[2]}], [(2, 0, 12)], [[], [], [12]]))
    seen.screen.resize(ROWS, COLUMNS)
    seen.show(whole(rows))
    assert seen.screen.display == [r.text for r in rows]


def test_a_style_is_told_by_what_changes_of_it() -> None:
    seen = Seen()
    two = Strip([Segment("aa", STYLES[1]), Segment("bb", STYLES[1] + Style(color="#ffffff"))], 4)
    sent = seen.show(LayoutUpdate([[two]], Region(0, 0, 4, 1)))
    assert sent.count("48;2;13;17;23") == 1  # the ground stays
    assert "\x1b[38;2;255;255;255m" in sent


def test_of_a_partial_update_only_the_pieces_it_touches_are_looked_at() -> None:
    seen = Seen()
    seen.show(whole([strip("abcdefghijkl")] * 3))
    left, right = strip("abcXef"), strip("ghijkY")
    update = ChopsUpdate([{}, {0: left, 6: right}, {}], [(1, 0, 6)], [[], [6, 12], []])
    seen.show(update)
    assert seen.screen.display[1] == "abcXefghijkl"
    assert seen.screen.display[0] == seen.screen.display[2] == "abcdefghijkl"


def test_without_colours_none_is_sent() -> None:
    frame = Frame(colorless=True)
    shapes = [Style(color="#58c4dd", bold=True), Style(bgcolor="#ffffff", reverse=True), STYLES[0]]
    row = Strip([Segment("ab", s) for s in shapes], 6)
    sent = frame.sparse(LayoutUpdate([[row]], Region(0, 0, 6, 1))).render_segments(CONSOLE)
    assert re.findall(r"\x1b\[([0-9;]*)m", sent) == ["0;1", "0;7", "", ""]


def test_a_sign_that_widens_the_one_before_it_takes_its_cells() -> None:
    (cells,) = [c for _, _, c in _of_layout(whole([strip("a\u2764\ufe0fb")]))]
    assert [text for text, _ in cells] == ["a", "\u2764\ufe0f", "", "b"]
