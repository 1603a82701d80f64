"""A host copy from pageable memory: it is staged, and slower than the link."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

SLOWER = 0.9  # of the pinned rate: less is worth a word


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


def staged_costs(subject: str, gbs: float, pinned_gbs: float) -> Finding | None:
    """What pageable memory costs on this very host: both were measured. None where it is little."""
    if gbs > SLOWER * pinned_gbs:
        return None
    return finding(
        "pageable",
        "measured",
        severity=NOTE,
        subject=subject,
        gbs=gbs,
        pinned_gbs=pinned_gbs,
        times=pinned_gbs / gbs,
    )
