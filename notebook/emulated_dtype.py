"""A type that the card has no unit for: CUDA cores do the work, and no tensor peak applies."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, Finding, finding
from roofwatch.notebook.reading import Reading


def emulated_dtype(reading: Reading) -> Finding | None:
    """bf16 before Ampere, fp8 before Ada: judged by the fp32 peak."""
    if not reading.emulated or reading.judged != "tflops":
        return None
    return finding(
        "emulated-dtype",
        "no_unit",
        severity=NOTE,
        subject=reading.subject,
        dtype=reading.dtype,
        card=reading.card,
        tflops=reading.tflops,
        nominal_tflops=reading.nominal_tflops,
        of_nominal=reading.tflops / reading.nominal_tflops
        if reading.tflops and reading.nominal_tflops
        else None,
    )
