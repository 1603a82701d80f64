"""The host holds the card under its default power limit: the roof is lower, and not by a fault."""

from __future__ import annotations

from roofwatch.notebook.finding import SUSPECT, Finding, finding
from roofwatch.notebook.reading import Conditions


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
