"""The kernel itself: too few threads in flight, a shape it was not made for, no fused form."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading


def inefficient_kernel(reading: Reading) -> Finding | None:
    """Any rate under its range that some other code reaches on this card."""
    rate, low = reading.rate, reading.low
    if reading.ours or not reading.below or not rate or not low:
        return None
    if reading.op in ("h2d", "d2h"):
        return None
    kv_known = bool(reading.kv_bytes)
    return finding(
        "inefficient-kernel",
        "suspected",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.88 if reading.op == "decode" and kv_known else 0.65,
        rate=rate,
        unit=reading.unit,
        of_nominal=rate / reading.nominal if reading.nominal else None,
        low=low,
        high=reading.high,
    )
