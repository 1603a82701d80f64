"""What a trace says of a card, as far as a card can have it."""

from __future__ import annotations

from roofwatch.roofline.lookup import Identity

LONGEST_NAME = 200
MOST_SMS, MOST_BYTES = 10_000, 1 << 50


def identity(
    name: str, sm_count: object, memory_bytes: object, capability: str | None = None
) -> Identity:
    """The card of this name; figures that no card has count as not recorded."""
    return Identity(
        name=name[:LONGEST_NAME],
        sm_count=_within(sm_count, MOST_SMS),
        memory_bytes=_within(memory_bytes, MOST_BYTES),
        compute_capability=capability,
    )


def _within(value: object, most: int) -> int | None:
    return value if isinstance(value, int) and 0 < value <= most else None
