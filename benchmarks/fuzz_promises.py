"""What every answer and every refusal keeps, whatever was handed in."""

from __future__ import annotations

import re
import unicodedata

LONGEST_LINE = 2000
SGR = re.compile(r"\x1b\[[0-9;]*m")


class Broken(AssertionError):
    """A promise that an answer or a refusal did not keep."""


def acting(text: str) -> list[str]:
    """Characters on which a terminal would act, but for the line feed."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return []
    kinds = {c: unicodedata.category(c) for c in set(text)}
    return sorted(c for c, k in kinds.items() if c != "\n" and (k[0] == "C" or k in ("Zl", "Zp")))


def hold_text(text: str, what: str) -> None:
    """A text that was printed holds nothing that a terminal acts on."""
    if found := acting(text):
        line = next(line for line in text.split("\n") if found[0] in line)
        raise Broken(f"{what} holds {found[:8]!r}: {line[:300]!r}")


def hold_refusal(said: str, name: str, *places: str) -> None:
    """A refusal is one printable line that names the file and, of several words, one place."""
    if "\n" in said or acting(said):
        raise Broken(f"a refusal of more than a line of text: {said[:300]!r}")
    if not said or len(said) > LONGEST_LINE:
        raise Broken(f"a refusal of {len(said)} characters: {said[:300]!r}")
    if name not in said:
        raise Broken(f"a refusal that does not name {name}: {said[:300]!r}")
    if places and not any(place in said for place in places):
        raise Broken(f"a refusal that names none of {', '.join(places)}: {said[:300]!r}")
