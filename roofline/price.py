"""What a rented card costs, and what of that buys nothing. Pure; money in the price's own currency.

Seed, Day 1, "the three bottlenecks as money": the rent of an hour buys all of a card's compute and
bandwidth. Decode at batch 1 uses under 1 % of the compute; at batch 32 the same rent makes 32 times
the tokens; half the bytes make twice as many; while the card waits for the host, the rent runs on.
"""

from __future__ import annotations

import re
from functools import cache

HOUR_S = 3600.0
MTOK = 1e6  # tokens
LONGEST = 60  # characters of a price, and of what a refusal repeats
LEAST, MOST = 1e-4, 1e6  # an hour, of one card in any currency
PLAIN = "$"  # the currency of a price that names none
SIGNS = (
    *("US$", "CA$", "AU$", "NZ$", "HK$", "NT$", "C$", "A$", "S$", "R$"),
    *("$", "€", "£", "¥", "₹", "₩", "₽", "₺", "₴", "₫", "฿", "₪"),
)
CODES = (
    "USD|EUR|GBP|CNY|RMB|JPY|KRW|INR|CAD|AUD|NZD|CHF|SEK|NOK|DKK|ISK|PLN|CZK|HUF|RON|BGN|UAH|RUB|"
    "KZT|TRY|ILS|AED|SAR|QAR|EGP|ZAR|NGN|KES|SGD|HKD|TWD|THB|VND|IDR|MYR|PHP|PKR|BDT|LKR|BRL|MXN|"
    "ARS|CLP|COP|PEN|UYU"
)
WORDS = {"￥": "¥", "元": "¥"}
OF_SIGN = {
    "$": ("USD", "CAD", "AUD", "NZD", "SGD", "HKD", "TWD", "MXN", "ARS", "CLP", "COP", "UYU"),
    "€": ("EUR",),
    "£": ("GBP",),
    "¥": ("CNY", "RMB", "JPY"),
}
"""Codes that a sign before the number may be told more exactly by: ``$1.99 CAD/h``."""
PER_HOUR = {
    **dict.fromkeys(("h", "hr", "hrs", "hour", "hours", "小时"), 1.0),
    **dict.fromkeys(("min", "mins", "minute", "minutes", "分钟"), 60.0),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "秒"), HOUR_S),
    **dict.fromkeys(("d", "day", "days", "天"), 1 / 24),
    **dict.fromkeys(("wk", "week", "weeks", "周"), 1 / 168),
}
UNEVEN = ("m", "mo", "month", "months", "y", "yr", "year", "years", "月", "年")

_DECIMAL = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_GROUPED = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]*)?"
_GROUPED_COMMA = r"[0-9]{1,3}(?:\.[0-9]{3})+,[0-9]*"
_COMMA = r"[0-9]+,[0-9]+"
_EITHER = r"[0-9]*[1-9][0-9]*,[0-9]{3}"  # 1,990 is 1.99 here and 1990 there


def price_of(text: str) -> tuple[float, str]:
    """The price of an hour, and its currency as it was said: ``1.99/h``, ``0.033/min``, ``45/day``.

    A currency stands before or after the number, as a sign or as a code: ``$1.99/h``, ``2,49 €/h``,
    ``14.5 CNY/h``; without one it is ``$``. Without a unit it is the price of an hour; of a GPU
    (``/GPU/h``, ``/GPU-hour``) is understood as well. A comma is the decimal one where it cannot
    part thousands: ``2,49`` and ``0,033`` are read, ``1,990`` is asked back; so are a month and a
    year, which have no fixed hours, and ``1.99 h``, which is a time.

    Raises:
        ValueError: no such price, not above 0, or beyond 0.0001 to 1,000,000 an hour; one line.
    """
    found = _price().fullmatch(text.strip()) if len(text) <= LONGEST else None
    if found is None:
        raise ValueError(f"{_said(text)} is no price, such as 1.99/h, $1.99/h, 0.033/min or 45/day")
    before, after = (_money(found[side]) for side in ("before", "after"))
    if before and after and before != after and after not in OF_SIGN.get(before, ()):
        raise ValueError(f"{_said(text)} names two currencies, {before} and {after}")
    unit = (found["unit"] or "h").lower()
    if unit in UNEVEN:
        raise ValueError(f"{_said(text)} is per {unit}, of no fixed hours: say it per h or per day")
    if unit not in PER_HOUR:
        raise ValueError(f"{_said(text)} is per {unit}, which is none of s, min, h, day, week")
    number = _number(text, found["number"])
    if number <= 0:
        raise ValueError(f"{_said(text)} is not above 0")
    per_hour = number * PER_HOUR[unit]
    if not LEAST <= per_hour <= MOST:
        raise ValueError(f"{_said(text)} is no price of a card: 0.0001 to 1,000,000 an hour")
    return per_hour, after or before or PLAIN


