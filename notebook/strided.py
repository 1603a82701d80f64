"""Reading every second element: half of what the memory carries is thrown away (seed, Day 13)."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

SLOWEST = 0.04  # of nominal: a sector of 32 bytes for one of a byte


def strided(reading: Reading) -> Finding | None:
    """The useful rate of our strided stream, and what the memory really carried for it."""
    if reading.op != "strided" or reading.gbs is None or reading.moved_bytes is None:
        return None
    if not reading.working_set_bytes:
        return None
    times = reading.moved_bytes / reading.working_set_bytes
    return finding(
        "strided",
        "probe",
        severity=NOTE,
        subject=reading.subject,
        useful_gbs=reading.gbs,
        moved_gbs=reading.gbs * times,
        moved_over_useful=times,
    )


def uncoalesced(reading: Reading) -> Finding | None:
    """A stream far under its range: a stride, or threads that do not read side by side."""
    if reading.ours or reading.judged != "gbs" or not reading.below or not reading.gbs:
        return None
    if reading.op in ("h2d", "d2h", "decode", "matmul", "fill") or not reading.nominal_gbs:
        return None
    share = reading.gbs / reading.nominal_gbs
    if share < SLOWEST:
        return None
    return finding(
        "strided",
        "uncoalesced",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.34 if share < 0.6 else 0.25,
        gbs=reading.gbs,
        of_nominal=share,
        low=reading.low,
        high=reading.high,
    )
