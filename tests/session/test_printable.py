"""Nothing that a terminal acts on leaves as it came: neither as text nor as JSON."""

from __future__ import annotations

import json
import unicodedata

import msgspec
import pytest

from roofwatch.session.printable import plain_json, shown

BIDI = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
C0 = "".join(map(chr, range(32)))
C1 = "".join(map(chr, range(0x7F, 0xA0)))
OTHERS = "\u00ad\u200b\u2028\u2029\u2060\ufeff\ufff9"


@pytest.mark.parametrize("text", ["", "plain", "名前 é ½ 🙂", "[bold red]x[/]", "a\\u001b"])
def test_text_stays_text(text: str) -> None:
    assert shown(text) == text
    assert plain_json(msgspec.json.encode(text)) == msgspec.json.encode(text)


@pytest.mark.parametrize("chars", [C0, C1, BIDI, "\u00ad\u200b\u2060\ufeff\ufff9", "\udcff"])
def test_each_of_them_is_shown_as_a_mark(chars: str) -> None:
    assert shown(f"a{chars}b") == "a" + "\ufffd" * len(chars) + "b"


@pytest.mark.parametrize("chars", [C0, C1, BIDI, OTHERS])
def test_json_holds_their_escapes_and_says_the_same(chars: str) -> None:
    value = {f"key {chars}": f"é {chars} 名"}
    encoded = plain_json(msgspec.json.encode(value))
    assert json.loads(encoded) == value
    text = encoded.decode("utf-8")
    assert "é" in text
    assert not [c for c in text if c in chars]
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")]


def test_a_mark_of_ascii_alone_is_escaped_too() -> None:
    assert plain_json(b'"a\x7fb"') == b'"a\\u007fb"'


@pytest.mark.parametrize("char", ["\u180e", "\U000e0001", "\U000e0041", "\u0600", "\u070f"])
def test_no_format_character_at_all_leaves_as_it_came(char: str) -> None:
    assert unicodedata.category(char) == "Cf"
    encoded = plain_json(msgspec.json.encode(f"é{char}"))
    assert char not in encoded.decode()
    assert json.loads(encoded) == f"é{char}"


@pytest.mark.parametrize("char", ["\u2028", "\u2029"])
def test_a_separator_of_lines_is_shown_as_a_mark(char: str) -> None:
    assert shown(f"a{char}b") == "a\ufffdb"
