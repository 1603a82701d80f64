"""What an error says, also where its own code cannot tell."""

from __future__ import annotations

from roofwatch.roofline.error_text import text_of


class Raises(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


class Number(Exception):
    def __str__(self) -> str:
        return 5  # type: ignore[return-value]


def test_text_is_one_line_and_what_has_none_is_named() -> None:
    assert text_of(ValueError("two\n  lines")) == "two lines"
    assert text_of(Raises()) == "(a Raises that cannot be shown)"
    assert text_of(Number()) == "(a Number that cannot be shown)"
