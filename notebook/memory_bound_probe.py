"""A compute ceiling whose own probe sits left of the ridge: it measured bandwidth."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.notebook.too_small import ridge_of


def memory_bound_probe(reading: Reading) -> Finding | None:
    """Intensity under the ridge of the roof that our matmul is meant to establish."""
    ridge = ridge_of(reading)
    if reading.op != "matmul" or reading.intensity is None or ridge is None:
        return None
    if not reading.ours or reading.intensity >= ridge:
        return None
    return finding(
        "memory-bound-probe",
        "left_of_ridge",
        severity=WRONG,
        subject=reading.subject,
        intensity=reading.intensity,
        ridge=ridge,
    )
