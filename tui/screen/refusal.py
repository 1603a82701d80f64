"""A session that cannot be read, in the one line that there is room for."""

from __future__ import annotations

from pathlib import Path

from rich.cells import cell_len

from roofwatch.session.file import LONGEST_NAME, UnreadableSession
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import tail_of

LEAST_NAME = 16  # cells of a file's name beside a long reason


def refused(error: UnreadableSession, cells: int, glyphs: Glyphs, *paths: Path) -> str:
    """Which of these files cannot be read, and why: its name gives way to the reason."""
    said = str(error)
    path = next((p for p in paths if said.startswith(str(p)[:LONGEST_NAME])), paths[0])
    why = shown(said[min(len(str(path)), LONGEST_NAME) :].partition(": ")[2])
    room = max(LEAST_NAME, cells - cell_len(why) - 4)
    return f"{tail_of(shown(path.name), room, glyphs.ellipsis)}: {why}"
