"""The bytes of a trace: a plain or a gzipped file, bounded; told apart by how they begin."""

from __future__ import annotations

import zlib
from pathlib import Path

from roofwatch.session.own_file import refuse_pipe
from roofwatch.session.own_kind import own_kind
from roofwatch.trace.refusal import UnreadableTrace

LIMIT_BYTES = 4 << 30
"""Of a trace as it is unpacked: a few million events; a small file may unpack to any size."""
PIECE = 1 << 22
GZIP, SQLITE = b"\x1f\x8b", b"SQLite format 3\x00"
BLANK = b" \t\r\n"
BOM = b"\xef\xbb\xbf"


def is_sqlite(path: Path) -> bool:
    """Whether a file is a database, by its first bytes.

    Raises:
        UnreadableTrace: it cannot be opened: missing, a folder, a pipe that nobody writes.
    """
    try:
        refuse_pipe(path)
        if not path.is_file():  # a pipe that the shell has opened is read once
            return False
        with path.open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except OSError as error:
        raise UnreadableTrace(f"{path}: {error.strerror or error}") from None
    except ValueError as error:  # a path with a null byte
        raise UnreadableTrace(f"{path}: {error}") from None


def json_bytes(path: Path, limit: int = LIMIT_BYTES) -> bytes | bytearray:
    """The JSON of a trace, unpacked.

    Raises:
        UnreadableTrace: it cannot be read, is cut off, is too long, or does not begin as JSON.
    """
    try:
        with path.open("rb") as file:
            first = file.read(PIECE)
            if first.startswith(GZIP):
                return _unpacked(path, first, file.read, limit)
            _begins(path, first)
            size = path.stat().st_size
            if size > limit:
                raise UnreadableTrace(f"{path}: more than {_said(limit)}")
            rest = file.read(limit + 1 - len(first))
    except OSError as error:
        raise UnreadableTrace(f"{path}: {error.strerror or error}") from None
    except MemoryError:
        raise UnreadableTrace(f"{path}: more than this machine's memory holds") from None
    if len(first) + len(rest) > limit:
        raise UnreadableTrace(f"{path}: more than {_said(limit)}")
    return first + rest if rest else first


def _unpacked(path: Path, first: bytes, more: object, limit: int) -> bytearray:
    assert callable(more)
    out = bytearray()
    piece, unpacker = first, zlib.decompressobj(wbits=31)
    while True:
        try:
            while piece:
                got = unpacker.decompress(piece, PIECE)
                piece = unpacker.unconsumed_tail
                if not out:
                    _begins(path, got)
                out += got
                if len(out) > limit:
                    raise UnreadableTrace(f"{path}: unpacks to more than {_said(limit)}")
                if unpacker.eof and (tail := unpacker.unused_data.lstrip(b"\0")):
                    piece, unpacker = tail, zlib.decompressobj(wbits=31)  # one member more
                elif unpacker.eof:
                    break
        except zlib.error as error:
            raise UnreadableTrace(f"{path}: no gzip that can be unpacked: {error}") from None
        if not (piece := more(PIECE)):
            break
    if not unpacker.eof:
        said = f"the gzip is cut off after {len(out)} bytes of its contents"
        raise UnreadableTrace(f"{path}: {said}")
    return out


def _begins(path: Path, head: bytes) -> None:
    """A trace is an object or a list: what begins otherwise is not read to its end."""
    text = head.removeprefix(BOM).lstrip(BLANK)
    if not text:
        raise UnreadableTrace(f"{path}: empty" if len(head) < PIECE else f"{path}: only blanks")
    own = own_kind(text, "a profiler's trace")
    if own is not None:
        raise UnreadableTrace(f"{path}: {own}")
    if text[:1] not in b"{[":
        raise UnreadableTrace(f"{path}: no trace: neither JSON, nor gzip, nor SQLite")


def _said(limit: int) -> str:
    return f"{limit >> 30} GiB" if limit >= 1 << 30 else f"{limit >> 20} MiB"