@cache
def _price() -> re.Pattern[str]:
    """Compiled when a price is read: it costs milliseconds."""
    money = "|".join(map(re.escape, (*SIGNS, *WORDS))) + "|" + CODES
    return re.compile(
        rf"(?P<before>{money})?\s*(?P<number>[+-]?[0-9.,]*[0-9][0-9.,]*(?:e[+-]?[0-9]+)?)\s*"
        rf"(?P<after>{money})?\s*"
        r"(?:(?:/|per\b|an?\b|每)\s*(?:gpu\s*[/ -]?\s*)?"
        r"(?P<unit>[a-z]+|小时|分钟|秒|天|周|月|年))?",
        re.IGNORECASE,
    )


def _said(text: str) -> str:
    return repr(text if len(text) <= LONGEST else text[:LONGEST] + "...")


def _money(name: str | None) -> str:
    return WORDS.get(name, name.upper()) if name else ""


def _number(text: str, digits: str) -> float:
    if re.fullmatch(_EITHER, digits):
        either = f"{digits.replace(',', '.')} or {digits.replace(',', '')}"
        raise ValueError(f"{_said(text)} may be {either}: write it without the comma")
    if re.fullmatch(_COMMA, digits):
        digits = digits.replace(",", ".")
    elif re.fullmatch(_GROUPED, digits):
        digits = digits.replace(",", "")
    elif re.fullmatch(_GROUPED_COMMA, digits):
        digits = digits.replace(".", "").replace(",", ".")
    if not re.fullmatch(_DECIMAL, digits):
        raise ValueError(f"{_said(text)} is no price: {digits} is no number")
    return float(digits)


def cost(per_hour: float, seconds: float) -> float:
    """Rent of so many seconds. Raises ValueError below 0 s."""
    if not seconds >= 0:
        raise ValueError("a negative time costs nothing")
    return per_hour * seconds / HOUR_S


def cost_per_mtok(per_hour: float, tokens_per_s: float) -> float:
    """Rent per million tokens: price of an hour over the millions of tokens made in it.

    Raises:
        ValueError: no token is made.
    """
    if not tokens_per_s > 0:
        raise ValueError("no token is made: a million of them has no price")
    return cost(per_hour, MTOK / tokens_per_s)


def idle_cost_per_hour(per_hour: float, achieved_tflops: float, roof_tflops: float) -> float:
    """What an hour of the compute that stands idle costs: price x (1 - achieved / roof).

    ``roof_tflops`` is the rate that the card keeps up in that precision, sustained or else burst
    (seed, Day 1: at batch 1 of decode 99 % of the compute is paid and not used; that is physics, no
    waste). 0 at the roof and above it.

    Raises:
        ValueError: a negative rate, or no roof.
    """
    if not roof_tflops > 0 or not achieved_tflops >= 0:
        raise ValueError("a share of the compute needs a roof above 0 and a rate of 0 or more")
    return per_hour * max(0.0, 1 - achieved_tflops / roof_tflops)


def overhead_cost_per_hour(per_hour: float, gap_s: float, step_s: float) -> float:
    """What an hour of waiting costs: price x gap / step, the gap being launches and the host's.

    Seed, Day 1: while the card waits for the CPU the rent is paid and nothing is made.

    Raises:
        ValueError: no step, or a gap that is negative or longer than the step.
    """
    if not step_s > 0 or not 0 <= gap_s <= step_s:
        raise ValueError("a gap is part of its step: from 0 to the step's time")
    return per_hour * gap_s / step_s
