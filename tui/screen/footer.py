"""The last line: keys that do something here and now, and at its end what a recording is."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from rich.cells import cell_len

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.offer import Offer
from roofwatch.tui.drawing.rows_of_text import (
    Piece,
    Row,
    fit,
    row,
    spread,
    tail_of,
    width,
    words_of,
)

FIRST: tuple[Offer, ...] = (("q", "quit"), ("?", "help"))
PANES: Offer = ("1-9", "panes")
LAST: tuple[Offer, ...] = (("c", "check"), ("y", "copy"), ("s", "where saved"))
AGAIN: Offer = ("r", "run again")
AMONG: Offer = ("Tab", "keys to the next")
HOLDS: tuple[Offer, Offer] = (("Space", "pause"), ("Space", "go on"))  # of one that is paused
LEAST_PATH = 16  # cells of a path's end beside a note
TYPING: tuple[Offer, ...] = (
    ("Enter", "take it"),
    ("Esc", "leave it as it was"),
    ("{ud}", "take it, go on"),
)


def footer(
    cells: int,
    glyphs: Glyphs,
    offers: Sequence[Offer],
    note: str = "",
    state: str = "",
    where: str = "",
) -> Row:
    """The offers that fit whole, or a passing note in their place; ``state`` at the right end.

    Of a path behind the note (``where``) the end stands where it has no room for all of it.
    """
    if note:
        said = noted(shown(note), shown(where), cells - 2, glyphs)
        return fit(row((f" {said}", "strong")), cells)
    tail: list[Piece] = [(f" {state} ", "note")] if state else []
    room = cells - width(tail)
    pieces: list[Piece] = [(" ", "")]
    for key, what in offers:
        told = [(key.format(lr=glyphs.left_right, ud=glyphs.up_down), "key"), (f" {what}  ", "dim")]
        if width((*pieces, *told)) - 1 > room:
            break
        pieces += told
    if tail and width((*pieces, *tail)) >= cells:  # a blank at least between them
        pieces[-1] = (pieces[-1][0].rstrip(), pieces[-1][1])
    return spread(pieces, tail, cells) if tail else fit(pieces, cells)


def noted(note: str, where: str, cells: int, glyphs: Glyphs) -> str:
    """A note in so many cells; a path behind it keeps its end, which names the file."""
    if not where:
        return words_of(note, cells, glyphs.ellipsis)
    room = cells - cell_len(note) - 1
    if room < min(LEAST_PATH, cell_len(where)):
        return tail_of(where, cells, glyphs.ellipsis)
    return f"{note} {tail_of(where, room, glyphs.ellipsis)}"


def saved(path: Path | None, live: bool) -> tuple[str, str]:
    """Whether a session is kept or was read, and the whole path of its file."""
    home = os.path.expanduser("~")  # Path.home() raises where there is none
    where = shown(str(path).replace(home, "~", 1) if len(home) > 1 else str(path))
    return "saved as it happens:" if live else "read from", where
