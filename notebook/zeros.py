"""Constant or integer operands: fewer bits switch, less power is drawn, the clock stays higher."""

from __future__ import annotations

from roofwatch.notebook.ceilings import passed
from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading
from roofwatch.roofline.peaks import TENSOR_KEYS

MOST = 1.25  # of nominal


def zeros(reading: Reading) -> Finding | None:
    """A tensor-core matmul over what random data reach, and under the ceiling."""
    if reading.judged != "tflops" or reading.ours or not reading.above or reading.over:
        return None
    if reading.peak_key not in TENSOR_KEYS or not reading.tflops or reading.op == "other":
        return None
    if reading.on_slope or passed(reading) is not None:
        return None  # bytes set that range, or the time is none
    nominal = reading.nominal or 0.0
    if reading.tflops > MOST * nominal:
        return None  # no clock does that: another unit
    return finding(
        "zeros",
        "above",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.9,
        tflops=reading.tflops,
        of_nominal=reading.tflops / nominal if nominal else None,
        low=reading.low,
        high=reading.high,
    )
