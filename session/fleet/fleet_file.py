"""A fleet's file: read line by line, and told from a session's by its first line."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec

from roofwatch.session.events import UNDECODABLE
from roofwatch.session.file import UnreadableSession, lines, sessions_folder
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import KINDS, SCHEMA, AnyLine, Header
from roofwatch.session.own_file import refuse_pipe
from roofwatch.session.schema import refusal

HEAD_BYTES = 4096
NO_FLEET = "not a roofwatch fleet"


class _Kind(msgspec.Struct):
    kind: str


class _First(msgspec.Struct):
    kind: str
    schema: str


_decoder: msgspec.json.Decoder[AnyLine] = msgspec.json.Decoder(AnyLine)
_kind = msgspec.json.Decoder(_Kind)
_first = msgspec.json.Decoder(_First)  # that it is a fleet's, whatever else is damaged


def fleets_folder() -> Path:
    """Beside that of the sessions.

    Raises:
        SaveRefused: there is no home folder.
    """
    return sessions_folder().parent / "fleets"


def is_fleet(path: Path) -> bool:
    """Whether a file says in its first line that it is a fleet's; what cannot be read is none."""
    try:
        refuse_pipe(path)
        with path.open("rb") as file:
            if not file.seekable():
                return False
            first = file.readline(HEAD_BYTES)
        return _first.decode(first).kind == Header.__struct_config__.tag
    except (OSError, ValueError, RecursionError):
        return False


def read_fleet(path: Path) -> Fleet:
    """The fold of a file; a torn last line is left out, lines of a newer version are too.

    Raises:
        UnreadableSession: naming file, row and field.
    """
    fleet = Fleet()
    for _ in folded(path, fleet, fleet_lines):
        pass
    return fleet


def folded(
    path: Path, fleet: Fleet, lines_of: Callable[[Path], Iterable[tuple[int, AnyLine]]]
) -> Iterator[AnyLine]:
    """Each of the lines, once ``fleet`` has taken it. Raises as ``read_fleet`` does."""
    for row, line in lines_of(path):
        try:
            fleet.add(line)
        except UNDECODABLE as error:
            raise UnreadableSession(f"{path}: row {row}: record: {error}") from None
        yield line


def fleet_lines(path: Path) -> Iterator[tuple[int, AnyLine]]:
    """Each line that this version knows, with its row. Raises as ``read_fleet`` does."""
    empty = True
    for row, raw in lines(path):
        try:
            raw.decode()  # a record is kept as it came, and the decoder does not look into it
            line = _decoder.decode(raw)
        except (msgspec.ValidationError, UnicodeDecodeError) as error:
            if row > 1 and _newer(raw):
                continue
            raise UnreadableSession(f"{path}: row {row}: {error}") from None
        except (msgspec.DecodeError, RecursionError) as error:
            raise UnreadableSession(f"{path}: row {row}: not a line of a fleet ({error})") from None
        if row == 1:
            schema = line.schema if isinstance(line, Header) else None
            if said := refusal(schema, SCHEMA, NO_FLEET):
                raise UnreadableSession(f"{path}: row 1: {said}")
        if row > 1 and isinstance(line, Header):
            raise UnreadableSession(f"{path}: row {row}: a second fleet begins here")
        empty = False
        yield row, line
    if empty:
        raise UnreadableSession(f"{os.fspath(path)}: row 1: {NO_FLEET} (no whole line)")


def _newer(raw: bytes) -> bool:
    try:
        return _kind.decode(raw).kind not in KINDS
    except UNDECODABLE:
        return False
