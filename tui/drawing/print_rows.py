"""Rows of styled text printed to a stream, without a screen."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TextIO

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.ascii_signs import in_ascii
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.micro import micro
from roofwatch.tui.drawing.rows_of_text import Row, text_of

MOST_COLUMNS = 120


def columns(stream: TextIO) -> int:
    """Columns to print into: the terminal's, at most 120; 80 where there is none."""
    try:
        return max(60, min(MOST_COLUMNS, os.get_terminal_size(stream.fileno()).columns))
    except (OSError, ValueError):
        return 80


def _plain(text: str, glyphs: Glyphs) -> str:
    """The text; whoever forgot control characters, or our own signs in ASCII, is forgiven here."""
    text = text if text.isprintable() else shown(text)
    return in_ascii(text) if glyphs is ASCII else text


def print_rows(rows: Sequence[Row], stream: TextIO, glyphs: Glyphs) -> None:
    """Print rows: coloured on a terminal (NO_COLOR is honoured), plain text elsewhere.

    ``glyphs`` are what the stream can show: microseconds are ``µs`` where it can.
    """
    rows = micro(rows, glyphs)
    if not stream.isatty() or os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        for r in rows:
            stream.write(_plain(text_of(r), glyphs).rstrip() + "\n")
        stream.flush()
        return
    from rich.console import Console  # a pipe needs neither
    from rich.text import Text

    from roofwatch.tui.drawing.palette import style

    console = Console(file=stream, highlight=False, soft_wrap=True)
    for r in rows:
        line = Text()
        for text, name in r:
            line.append(_plain(text, glyphs), style(name))
        line.rstrip()
        console.print(line)
