"""TOML as people write it: read whole, and refused in one printable line."""

from __future__ import annotations

import re
import sys
from typing import Any

LONGEST_LINE = 400
MOST_DIGITS = 4300  # that Python reads as a whole number
TOO_MANY_DIGITS = re.compile(rf"(?<![0-9_])[0-9][0-9_]{{{MOST_DIGITS},}}")


def toml_document(text: str) -> dict[str, Any]:
    """The document in ``text``.

    Raises:
        ValueError: it is not TOML; the message says where, and why.
    """
    if sys.version_info >= (3, 11):  # here: who wants a line only does without it
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    except ValueError as error:
        if "digits" in str(error) and (found := TOO_MANY_DIGITS.search(text)):  # said by int()
            line = text.count("\n", 0, found.start()) + 1
            raise ValueError(f"line {line}: a number of more than {MOST_DIGITS} digits") from None
        where = str(error).replace("end of document", f"line {text.count(chr(10)) + 1}, the end")
        found = re.fullmatch(r"(.*) \(at (.*)\)", where, re.DOTALL)
        raise ValueError(f"{found[2]}: {found[1]}" if found else where) from None


def one_line(text: str) -> str:
    """``text`` as one printable line: a file's name, key or value may hold any character.

    Of one that is too long the middle is left out: the file is named before it, the reason after.
    """
    text = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
    if len(text) <= LONGEST_LINE:
        return text
    return f"{text[: LONGEST_LINE // 2]}…{text[1 - LONGEST_LINE // 2 :]}"


def kind_of(value: object) -> str:
    """A value's type in TOML's words."""
    return {"dict": "table", "list": "array"}.get(name := type(value).__name__, name)
