"""What a saved session's moment, length and rates are written as."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.session.began import minute_utc
from roofwatch.session.entry import Entry
from roofwatch.session.printable import shown
from roofwatch.session.rate_scale import scale_of
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.numbers import figure
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


def giga(e: Entry) -> bool:
    """Whether its rates of arithmetic have digits in GFLOP/s (GOPS) alone."""
    return scale_of([r for r in (e.burst_tflops, e.sustained_tflops) if r]).factor > 1


def all_giga(entries: Sequence[Entry]) -> bool:
    """Whether that is so of all that have such a rate, and there is one."""
    having = [e for e in entries if e.burst_tflops or e.sustained_tflops]
    return bool(having) and all(map(giga, having))


def flops(e: Entry, tflops: float | None, glyphs: Glyphs, all_giga: bool) -> str:
    """A rate of arithmetic as ``rate`` writes it; of a slow entry in GFLOP/s, with ``G`` behind it
    where that is not the unit of all (``all_giga``)."""
    if tflops is None or not giga(e):
        return rate(tflops, glyphs)
    if all_giga:
        return rate(tflops * 1e3, glyphs)
    return figure(tflops * 1e3)[: RATE - 2].rstrip(".") + "G"


def suite_said(e: Entry) -> str:
    """Its suite; of many ranks the word for them."""
    return shown(e.suite or "unknown") if e.ranks is None else "fleet"
