"""Rows: fitted, spread, wrapped, and never carrying a control character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.numbers import figure, percent
from roofwatch.tui.drawing.rows_of_text import (
    broken,
    fit,
    hung,
    row,
    spread,
    text_of,
    width,
    wrapped,
)


@given(st.lists(st.tuples(st.text(max_size=20), st.just(""))), st.integers(0, 60))
def test_a_fitted_row_is_exactly_as_wide_as_asked(
    pieces: list[tuple[str, str]], cells: int
) -> None:
    assert width(fit([(shown(t), s) for t, s in pieces], cells)) == cells


def test_spread_keeps_both_ends_or_gives_the_left_one() -> None:
    assert text_of(spread(row("ab"), row("yz"), 8)) == "ab    yz"
    assert text_of(spread(row("abcdef"), row("yz"), 8)) == "abcdef  "


def test_wrapped_hangs_under_its_head() -> None:
    rows = [text_of(r) for r in wrapped("one two three", 9, "", "Do ")]
    assert rows == ["Do one", "   two", "   three"]


def test_hung_gives_the_head_its_own_style() -> None:
    assert hung("Do ", "one two", 6, "strong") == [
        (("Do ", "dim"), ("one", "strong")),
        (("   ", "dim"), ("two", "strong")),
    ]


def test_chinese_is_broken_between_characters_and_not_before_a_stop() -> None:
    assert broken("数据留在缓存里，从未到达显存。", 10) == [
        "数据留在缓",
        "存里，从未",
        "到达显存。",
    ]
    assert broken("数据留在，缓存", 8) == ["数据留", "在，缓存"]
    assert broken("测得（缓存）", 6) == ["测得", "（缓", "存）"]
    assert broken("实测900GB/s的带宽", 9) == ["实测", "900GB/s的", "带宽"]


def test_a_number_keeps_its_unit() -> None:
    assert broken("the nominal is 320 GB/s here", 19) == ["the nominal is", "320 GB/s here"]
    assert broken("at 81 % of it", 6) == ["at", "81 %", "of it"]
    assert broken("3 shapes and 4 men", 5) == ["3", "shape", "s and", "4 men"]


def test_a_word_longer_than_the_row_is_cut_not_lost() -> None:
    assert broken("a /very/long/path b", 8) == ["a", "/very/lo", "ng/path", "b"]


@given(st.text(st.sampled_from("ab 中文。，「」（）\u0301e%1")), st.integers(2, 30))
def test_broken_text_fits_and_is_all_there(text: str, cells: int) -> None:
    lines = broken(text, cells)
    assert max(map(cell_len, lines), default=0) <= cells
    assert "".join(lines).replace(" ", "") == "".join(shown(text).split())


def test_a_wide_character_at_the_cut_leaves_a_blank() -> None:
    assert text_of(fit(row("a中文"), 4)) == "a中 "
    assert text_of(fit(row(("中", "dim"), "文"), 3)) == "中 "


@given(st.text())
def test_control_characters_are_shown_as_text(text: str) -> None:
    cleaned = shown(text)
    assert len(cleaned) == len(text)
    assert not any(ord(c) < 32 or ord(c) == 127 for c in cleaned)
    assert "\x1b" not in cleaned


def test_figures() -> None:
    assert [figure(v) for v in (4296.4, 826.2, 52.94, 1.07, 0.0672, 0.00001, None)] == [
        "4296",
        "826",
        "52.9",
        "1.07",
        "0.067",
        "1e-05",
        "n/a",
    ]
    assert percent(0.8649) == "86 %"
    assert percent(None) == "n/a"
