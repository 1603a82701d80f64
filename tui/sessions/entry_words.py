"""What a saved session's moment, length and rates are written as."""

from __future__ import annotations

from roofwatch.session.began import minute_utc
from roofwatch.session.entry import Entry
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.significant import significant

RATE = 7  # cells of a rate and the gap before it


def when(e: Entry, roomy: bool = True, this_year: str = "") -> str:
    """Date and time in UTC; where it is narrow a session of another year has its date only."""
    told = minute_utc(e.started_at)
    if told is None:
        return "unknown"
    if roomy:
        return told
    return told[5:] if told[:4] == this_year else told[:10]


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
