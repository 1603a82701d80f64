"""What a saved session's moment, length and rates are written as."""

from __future__ import annotations

import re

from roofwatch.session.entry import Entry
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import head_of
from roofwatch.tui.drawing.significant import significant

RATE = 7  # cells of a rate and the gap before it
MOMENT = re.compile(r"(\d{4})-(\d\d-\d\d)T(\d\d:\d\d)")


def when(e: Entry, roomy: bool = True, this_year: str = "") -> str:
    """Date and time as told; where it is narrow a session of another year has its date only."""
    if e.started_at is None:
        return "unknown"
    found = MOMENT.match(e.started_at)
    if found is None:
        return head_of(shown(e.started_at), 16 if roomy else 11, "")
    year, day, time = found.groups()
    if roomy:
        return f"{year}-{day} {time}"
    return f"{day} {time}" if year == this_year else f"{year}-{day}"


def minutes(seconds: float | None) -> str:
    """In four cells at most: below ten with a tenth."""
    if seconds is None:
        return ""
    told = seconds / 60
    if told < 9.95:
        return f"{told:.1f}"
    return f"{told:.0f}" if told < 9_999 else ">9k"


def rate(value: float | None, glyphs: Glyphs) -> str:
    """In six cells at most; a dash where it was not measured."""
    if value is None:
        return glyphs.dash
    text = significant(value, decimals=4)
    return text if len(text) < RATE else "<0.001" if abs(value) < 1 else ">99999"


def suite_said(e: Entry) -> str:
    """Its suite; of many ranks the word for them."""
    return shown(e.suite or "unknown") if e.ranks is None else "fleet"
