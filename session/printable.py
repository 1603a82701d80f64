"""Text of a file, a driver or a person, before it reaches a terminal or a picture."""

from __future__ import annotations

import re
import unicodedata

HIDDEN = re.compile(
    "[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)
"""What moves a cursor or turns text round, and may stand in JSON as it is."""


def plain_json(encoded: bytes) -> bytes:
    """JSON without a character that a terminal would act on: each is written as its escape."""
    text = encoded.decode("utf-8")
    if text.isascii() and "\x7f" not in text:
        return encoded
    return HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode("utf-8")


def shown(text: str) -> str:
    """Text from a file, a driver or a person without control characters, so that it stays text."""
    return "".join(c if unicodedata.category(c)[0] != "C" else "�" for c in text)
