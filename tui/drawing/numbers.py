"""How figures are written: few digits, the unit beside them, a word where nothing could be read."""

from __future__ import annotations

import math
from collections.abc import Sequence

from roofwatch.session.printable import shown

NOT_READ = "n/a"
LEAST_MONEY = 1e-9  # what is less is said to be less
LONGEST_CURRENCY = 8


def figure(value: float | None, digits: int = 3) -> str:
    """A rate with ``digits`` significant digits, never in exponent form."""
    if value is None:
        return NOT_READ
    if abs(value) >= 10 ** (digits - 1):
        return f"{value:.0f}"
    if abs(value) < 1:
        return f"{value:.{digits}f}" if abs(value) >= 0.001 else f"{value:.1g}"
    return f"{value:.{digits}g}"


def signed(value: float) -> str:
    """A difference with its sign, three significant digits, never in exponent form."""
    return ("-" if value < 0 else "+") + figure(abs(value))


def distance(value: float) -> str:
    """How far from the middle, to a tenth, with its sign; what rounds to nothing is ``+0.0``."""
    return f"{round(value, 1) + 0.0:+.1f}"  # -0.0 + 0.0 is 0.0


def percent(ratio: float | None) -> str:
    """A share, whole per cent."""
    return NOT_READ if ratio is None else f"{ratio * 100:.0f} %"


def util_said(share: str, on_card: bool) -> str:
    """What utilisation is: on a card the share of the time in which at least one kernel ran."""
    if not on_card:
        return f"CPU busy {share}"
    return f"a kernel ran {share} of the time" if share[:1].isdigit() else f"utilisation {share}"


def money(amount: float, currency: str) -> str:
    """An amount to four significant digits, three below 1, and at least to the hundredth.

    A sign stands before it, a code after; never in exponent form.
    """
    least = "under " if 0 < amount < LEAST_MONEY else ""
    return least + priced(_amount(max(amount, LEAST_MONEY) if least else amount), currency)


def money_column(amounts: Sequence[float | None]) -> list[str]:
    """Amounts of one column, all with the same decimals and without a currency, which its head has.

    As many as give the smallest as many digits as ``money`` does, the largest no more than six.
    """
    known = [a for a in amounts if a is not None and a >= LEAST_MONEY]
    decimals = 2
    if known:
        smallest, largest = (math.floor(math.log10(f(known))) for f in (min, max))
        decimals = max(2, min((3 if smallest >= 0 else 2) - smallest, 5 - largest))
    return [NOT_READ if a is None else f"{a:.{decimals}f}" for a in amounts]


def priced(amount: str, currency: str) -> str:
    """A written amount with its currency, as ``$1.99``, ``14.50 CNY`` or ``$/Mtok``."""
    name = shown(currency)[:LONGEST_CURRENCY]
    return f"{amount} {name}" if name[-1:].isalpha() else name + amount


def _amount(value: float) -> str:
    if value == 0:
        return "0.00"
    digits = 4 if value >= 1 else 3
    decimals = max(2, digits - 1 - math.floor(math.log10(value)))
    whole, _, part = f"{value:.{decimals}f}".partition(".")
    return f"{whole}.{part.rstrip('0').ljust(2, '0')}"
