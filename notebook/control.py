"""A control: the same bytes by the same kernel in another type, which should take as long."""

from __future__ import annotations

from roofwatch.notebook.finding import BYTES, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

CONTROL = 0.02  # bytes move as fast in either type (seed, Day 13)


def control(reading: Reading) -> Finding | None:
    """They took another time, and did so when both were repeated: no accident of the clock."""
    if reading.control_ratio is None or abs(reading.control_ratio - 1) <= CONTROL:
        return None
    return finding(
        "inefficient-kernel",
        "control",
        root=BYTES,
        severity=SUSPECT,
        subject=reading.subject,
        ratio=reading.control_ratio,
        said={"tolerance": CONTROL},
    )
