"""Text of a file, a driver or a person, before it reaches a terminal or a picture."""

from __future__ import annotations

import unicodedata

BREAKS = ("Zl", "Zp")  # separators of lines and paragraphs, which are no control characters


def _acts(c: str) -> bool:
    """Whether a terminal may act on it: controls, formats, surrogates, unassigned, line breaks."""
    category = unicodedata.category(c)
    return category[0] == "C" or category in BREAKS


def plain_json(encoded: bytes) -> bytes:
    """JSON without a character that a terminal would act on: each is written as its escape."""
    text = encoded.decode("utf-8")
    if text.isascii() and "\x7f" not in text:
        return encoded
    escapes = {ord(c): _escape(c) for c in set(text) if _acts(c)}
    return text.translate(escapes).encode("utf-8")


def _escape(c: str) -> str:
    """JSON's escape: two of them beyond the basic plane."""
    units = c.encode("utf-16-be")
    return "".join(f"\\u{units[i]:02x}{units[i + 1]:02x}" for i in range(0, len(units), 2))


def shown(text: str) -> str:
    """Text from a file, a driver or a person without control characters, so that it stays text."""
    if text.isascii() and text.isprintable():
        return text
    return "".join("�" if _acts(c) else c for c in text)
