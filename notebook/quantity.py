"""Numbers with their units as people write them: ``900GB/s``, ``183us``, ``1.2 ms``, ``4 GiB``.

A unit that is written is understood; one that is missing where it matters is asked back.
"""

from __future__ import annotations

import re
from functools import lru_cache

import msgspec

LONGEST = 100  # characters of a number with its unit
LEAST, MOST = 1e-18, 1e24
BEYOND = "is not a number above 0, from 1e-18 to 1e24"
MOST_COUNT = 10**18
MOST_ROUNDING = 0.125  # one digit may hide that much: 0.04 ms is 0.035 to 0.045
NUMBER = re.compile(r"\s*([+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?)\s*(.*?)\s*", re.DOTALL)
DECIMAL = {"": 1.0, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
BINARY = {"Ki": 2.0**10, "ki": 2.0**10, "Mi": 2.0**20, "Gi": 2.0**30, "Ti": 2.0**40, "Pi": 2.0**50}

TIMES_S = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), 1.0),
    **dict.fromkeys(("ms", "msec", "msecs", "millisecond", "milliseconds"), 1e-3),
    **dict.fromkeys(("us", "µs", "μs", "usec", "usecs", "microsecond", "microseconds"), 1e-6),
    **dict.fromkeys(("ns", "nsec", "nsecs", "nanosecond", "nanoseconds"), 1e-9),
    **dict.fromkeys(("min", "mins", "minute", "minutes"), 60.0),
}
BYTES = re.compile(r"((?:[kKMGTP]i?)?)(B|[Bb]ytes?)")
BYTE_RATE = re.compile(r"((?:[kKMGTP]i?)?)(B|b|[Bb]its?|[Bb]ytes?)(/s|/sec|ps)")
OP_RATE = re.compile(
    r"([kKMGTPgtp]?)(?:(?:FLOPs?|flops?|FLOPS|Flops?|OPs?|OPS|ops?)(?:/s|/sec|ps)?)"
)
TOKEN_RATE = re.compile(r"(?:tok|toks|token|tokens|t|tps)(?:/s|/sec|ps)?")
PER = re.compile(r"\s*/\s*|\s+per\s+|\s*每\s*", re.IGNORECASE)
SECONDS = ("/seconds", "/second", "/secs", "/sec", "/秒")
SHARE = re.compile(r"(?:MFU\s*%|%\s*MFU|%\s*of MFU|MFU)", re.IGNORECASE)

GBS, TFLOPS, TOKENS, MFU = "claimed_gbs", "claimed_tflops", "claimed_tokens_per_s", "claimed_mfu"


class QuantityError(ValueError):
    """A text that is no such quantity; the message says what was expected."""


class Quantity(msgspec.Struct, frozen=True):
    """A value in the unit of its kind, and half a unit of its last digit as a share of it."""

    value: float
    rounding: float
    kind: str = ""


def rounding(digits: str) -> float:
    """Half a unit of the last digit that is written, as a share: 0.04 -> 0.125, 1.234 -> 0.0004."""
    mantissa = digits.lower().partition("e")[0].lstrip("+-").replace("_", "")
    whole = mantissa.replace(".", "").lstrip("0")[:17]
    return min(MOST_ROUNDING, 0.5 / int(whole)) if whole else 0.0


def _split(text: str) -> tuple[float, str, float]:
    found = NUMBER.fullmatch(text) if len(text) <= LONGEST else None
    if found is None:
        raise QuantityError("is no number")
    try:
        value = float(found[1].replace("_", ""))
    except ValueError:
        raise QuantityError("is no number") from None
    return value, found[2], rounding(found[1])


def checked(value: float) -> float:
    """A quantity lies from 1e-18 to 1e24, or it measures nothing."""
    if not LEAST <= value < MOST:  # NaN fails this as well
        raise QuantityError(BEYOND)
    return value


