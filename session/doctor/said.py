"""What a check says of one thing: its status, what was found, what should be, and what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal, NamedTuple

import msgspec

Word = Literal["ok", "warn", "fail", "unknown"]
OK, WARN, FAIL, UNKNOWN = "ok", "warn", "fail", "unknown"
WORST_FIRST: tuple[Word, ...] = ("fail", "warn", "unknown", "ok")


class Said(NamedTuple):
    """One check's answer. ``expected`` and ``do`` are empty where there is nothing to say."""

    status: Word
    found: str
    expected: str = ""
    do: str = ""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The same with the check's key, as ``doctor --json`` writes it."""

    check: str
    status: Word
    found: str
    expected: str
    do: str


Check = Callable[..., Said]
Checks = Mapping[str, Check]
"""Checks of one group by their keys, each a function of the facts."""


def ok(found: str, expected: str = "") -> Said:
    """As it should be."""
    return Said("ok", found, expected)


def warn(found: str, expected: str, do: str) -> Said:
    """It costs something, or will."""
    return Said("warn", found, expected, do)


def fail(found: str, expected: str, do: str) -> Said:
    """It does not work, or cannot be trusted."""
    return Said("fail", found, expected, do)


def unknown(found: str, expected: str = "", do: str = "") -> Said:
    """It could not be looked at; ``found`` says why."""
    return Said("unknown", found, expected, do)
