"""A session without what tells whose it is: no UUID, no host, no path, wherever they stand."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from roofwatch.session.events import AnyEvent, Sample, Series, SessionInfo

GONE = "(removed)"
UUID = re.compile(
    r"(?:(?:GPU|MIG|GPU-)[-/])?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE
)
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
    """The host and its cards' UUIDs, and the user's own name here, as whole words."""
    told: set[str] = set()
    for event in events:
        if isinstance(event, SessionInfo):
            devices = [d for d in (event.device, *event.neighbours) if d is not None]
            told |= {event.host or "", *(d.uuid or "" for d in devices)}
    told |= {name.partition(".")[0] for name in told if "." in name}
    told.add(Path(os.environ.get("HOME", "")).name)
    known = sorted((n for n in told if len(n) >= SHORTEST and n != "root"), key=len, reverse=True)
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
    out: AnyEvent = msgspec.convert(_scrubbed(told, names), type(event))
    return out


KEPT = ("kind", "schema", "id", "started_at", "probe", "suite", "nominal")
"""Fields of our own words and of the card's table, which hold slashes that are no path's."""


def _scrubbed(value: Any, names: re.Pattern[str] | None) -> Any:
    if isinstance(value, str):
        return clean(value, names)
    if isinstance(value, dict):
        return {
            clean(k, names): v if k in KEPT and _plain(v) else _scrubbed(v, names)
            for k, v in value.items()
        }
    if isinstance(value, list):
        return [_scrubbed(v, names) for v in value]
    return value


def _plain(value: Any) -> bool:
    return not isinstance(value, str) or clean(value) == value
