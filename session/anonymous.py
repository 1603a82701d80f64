"""A session without what tells whose it is: no UUID, no host, no path, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from roofwatch.session import private_text
from roofwatch.session.events import AnyEvent, Device, Expect, Sample, Series, SessionInfo
from roofwatch.session.fold import Session
from roofwatch.session.people import people_in, texts_of
from roofwatch.session.private_path import GONE
from roofwatch.session.stand_ins import StandIns

SHORTEST = 2  # characters of a name that is looked for in other text


def anonymous(events: Iterable[AnyEvent], stand_ins: StandIns | None = None) -> Iterator[AnyEvent]:
    """The same events without UUIDs, the host's name and paths, also inside notes and logs.

    Names are learned from the whole session first, so that a line which came before is clean too.
    Something stands for each host and UUID, so that what is one card stays one: over several
    sessions where they share ``stand_ins``.
    """
    kept = list(events)
    names = _names(kept)
    stand_ins = stand_ins or StandIns()
    for event in kept:
        if _of_numbers(event):
            yield event
        else:
            yield _cleaned(event, names, stand_ins)


def clean(text: str, names: re.Pattern[str] | None = None) -> str:
    """A text without such strings; ``names`` finds those that only a session can tell."""
    text = private_text.clean(text)
    return names.sub(GONE, text) if names is not None else text


def names_in(sessions: Iterable[Session], people: set[str]) -> re.Pattern[str] | None:
    """Finds these people, and the hosts and cards that sessions, folded as they are, tell."""
    machines = ((s.host, (s.device, *s.neighbours, *s.visible)) for s in sessions)
    return _words(machines, people)


def _names(events: list[AnyEvent]) -> re.Pattern[str] | None:
    told = (e for e in events if isinstance(e, SessionInfo))
    machines = ((e.host, (e.device, *e.neighbours, *e.visible)) for e in told)
    return _words(machines, people_in(texts_of([e for e in events if not _of_numbers(e)])))


def _of_numbers(event: AnyEvent) -> bool:
    """Whether it has no text of others, as most of a file."""
    return isinstance(event, Series) or (isinstance(event, Sample) and not event.status)


def _words(
    machines: Iterable[tuple[str | None, Iterable[Device | None]]], people: set[str]
) -> re.Pattern[str] | None:
    """The hosts' names, long and short, their cards' UUIDs and people, as whole words."""
    told, public = set(people), set[str]()
    for host, devices in machines:
        told.add(host or "")
        for device in devices:
            if device is not None:
                told.add(device.uuid or "")
                public.add(device.name or "")
    return words_of(told, public)


def words_of(told: set[str], public: set[str]) -> re.Pattern[str] | None:
    """Finds names; those of a Slurm list (``gpu[17-18]``) too. A card's name is no secret."""
    told = told | {name.partition(".")[0] for name in told if "." in name}
    words = {word.lower() for name in public for word in re.findall(r"\w+", name)}
    known = sorted((n for n in told if len(n) >= SHORTEST and n.lower() not in words), key=len)
    if not known:
        return None
    stems = {n.rstrip("0123456789") for n in known if n[-1].isdigit()}
    either = [
        *map(re.escape, reversed(known)),
        *(rf"{re.escape(s)}\[[\d,-]+\]" for s in stems if s),
    ]
    # Not inside a word: a host called vm is no part of nvml.
    # Whoever is at a host goes with it, also where the host's name alone would be none (b@16).
    login = r"(?:[\w.+-]{1,64}@)?"
    return re.compile(rf"(?<![^\W_]){login}(?:{'|'.join(either)})(?![^\W_])", re.IGNORECASE)


def _cleaned(event: AnyEvent, names: re.Pattern[str] | None, stand_ins: StandIns) -> AnyEvent:
    told = scrubbed(msgspec.to_builtins(event), None if isinstance(event, OWN) else names)
    if isinstance(event, SessionInfo):
        if event.host:
            told["host"] = stand_ins.of(event.host)
        devices = (told.get("device"), *told.get("neighbours", []), *told.get("visible", []))
        whole = (event.device, *event.neighbours, *event.visible)
        for device, known in zip(devices, whole, strict=True):
            if device is not None and known is not None and known.uuid:
                device["uuid"] = stand_ins.of(known.uuid)
    out: AnyEvent = msgspec.convert(told, type(event))
    return out


FREE = frozenset(
    {
        *("text", "what", "log", "why", "message", "do", "evidence", "note", "subject", "command"),
        *("settings", "models", "status", "software", "cpu", "name", "currency"),
    }
)
"""Fields that hold text of others; only there a host's name is looked for.

A host may be called cuda or table, and such words mean something else in every other field.
"""

OWN = (Expect,)
"""Events in which every word is ours: a host may be called torch, or nominal."""


def scrubbed(value: Any, names: re.Pattern[str] | None, free: bool = False) -> Any:
    """Every text in it clean; what ``names`` finds goes from the fields of others' text alone."""
    if isinstance(value, str):
        return clean(value, names if free else None)
    if isinstance(value, dict):
        return {
            clean(k): scrubbed(v, names, free or k in FREE)  # a key is a name of ours
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [scrubbed(v, names, free) for v in value]
    return value
