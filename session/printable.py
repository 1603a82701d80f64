"""Text of a file, a driver or a person, before it reaches a terminal or a picture."""

from __future__ import annotations

import unicodedata


def shown(text: str) -> str:
    """Text from a file, a driver or a person without control characters, so that it stays text."""
    return "".join(c if unicodedata.category(c)[0] != "C" else "�" for c in text)
