"""A session in which every text holds what a terminal acts on, and what Rich takes for markup."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any

MARKUP = "[red]x[/red][@click=app.quit]q[/][/]:smile:"
HOSTILE = f"\x1b[2J\x1b]0;t\x07\n\r\t\x9b31m\u202e\u2066\u2028{MARKUP}"
STRUCTURE = frozenset(
    (
        *("kind", "schema", "severity", "edge", "protocol", "timing", "op", "dtype", "math"),
        *("accumulate", "peak_key", "unit", "suite", "hold", "variant", "stop", "instrument"),
        *("probe", "code", "root", "mistake", "origin", "source", "compute_capability"),
        *("currency", "out_dtype", "started_at", "layout"),
    )
)
"""Fields whose words decide what becomes of an event."""
LEAST = frozenset(("kind", "schema", "severity"))
"""Those without which no event is read."""


def hostile(lines: Iterable[str], keep: Collection[str] = STRUCTURE) -> list[str]:
    """The lines of a session, each text but those of the fields in ``keep`` made hostile."""
    return [json.dumps(_in(json.loads(line), keep)) for line in lines]


def _in(value: Any, keep: Collection[str]) -> Any:
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, list):
        return [_in(each, keep) for each in value]
    if isinstance(value, dict):
        told = {n: v if n in keep else _in(v, keep) for n, v in value.items()}
        for name in ("evidence", "settings", "status"):
            if isinstance(told.get(name), dict):
                told[name][HOSTILE] = HOSTILE
        return told
    return value
