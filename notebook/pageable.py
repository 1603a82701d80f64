"""A host copy from pageable memory: it is staged, and slower than the link."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading


def pageable(reading: Reading) -> Finding | None:
    """A copy between host and device under what pinned memory reaches."""
    if reading.op not in ("h2d", "d2h") or not reading.below or not reading.gbs:
        return None
    return finding(
        "pageable",
        "host_copy",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.9,
        gbs=reading.gbs,
        low=reading.low,
        high=reading.high,
        link_gbs=reading.nominal_gbs,
    )
