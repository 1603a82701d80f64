"""A compute ceiling whose own probe sits left of the ridge: it measured bandwidth."""

from __future__ import annotations

from roofwatch.notebook.finding import WRONG, Finding, finding
from roofwatch.notebook.reading import Reading


def memory_bound_probe(reading: Reading) -> Finding | None:
    """Intensity under the ridge of the roof that the matmul is meant to establish."""
    bandwidth = reading.roof_gbs or reading.nominal_gbs
    peak = reading.nominal_tflops or reading.tflops
    if reading.op != "matmul" or reading.intensity is None or not bandwidth or not peak:
        return None
    ridge = peak * 1e3 / bandwidth
    if reading.intensity >= ridge:
        return None
    return finding(
        "memory-bound-probe",
        root="flop",
        severity=WRONG,
        subject=reading.subject,
        message=f"Its intensity of {reading.intensity:.0f} FLOP/byte is left of the ridge at "
        f"{ridge:.0f}: it measured bandwidth, not compute.",
        why="Left of the ridge the memory sets the time, so the rate says nothing about the units.",
        do="Use larger matrices: a square of N has intensity N/3 in a two-byte type.",
        intensity=reading.intensity,
        ridge=ridge,
    )
