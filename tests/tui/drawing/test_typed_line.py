"""One line of text while it is typed."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from roofwatch.tui.drawing.glyphs import UNICODE
from roofwatch.tui.drawing.rows_of_text import width
from roofwatch.tui.drawing.typed_line import LONGEST, TypedLine, drawn

KEYS = st.sampled_from(
    ["left", "right", "home", "end", "backspace", "delete", "ctrl+u", "a", "中", "tab", "f1"]
)


def test_what_is_taken_gives_way() -> None:
    line = TypedLine("128", 3, taken=True)
    assert line.typed("4") == TypedLine("4", 1)
    assert line.erased() == TypedLine("", 0)
    assert line.gone(-1) == TypedLine("128", 2)


def test_it_is_typed_and_erased_where_the_cursor_stands() -> None:
    line = TypedLine("abc", 1)
    assert line.typed("XY") == TypedLine("aXYbc", 3)
    assert line.erased() == TypedLine("bc", 0)
    assert line.erased(ahead=True) == TypedLine("ac", 1)
    assert TypedLine("abc", 0).erased() == TypedLine("abc", 0)


def test_a_key_that_means_nothing_is_told() -> None:
    assert TypedLine("a", 1).key("f1", None) is None
    assert TypedLine("a", 1).key("escape", "\x1b") is None


@given(st.lists(KEYS, max_size=40), st.text(max_size=5))
def test_no_keys_break_it(keys: list[str], pasted: str) -> None:
    line = TypedLine().typed(pasted)
    for key in keys:
        line = line.key(key, key if len(key) == 1 else None) or line
        assert 0 <= line.at <= len(line.text) <= LONGEST
        assert width(drawn(line, "", 20, UNICODE)) <= 24
