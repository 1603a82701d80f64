"""A session without what tells whose it is: no UUID, no host, no path, wherever they stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from roofwatch.session.events import AnyEvent, Sample, Series, SessionInfo

GONE = "(removed)"
UUID = re.compile(r"(?:MIG-)?(?:GPU-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
BUS = re.compile(r"\b(?:[0-9a-f]{4,8}:)?[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\b", re.IGNORECASE)
ADDRESS = re.compile(r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b(?!\.\d)")
QUOTED = re.compile(r"""(["'])(?:~|\.{1,2}|[A-Za-z]:)?[/\\][^"'\n]*\1""")
PATH = re.compile(r"(?<![\w<])(?:~\w*|\.{1,2}|[A-Za-z]:)?[/\\][\w.@+~%-][^\s\"'`,;:()\[\]{}<>|]*")
"""A path begins with a slash that follows no word: GB/s and read/write are none."""
SHORTEST = 2  # characters of a name that is looked for in other text


def anonymous(events: Iterable[AnyEvent]) -> Iterator[AnyEvent]:
    """The same events without UUIDs, the host's name and paths, also inside notes and logs.

    Names are learned from the whole session first, so that a line which came before is clean too.
    """
    kept = list(events)
    names = _names(kept)
    for event in kept:
        if isinstance(event, Series) or (isinstance(event, Sample) and not event.status):
            yield event  # numbers only, and most of a file
        else:
            yield _cleaned(event, names)


def clean(text: str, names: re.Pattern[str] | None = None) -> str:
    """A text without such strings; ``names`` finds those that only a session can tell."""
    text = QUOTED.sub(rf"\g<1>{GONE}\g<1>", text)
    for found in (UUID, BUS, ADDRESS, PATH):
        text = found.sub(GONE, text)
    return names.sub(GONE, text) if names is not None else text


def _names(events: Iterable[AnyEvent]) -> re.Pattern[str] | None:
    """The host's name, long and short, and its cards' UUIDs, as whole words."""
    told: set[str] = set()
    for event in events:
        if isinstance(event, SessionInfo):
            devices = [d for d in (event.device, *event.neighbours) if d is not None]
            told |= {event.host or "", *(d.uuid or "" for d in devices)}
    return words_of(told)


def words_of(names: Iterable[str]) -> re.Pattern[str] | None:
    """Finds names as whole words, the longest first; of a host's full name the short one too."""
    told = set(names)
    told |= {name.partition(".")[0] for name in told if "." in name}
    known = sorted((n for n in told if len(n) >= SHORTEST), key=len, reverse=True)
    if not known:
        return None
    # Not inside a word: a host called vm is no part of nvml.
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, known))})(?![^\W_])", re.IGNORECASE)


def _cleaned(event: AnyEvent, names: re.Pattern[str] | None) -> AnyEvent:
    told = msgspec.to_builtins(event)
    if isinstance(event, SessionInfo):
        told.pop("host", None)
        for device in (told.get("device"), *told.get("neighbours", [])):
            if device is not None:
                device.pop("uuid", None)
    out: AnyEvent = msgspec.convert(scrubbed(told, names), type(event))
    return out


FREE = frozenset(
    {
        *("text", "what", "log", "why", "message", "do", "evidence", "note", "subject", "command"),
        *("settings", "models", "status", "software", "cpu", "name"),
    }
)
"""Fields that hold text of others; only there a host's name is looked for.

A host may be called cuda or table, and such words mean something else in every other field.
"""


def scrubbed(value: Any, names: re.Pattern[str] | None, free: bool = False) -> Any:
    """Every text in it clean; what ``names`` finds goes from the fields of others' text alone."""
    if isinstance(value, str):
        return clean(value, names if free else None)
    if isinstance(value, dict):
        return {
            clean(k, names if free else None): scrubbed(v, names, free or k in FREE)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [scrubbed(v, names, free) for v in value]
    return value
