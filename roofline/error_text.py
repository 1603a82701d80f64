"""What someone's error says, also where it cannot be asked."""

from __future__ import annotations


def text_of(value: object) -> str:
    """``str(value)`` on one line; where that raises, or gives no text, a word for it.

    An error's ``__str__`` is its author's code and may do anything but stop us.
    """
    try:
        return " ".join(str(value).split())
    except Exception:
        return f"(a {type(value).__name__} that cannot be shown)"


def first_line(error: BaseException) -> str:
    """The first line of an error's text, which is where torch says what happened."""
    text = str(error).strip() or type(error).__name__
    return text.splitlines()[0]


def named(error: BaseException) -> str:
    """An error's type and, where it says anything, what."""
    said = text_of(error)
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
