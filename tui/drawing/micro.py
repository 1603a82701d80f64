"""Microseconds: ``us`` in any terminal's characters, ``µs`` where there is UTF-8."""

from __future__ import annotations

import re
from collections.abc import Iterable

from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row

AFTER = re.compile(r"(?<=\d )us(?!\w)")


def micro(rows: Iterable[Row], glyphs: Glyphs) -> list[Row]:
    """The rows with each time in microseconds written as the terminal can."""
    if glyphs is ASCII:
        return list(rows)
    return [
        tuple(
            (AFTER.sub("µs", text), style) if "us" in text else (text, style) for text, style in r
        )
        for r in rows
    ]


def unit_of(unit: str, glyphs: Glyphs) -> str:
    """A unit that stands alone, as in a heading."""
    return "µs" if unit == "us" and glyphs is not ASCII else unit
