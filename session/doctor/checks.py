"""All checks in their order: from the facts of a look to its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from roofwatch.session.doctor import card, clocks, driver, environment, host, link, memory
from roofwatch.session.doctor.facts import Facts
from roofwatch.session.doctor.said import WORST_FIRST, Checks, Row

GROUPS: dict[str, Checks] = {
    "driver and torch": driver.CHECKS,
    "card": card.CHECKS,
    "power and clocks": clocks.CHECKS,
    "memory and errors": memory.CHECKS,
    "links": link.CHECKS,
    "host": host.CHECKS,
    "environment": environment.CHECKS,
}
KEYS = tuple(key for checks in GROUPS.values() for key in checks)


def rows(facts: Facts) -> list[Row]:
    """One row a check, always all of them."""
    return [
        Row(check=key, **check(facts)._asdict())
        for checks in GROUPS.values()
        for key, check in checks.items()
    ]


def counted(found: Iterable[Row]) -> list[tuple[str, int]]:
    """How many rows have each status, the worst first; none that no row has."""
    counts = Counter(row.status for row in found)
    return [(word, counts[word]) for word in WORST_FIRST if counts[word]]
