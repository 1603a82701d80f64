"""The conditions in which two sessions were measured, as far as they differ."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from roofwatch.roofline.statistics import median
from roofwatch.session.fold import Session

ALIKE_C = 3.0  # degrees between medians that are no difference
CARD_TO_CARD = 0.04  # bursts of several H200s lay so far apart, each repeating within 0.4 %
STREAMS_APART = 0.003  # streams of five of them
APART = f"{STREAMS_APART:.1%} in streams, {CARD_TO_CARD:.0%} in all else".replace("%", " %")
ANOTHER = f"two cards of one kind differ by up to {APART}"
UUID = "UUID of the card"

Value = str | float | bool | None


class Condition(msgspec.Struct, frozen=True, kw_only=True):
    """A condition that is not the same; None where one session does not know it."""

    what: str
    a: Value
    b: Value
    unit: str = ""
    note: str = ""


def differences(a: Session, b: Session) -> tuple[list[Condition], list[str]]:
    """What differs, and the names of what is known of both and does not."""
    told_a, told_b = _told(a), _told(b)
    differing, same = [], []
    for (what, unit), first in told_a.items():
        second = told_b[what, unit]
        if first is None and second is None:
            continue
        if first == second or (unit == "°C" and _near(first, second)):
            same.append(what)
            continue
        note = ANOTHER if what == UUID and of_one_kind(a, b) else ""
        differing.append(Condition(what=what, a=first, b=second, unit=unit, note=note))
    return differing, same


def of_one_kind(a: Session, b: Session) -> bool:
    """Whether these are two cards of one name, not one card."""
    first, second = a.device, b.device
    known = first.uuid is not None and second.uuid is not None
    return known and first.uuid != second.uuid and first.name == second.name


def _near(a: Value, b: Value) -> bool:
    known = isinstance(a, float) and isinstance(b, float)
    return known and abs(a - b) <= ALIKE_C  # type: ignore[operator]


def _told(session: Session) -> Mapping[tuple[str, str], Value]:
    """What a session says of its conditions, by name and unit."""
    device, software = session.device, session.software
    heat = [s.temp_c for m in session.measured() for s in session.between(m.begin_s, m.end_s)]
    known_c = [c for c in heat if c is not None]
    settings = ", ".join(f"{k}={v}" for k, v in sorted(software.settings.items()))
    return {
        ("card", ""): device.name,
        (UUID, ""): device.uuid,
        ("host", ""): session.host,
        ("suite", ""): session.suite,
        ("complete", ""): session.complete,
        ("sustained for", "s"): session.sustain_s if _holds(session) else None,
        ("driver", ""): software.driver,
        ("torch", ""): software.torch,
        ("CUDA", ""): software.cuda,
        ("settings", ""): settings or None,
        ("roofwatch", ""): software.roofwatch,
        ("power limit", "W"): device.power_limit_w,
        ("highest SM clock", "MHz"): device.sm_max_mhz,
        ("highest memory clock", "MHz"): device.mem_max_mhz,
        ("temperature", "°C"): float(median(known_c)) if known_c else None,
        ("MIG", ""): device.mig,
        ("ECC", ""): device.ecc,
        ("other processes", ""): None if device.processes is None else float(device.processes),
    }


def _holds(session: Session) -> bool:
    return any(m.protocol == "sustained" for m in session.measured())
