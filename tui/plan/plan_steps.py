"""What the next value of a field is, one key on or back."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.session.events import Price

CONTEXTS = (4, 20)  # powers of two that the keys go through
BATCHES = (0, 14)
CARDS = (0, 6)
OVERHEADS_S = tuple(x * 1e-3 for x in (0, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100))
LINKS_GBS: tuple[float, ...] = (
    1.0,
    3.0,
    6.0,
    12.5,
    25.0,
    31.5,
    50.0,
    63.0,
    150.0,
    300.0,
    450.0,
    900.0,
)
LATENCIES_S = tuple(x * 1e-6 for x in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000))
PRICE_STEPS = ((1.0, 0.05), (10.0, 0.25), (100.0, 1.0), (math.inf, 10.0))
"""Below a price of an hour the keys change it by so much."""
SAME = 1e-9


def next_of(choices: Sequence[str], now: str, by: int) -> str:
    """The choice after or before, round; the first where there is no such."""
    at = choices.index(now) if now in choices else -by
    return choices[(at + by) % len(choices)]


def doubled(value: int, by: int, powers: tuple[int, int]) -> int:
    """The next power of two above or below, between two to these powers."""
    exponent = value.bit_length() if by > 0 else (value - 1).bit_length() - 1
    return 1 << min(powers[1], max(powers[0], exponent))


def beside(ladder: Sequence[float], value: float, by: int) -> float:
    """The next rung above or below; beyond the last the value stays."""
    if by > 0:
        return next((x for x in ladder if x > value * (1 + SAME)), value)
    return next((x for x in reversed(ladder) if x < value * (1 - SAME)), value)


def stepped(price: Price | None, by: int, currency: str) -> Price | None:
    """A round step dearer or cheaper; none below the least."""
    now = price.per_hour if price else 0.0
    at = now * (1 + SAME) if by > 0 else now * (1 - SAME)
    step = next(step for top, step in PRICE_STEPS if at < top)
    steps = math.floor(at / step) + (1 if by > 0 else 0)
    return Price(per_hour=round(steps * step, 4), currency=currency) if steps > 0 else None
