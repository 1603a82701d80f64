"""A device copy by the copy engine: it is no probe of the memory."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading


def copy_engine(reading: Reading) -> Finding | None:
    """A copy of plain bytes between a fifth and all of what a kernel reaches."""
    if reading.op != "copy" or reading.ours or not reading.below or not reading.gbs:
        return None
    if not reading.low or reading.gbs < 0.2 * reading.low:
        return None
    plain = reading.dtype in (None, "bytes")
    return finding(
        "copy-engine",
        "memcpy",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.55 if plain else 0.3,
        gbs=reading.gbs,
        nominal_gbs=reading.nominal_gbs,
        low=reading.low,
        high=reading.high,
    )
