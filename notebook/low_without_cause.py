"""A number under its range, and no rule that explains it: said so, instead of guessing."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.notebook.reading import Reading

VERY_LOW = 0.3  # of the lower end: the usual causes take less


def low_without_cause(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """Very low, or low and unexplained."""
    rate, low = reading.rate, reading.low
    if not rate or not low or not reading.below:
        return None
    if rate > VERY_LOW * low and any(f.severity != NOTE for f in found):
        return None
    if reading.ours and found:
        return None  # what the card itself said explains it
    return finding(
        "low-without-cause",
        "low",
        severity=NOTE if reading.ours else SUSPECT,
        subject=reading.subject,
        said={
            "rate": reading.worded(rate),
            "low": reading.worded(low),
            "high": reading.worded(reading.high),
            "unit": reading.worded_unit,
        },
        fit=0.2,
        rate=rate,
        unit=reading.unit,
        of_nominal=rate / reading.nominal if reading.nominal else None,
        low=low,
        high=reading.high,
    )


def high_without_cause(reading: Reading, found: Sequence[Finding]) -> Finding | None:
    """Over its range and under the ceiling, and no rule says why."""
    if not reading.above or reading.over or reading.ours or not reading.rate:
        return None
    if any(f.severity != NOTE for f in found):
        return None
    large = (
        reading.working_set_bytes
        and reading.cache_bytes
        and reading.working_set_bytes >= 4 * reading.cache_bytes
    )
    if (reading.judged == "gbs" or reading.on_slope) and large:
        return None  # high is not wrong when the size is right
    return finding(
        "unstable",
        "high",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.2,
        rate=reading.rate,
        unit=reading.unit,
        of_nominal=reading.rate / reading.nominal if reading.nominal else None,
        low=reading.low,
        high=reading.high,
    )
