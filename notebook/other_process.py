"""Somebody else computed on the card, or the rented card is shared."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading


def other_process(reading: Reading) -> Finding | None:
    """Far under the range: another's work takes bandwidth, units and power."""
    if reading.ours or not reading.below or not reading.rate or not reading.low:
        return None
    if reading.rate > 0.8 * reading.low or reading.op in ("h2d", "d2h"):
        return None
    return finding(
        "other-process",
        "suspected",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.25,
        rate=reading.rate,
        unit=reading.unit,
        low=reading.low,
    )