def time_s(text: str, unit_s: float | None) -> Quantity:
    """A time; ``unit_s`` is what a bare number counts in, None where it must say so itself."""
    value, unit, slack = _split(text)
    scale = TIMES_S.get(unit, TIMES_S.get(unit.lower())) if unit else unit_s
    if scale is None:
        if unit:
            raise QuantityError(f"has an unknown unit {unit!r}: ns, us, ms or s")
        raise QuantityError("has no unit: write 4.7us, 1.2ms or 0.5s")
    return Quantity(checked(value * scale), slack)


def size_bytes(text: str) -> Quantity:
    """A size; a bare number counts bytes."""
    value, unit, slack = _split(text)
    found = BYTES.fullmatch(unit) if unit else None
    if unit and found is None:
        raise QuantityError(f"has an unknown unit {unit!r}: B, KB, MB, GB, KiB, MiB or GiB")
    return Quantity(checked(value * (_scale(found[1]) if found else 1.0)), slack)


def slashed(unit: str) -> str:
    """A unit with what it is divided by in one way: ``GB per second`` and ``GB / s`` are GB/s."""
    unit = PER.sub("/", unit.strip())
    for said in SECONDS:
        if unit.lower().endswith(said):
            return f"{unit[: -len(said)]}/s"
    return unit


def rate(text: str, kind: str) -> Quantity:
    """A rate of one kind; a bare number counts in GB/s, TFLOP/s or tokens/s, as its name says."""
    value, unit, slack = _split(text)
    if not unit:
        return Quantity(checked(value), slack, kind)
    seen = claimed(text)
    if seen.kind != kind:
        raise QuantityError(f"has the unit {unit!r}, which is no {WANTED[kind]}")
    return seen


WANTED = {
    GBS: "rate of bytes (GB/s)",
    TFLOPS: "rate of operations (TFLOP/s)",
    TOKENS: "rate of tokens (tokens/s)",
    MFU: "share of a peak (MFU %)",
}


def claimed(text: str) -> Quantity:
    """Any claim with its unit; the kind is the name of its field."""
    value, unit, slack = _split(text)
    if not unit:
        raise QuantityError("has no unit: GB/s, TFLOP/s, tokens/s or MFU %?")
    kind, scale = _kind(unit, value)
    return Quantity(checked(value * scale), slack, kind)


def _kind(unit: str, value: float) -> tuple[str, float]:
    written, unit = unit, slashed(unit)
    found = BYTE_RATE.fullmatch(unit)
    if found:
        bits = found[2] == "b" or "bit" in found[2].lower()
        return GBS, _scale(found[1]) / 1e9 / (8 if bits else 1)
    if OP_RATE.fullmatch(unit):
        prefix = unit[0].upper() if unit[0].upper() in DECIMAL else ""
        return TFLOPS, DECIMAL[prefix] / 1e12
    if SHARE.fullmatch(unit):
        return MFU, 0.01 if "%" in unit or value > 2 else 1.0
    if TOKEN_RATE.fullmatch(unit):
        return TOKENS, 1.0
    if unit == "%":
        raise QuantityError("is a share of what? Write MFU %, or give the rate")
    raise QuantityError(f"has an unknown unit {written!r}: GB/s, TFLOP/s, tokens/s or MFU %")


@lru_cache(maxsize=64)
def _scale(prefix: str) -> float:
    return BINARY[prefix] if prefix in BINARY else DECIMAL[prefix]


def number(text: str) -> Quantity:
    """A bare number; ``B`` and ``M`` of parameters are understood (6.74B)."""
    value, unit, slack = _split(text)
    scale = {"": 1.0, "B": 1e9, "M": 1e6, "T": 1e12}.get(unit)
    if scale is None:
        raise QuantityError(f"has a unit {unit!r} where a bare number belongs")
    return Quantity(checked(value * scale), slack)


def count(text: str) -> int:
    """A whole number of things."""
    value, unit, _ = _split(text)
    if unit:
        raise QuantityError(f"has {unit!r} behind it: write the whole number")
    if value != int(checked(value)) or value > MOST_COUNT:
        raise QuantityError("is no whole number up to 1e18")
    return int(text.replace("_", "")) if re.fullmatch(r"\s*\d[\d_]*\s*", text) else int(value)
