"""Signs of our own sentences as any terminal can show them."""

from __future__ import annotations

SIGNS = str.maketrans(
    {
        "·": "-",
        "×": "x",
        "°": "",
        "…": "...",
        "–": "-",
        "—": "-",
        "−": "-",
        "µ": "u",
        "μ": "u",
        "≥": ">=",
        "≤": "<=",
        "±": "+/-",
        "→": "->",
        "←": "<-",
        "↔": "<->",
        "✓": "ok",
        "▲": "!",
        "✗": "X",
        "’": "'",
        "‘": "'",
        "“": '"',
        "”": '"',
        "²": "2",
        "³": "3",
        "≈": "~",
        "∕": "/",
        "√": "sqrt ",
    }
)


def in_ascii(text: str) -> str:
    """The text with them; letters of other scripts stay, no sign says them."""
    return text if text.isascii() else text.translate(SIGNS)
