"""The clock fell under load: power or heat took what is missing, and nothing else is wrong."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

LEAST = 0.35  # of the range's lower end: no limit takes more than that


def throttled(reading: Reading) -> Finding | None:
    """A compute rate under its range by no more than a power or thermal limit takes."""
    rate, low = reading.rate, reading.low
    if reading.ours or not reading.below or not rate or not low:
        return None
    compute = reading.judged == "tflops" and not reading.on_slope
    if not compute and reading.op != "decode":
        return None  # memory does not throttle with the SM clock
    if rate < LEAST * low:
        return None
    return finding(
        "throttled",
        "suspected",
        severity=SUSPECT,
        subject=reading.subject,
        fit=(0.85 if rate > 0.6 * low else 0.5) if compute else 0.3,
        rate=rate,
        unit=reading.unit,
        low=low,
        clock_share=rate / low,
        tdp_w=reading.tdp_w,
    )
