"""Markdown on stdout, with the signs that the terminal or ``--ascii`` leave."""

from __future__ import annotations

import sys

from roofwatch.session.markdown_lists import NOTE_MARK
from roofwatch.tui.drawing.ascii_signs import in_ascii
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs

NOTED = f"\n- {NOTE_MARK} "


def print_markdown(text: str, glyphs: Glyphs) -> None:
    """Write it. In ASCII a note has no mark: a hyphen would begin a list within the list."""
    if glyphs is ASCII:
        text = in_ascii(text.replace(NOTED, "\n- "))
    sys.stdout.write(text)
    sys.stdout.flush()
