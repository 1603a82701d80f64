"""The host holds the card under its default power limit: the roof is lower, and not by a fault."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Conditions, Reading


def power_capped(conditions: Conditions) -> Finding | None:
    """Enforced limit below the default limit."""
    limit, default = conditions.power_limit_w, conditions.power_default_w
    if not limit or not default or limit >= default:
        return None
    return finding(
        "power-capped",
        "limit",
        severity=SUSPECT,
        subject=conditions.name,
        power_limit_w=limit,
        power_default_w=default,
    )


LEAST, MOST = 0.35, 0.95  # of the range's lower end


def lowered_limit(reading: Reading) -> Finding | None:
    """A compute rate that a lowered power limit would give; one number cannot show the limit."""
    rate, low = reading.rate, reading.low
    if reading.ours or reading.judged != "tflops" or not reading.below or not rate or not low:
        return None
    if not LEAST * low <= rate <= MOST * low:
        return None
    return finding(
        "power-capped",
        "suspected",
        severity=SUSPECT,
        subject=reading.subject,
        fit=0.3,
        rate=rate,
        unit=reading.unit,
        low=low,
        tdp_w=reading.tdp_w,
    )
