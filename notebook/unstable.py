"""Repetitions that disagree: a median of two different machines is neither."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding, percent
from roofwatch.notebook.reading import Reading

LIMIT = 0.10


def unstable(reading: Reading) -> Finding | None:
    """IQR over 10 % of the median."""
    if reading.spread is None or reading.spread <= LIMIT:
        return None
    return finding(
        "unstable",
        root="conditions",
        severity=SUSPECT,
        subject=reading.subject,
        message=f"The middle half of its {reading.repetitions} repetitions spans "
        f"{percent(reading.spread)} of the median.",
        why="Something else ran, or the clock moved: the median may not repeat.",
        do="Run it again; look at the clock and at other processes while it runs.",
        spread=reading.spread,
    )
