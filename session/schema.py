"""Which schema a session file is of: whether this version may read what stands in it.

Fields and kinds are added within a schema: a reader leaves out what it does not know. Another
number means that what is known may mean something else: such a file is refused, never guessed at.
"""

from __future__ import annotations

import msgspec

from roofwatch.session.events import SCHEMA, UNDECODABLE
from roofwatch.session.program import PROGRAM

NO_SESSION = "not a roofwatch session"
FLEET = "roofwatch.fleet"  # the family of session/fleet/lines.py
FLEETS = f"it is a fleet's file, which {PROGRAM} show reads"


class _First(msgspec.Struct):
    schema: str | None = None


_decoder = msgspec.json.Decoder(_First)


def refusal(schema: str | None, read: str = SCHEMA, none: str = NO_SESSION) -> str | None:
    """Why a file whose first line names this schema cannot be read; None where it can.

    ``read`` is the schema that this version reads of such files, ``none`` what is said of others.
    """
    own_family, _, own = read.rpartition("/")
    family, _, number = (schema or "").rpartition("/")
    if family != own_family:
        return f"{none}: {FLEETS}" if family == FLEET else f"{none} (no schema)"
    if number.partition(".")[0] == own:
        return None
    return f"schema {(schema or '')[:60]} is of another roofwatch; this one reads {read}"


def is_of_session(line: bytes) -> bool:
    """Whether a first line names the schema that this version reads, whatever else it says."""
    try:
        schema = _decoder.decode(line).schema
    except UNDECODABLE:
        return False
    return schema is not None and refusal(schema) is None


def refusal_of(line: bytes) -> str | None:
    """The same of a first line that is no event we know; None where its schema is not to blame."""
    try:
        schema = _decoder.decode(line).schema
    except UNDECODABLE:
        return None
    return refusal(schema) if schema is not None else None
