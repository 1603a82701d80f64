"""Rows for a terminal that is too small: what does not fit whole is left out, and counted."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, head_of, page, row, width

CUT = ".."  # of a word that has no room: the same in every terminal


def shortened(
    rows: Sequence[Sequence[Piece]], cells: int, height: int, reach: str = ""
) -> list[Row]:
    """Exactly ``height`` rows; the last says how many do not fit, and the key ``reach`` to them."""
    if len(rows) > height > 0:
        told = f" {len(rows) - height + 1} more"
        longer = f"{told}: {reach}" if reach else told
        rows = [*rows[: height - 1], row((longer if len(longer) <= cells else told, "dim"))]
    return page(rows, cells, height)


def shortened_from(
    first: int, rows: Sequence[Sequence[Piece]], cells: int, height: int, reach: str
) -> list[Row]:
    """The same from row ``first`` on, as far as there are so many."""
    return shortened(rows[min(max(0, first), most_first(rows, height)) :], cells, height, reach)


def most_first(rows: Sequence[Sequence[Piece]], height: int) -> int:
    """The last row from which on they can be shown: beyond it nothing more comes into view."""
    return max(0, len(rows) - height)


def parts(cells: int, *pieces: Piece) -> Row:
    """The first piece, and as many after it as fit whole; a tail that does not is left out."""
    out: list[Piece] = []
    for piece in pieces:
        if out and width([*out, piece]) > cells:
            break
        out.append(piece)
    return fit(out, cells)


def labelled(
    label: str, size: int, value: str, tails: Sequence[str], cells: int, style: str = ""
) -> Row:
    """A label in ``size`` cells and a value with the first of its tails that there is room for."""
    head = f" {label:<{size - 1}}"
    room = cells - len(head) - len(value)
    tail = next((t for t in tails if len(t) <= room), "")
    return row((head, "dim"), (head_of(value, cells - len(head), CUT), style), (tail, ""))
