"""Which of our own files a text is, by how it begins: for verbs that take other people's files."""

from __future__ import annotations

import re

HEAD = 512  # bytes in which the schema stands
SCHEMA = re.compile(rb'\s*\{[^{}]*"schema"\s*:\s*"roofwatch\.(session|fleet|record)/')
CALLED = {
    b"session": "a saved session",
    b"fleet": "a fleet's file",
    b"record": "the record of a session",
}
SHOWN = {b"session": "roofwatch show takes it", b"fleet": "roofwatch show takes it"}


def own_kind(head: bytes, wanted: str) -> str | None:
    """What a file of ours is, where ``wanted`` was: a sentence; None for any other file."""
    found = SCHEMA.match(head.removeprefix(b"\xef\xbb\xbf")[:HEAD])
    if found is None:
        return None
    shown = SHOWN.get(found[1])
    return f"{CALLED[found[1]]}, not {wanted}" + (f": {shown}" if shown else "")
