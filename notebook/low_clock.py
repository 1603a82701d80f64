"""The card ran at a low clock: an idle state, a lock, a slice of power."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

FROM = 0.75  # of the lower end; above it a limit is likelier than a locked clock
LEAST = 0.08  # 210 of 2500 MHz


def low_clock(reading: Reading) -> Finding | None:
    """Between a twelfth and three quarters of the range's lower end."""
    rate, low = reading.rate, reading.low
    if reading.ours or not reading.below or not rate or not low:
        return None
    if reading.op in ("h2d", "d2h") or not LEAST * low <= rate <= FROM * low:
        return None
    compute = reading.judged == "tflops" and not reading.on_slope
    return finding(
        "low-clock",
        "suspected" if compute else "memory",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.4 if compute else 0.3,
        rate=rate,
        unit=reading.unit,
        low=low,
        clock_share=rate / low,
    )
