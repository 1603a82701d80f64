"""The first block on fresh buffers reads low: known, kept, and not part of the figure."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, Finding, finding, percent
from roofwatch.notebook.reading import Reading

LIMIT = 0.05


def cold_start(reading: Reading) -> Finding | None:
    """The warm-up's first repetitions are 5 % and more slower than the settled ones."""
    ratio = reading.first_block_ratio
    if ratio is None or ratio <= 1 + LIMIT:
        return None
    return finding(
        "cold-start",
        root="conditions",
        severity=NOTE,
        subject=reading.subject,
        message=f"Its first block took {percent(ratio - 1)} longer than the settled ones; it is "
        "kept as warm-up and stands in no figure.",
        why="Fresh buffers, page tables and clocks need tens of milliseconds to settle.",
        do="Warm up until two blocks agree before you time your own kernel.",
        ratio=ratio,
    )
