"""The file of numbers that a person hands in: read whole, refused in one line."""

from __future__ import annotations

import codecs
import os
import sys
from pathlib import Path

from roofwatch.roofline.toml_text import one_line
from roofwatch.session.own_file import refuse_pipe
from roofwatch.session.own_kind import own_kind

LIMIT_BYTES = 256 << 20  # a million rows; a device file is endless
BINARY = 0.05  # of a file's beginning in null bytes: it is none of text
STDIN = "-"


class UnreadableNumbers(ValueError):
    """A file of numbers cannot be read; one line that names it."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


def read_numbers(name: str) -> str:
    """The text of ``name``, ``-`` for standard input. Bytes that are no UTF-8 become surrogates.

    Raises:
        UnreadableNumbers: missing, a directory, too long, or no text.
    """
    try:
        if name == STDIN:
            if sys.stdin is None:
                raise UnreadableNumbers("standard input is closed")
            data = sys.stdin.buffer.read(LIMIT_BYTES + 1)
        else:
            refuse_pipe(Path(name))
            with Path(name).open("rb") as file:
                data = file.read(LIMIT_BYTES + 1)
    except OSError as error:
        raise UnreadableNumbers(f"{name}: {error.strerror or error}") from None
    except ValueError as error:
        if isinstance(error, UnreadableNumbers):
            raise
        raise UnreadableNumbers(f"{name}: {error}") from None  # a path with a null byte
    return _text(data, said_name(name))


def said_name(name: str) -> str:
    """What a file of numbers is called in a message."""
    return "standard input" if name == STDIN else os.fspath(name)


def _text(data: bytes, name: str) -> str:
    if len(data) > LIMIT_BYTES:
        raise UnreadableNumbers(f"{name}: more than {LIMIT_BYTES >> 20} MiB")
    own = own_kind(data, "numbers to check")
    if own is not None:
        raise UnreadableNumbers(f"{name}: {own}")
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        try:
            text = data.decode("utf-16")
        except UnicodeDecodeError:
            raise UnreadableNumbers(f"{name}: no text") from None
    elif data[:4096].count(0) > BINARY * len(data[:4096]):
        raise UnreadableNumbers(f"{name}: no text: it holds null bytes")
    else:
        text = data.decode("utf-8-sig", "surrogateescape")
    if not text.strip():
        raise UnreadableNumbers(f"{name}: no rows in it")
    return text
