"""Folded sessions without their hosts' names, paths and addresses: in what others wrote, alone.

A host may be called bandwidth or decode. What a table or a sentence of ours says stays whole, as it
is put together from fields that are clean.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec

from roofwatch.session.anonymous import FREE, OWN, clean, names_in
from roofwatch.session.card_events import CardEvents
from roofwatch.session.fold import Session
from roofwatch.session.people import people_in, texts_of

T = TypeVar("T", Session, CardEvents)
NUMBERS = frozenset({"samples", "series", "spans", "_of_neighbours"})
"""Attributes of a session without a word in them, and most of it."""

KNOWN_BY = frozenset({"host", "uuid"})
"""What tells machines and cards from each other. No page prints it."""


def nameless(sessions: Sequence[Session]) -> list[Session]:
    """The same sessions to be read and not gone on with; a name of one is none in all of them."""
    texts = (v for one in sessions for name, v in vars(one).items() if name not in NUMBERS)
    names = names_in(sessions, people_in(texts_of([*texts])))
    return [_session(one, names) for one in sessions]


def _session(session: Session, names: re.Pattern[str] | None) -> Session:
    out = _attributes(session, names)
    out._merged = None  # what was cached is made of what is clean
    return out


def _attributes(of: T, names: re.Pattern[str] | None) -> T:
    out = copy.copy(of)
    for name, value in vars(of).items():
        if name not in NUMBERS and name not in KNOWN_BY:
            setattr(out, name, _cleaned(value, names, name in FREE))
    return out


def _cleaned(value: Any, names: re.Pattern[str] | None, free: bool) -> Any:
    """The value, itself where nothing in it goes: measurements are known by what they are."""
    if isinstance(value, str):
        return clean(value, names if free else None)
    if isinstance(value, msgspec.Struct):
        names = None if isinstance(value, OWN) else names
        changed = {}
        for field in value.__struct_fields__:
            told = getattr(value, field)
            if field in KNOWN_BY:
                continue
            said = _cleaned(told, names, free or field in FREE)
            if said is not told and said != told:
                changed[field] = said
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, dict):
        return {k: _cleaned(v, names, free or k in FREE) for k, v in value.items()}
    if isinstance(value, list | tuple):
        if all(isinstance(v, int | float) for v in value):
            return value  # times, say, and many
        return type(value)(_cleaned(v, names, free) for v in value)
    return _attributes(value, names) if isinstance(value, CardEvents) else value
