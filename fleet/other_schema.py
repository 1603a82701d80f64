"""Which version of the record a rank hands in, where that is not this one's."""

from __future__ import annotations

import msgspec

from roofwatch.session.events import UNDECODABLE
from roofwatch.session.fleet.lines import RankLine
from roofwatch.session.record import SCHEMA


class _Schema(msgspec.Struct):
    schema: str = ""


_schema = msgspec.json.Decoder(_Schema | None)


def other_schema(line: RankLine) -> str:
    """What a record says it is, where that is another than this version's; else nothing."""
    try:
        said = _schema.decode(line.record)
    except UNDECODABLE:
        return ""
    other = said is not None and said.schema not in ("", SCHEMA)
    return said.schema[:60] if said is not None and other else ""
