"""The conditions in which two sessions were measured, as far as they differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.size_said import size_said
from roofwatch.roofline.statistics import median
from roofwatch.session.figures import EXACT, tensor_bytes
from roofwatch.session.fold import Session
from roofwatch.session.others import most_others_cores
from roofwatch.session.printable import shown
from roofwatch.session.same_card import same_card

ALIKE = {"°C": 3.0, "cores": 0.2}  # between two of them: less is no difference
CARD_TO_CARD = 0.04  # bursts of several H200s lay so far apart, each repeating within 0.4 %
STREAMS_APART = 0.003  # streams of five of them
APART = f"{per_cent(STREAMS_APART, 1)} in streams, {per_cent(CARD_TO_CARD)} in all else"
ANOTHER = f"two cards of one kind differ by up to {APART}"
BY_HOST = "launches, eager steps and pageable copies are made by the host as much as by the card"
UUID, GBS = "UUID of the card", "GB/s"
SETTINGS, FLAGS, SIZE = "settings", "math flags", "tensor size"
NOT_SET = "not set"
SM_CLOCK, CLOCK = "highest SM clock", "highest clock"
OTHER_WORK, MOST = "other work", "while the figure was measured that it disturbed most"

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
        if what == SM_CLOCK and a.device.kind == b.device.kind == "cpu":
            what = CLOCK  # a CPU has no SM
        if first is None and second is None:
            continue
        if first == second or _near(first, second, unit):
            same.append(what)
            continue
        note = ANOTHER if what == UUID and of_one_kind(a, b) else ""
        note = BY_HOST if what == "host" and a.device.kind != "cpu" else note
        note = MOST if what == OTHER_WORK else note
        differing.append(Condition(what=what, a=first, b=second, unit=unit, note=note))
    for what, first_of, second_of in _dealt_with(a, b):
        found = _apart(what, first_of, second_of)
        if found:
            differing.append(Condition(what=what, a=found[0], b=found[1]))
        elif first_of and second_of:
            same.append(what)
    return differing, same


def _dealt_with(a: Session, b: Session) -> Iterator[tuple[str, dict[str, str], dict[str, str]]]:
    """What is set by name, in each: variables, torch's switches, the sizes of streams.

    Of what belongs to a probe only those that both ran. A matmul's shape is none of them: each run
    searches it anew.
    """
    first, second = dict(a.software.settings), dict(b.software.settings)
    if first and second:  # a session whose probes never opened the device knows none
        unset = dict.fromkeys({**first, **second}, NOT_SET)
        first, second = unset | first, unset | second
    yield SETTINGS, first, second
    yield FLAGS, *_both(_flags(a), _flags(b))
    yield SIZE, *_both(_sizes(a), _sizes(b))


def _both(a: dict[str, str], b: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    known = [name for name in a if name in b]
    return {n: a[n] for n in known}, {n: b[n] for n in known}


def _flags(session: Session) -> dict[str, str]:
    return {
        f"{m.probe} {name}": value for m in session.measured() for name, value in m.settings.items()
    }


def _sizes(session: Session) -> dict[str, str]:
    found = ((m, tensor_bytes(m)) for m in session.measured())
    return {session.label(m.probe): size_said(size, EXACT) for m, size in found if size}


def _apart(what: str, a: dict[str, str], b: dict[str, str]) -> tuple[str, str] | None:
    """Both sides of what differs, by name; of sizes one where it is that of all; else None."""
    names = sorted(name for name in a if name in b and a[name] != b[name])
    if not names:
        return None
    if what == SIZE and len({a[n] for n in names}) == len({b[n] for n in names}) == 1:
        return a[names[0]], b[names[0]]
    first, second = (
        ", ".join(
            shown(f"{n} {of[n]}" if of[n] == NOT_SET or " " in n else f"{n}={of[n]}") for n in names
        )
        for of in (a, b)
    )
    return first, second


def apart_of(unit: str) -> float:
    """Share by which two cards of one kind differ in a figure of this unit, without a cause."""
    return STREAMS_APART if unit == GBS else CARD_TO_CARD


def of_one_kind(a: Session, b: Session) -> bool:
    """Whether these are two cards of one name, not one card; two CPUs are never that."""
    first, second = a.device, b.device
    named = first.kind != "cpu" and first.name == second.name
    return named and same_card(a, b) is False


def _near(a: Value, b: Value, unit: str) -> bool:
    known = isinstance(a, float) and isinstance(b, float)
    return known and abs(a - b) <= ALIKE.get(unit, 0.0)  # type: ignore[operator]


def _told(session: Session) -> Mapping[tuple[str, str], Value]:
    """What a session says of its conditions, by name and unit."""
    device, software = session.device, session.software
    heat = [s.temp_c for m in session.measured() for s in session.between(m.begin_s, m.end_s)]
    known_c = [c for c in heat if c is not None]
    others = most_others_cores(session)
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
        ("roofwatch", ""): software.roofwatch,
        ("power limit", "W"): device.power_limit_w,
        (SM_CLOCK, "MHz"): device.sm_max_mhz,
        ("highest memory clock", "MHz"): device.mem_max_mhz,
        ("temperature", "°C"): float(median(known_c)) if known_c else None,
        (OTHER_WORK, "cores"): round(others, 1) if others is not None else None,
        ("MIG", ""): device.mig,
        ("ECC", ""): device.ecc,
        ("other processes", ""): None if device.processes is None else float(device.processes),
    }


def _holds(session: Session) -> bool:
    return any(m.protocol == "sustained" for m in session.measured())
