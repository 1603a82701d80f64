"""Rows of styled text, the currency of every pane: pure, no Textual, so that plots test as text.

A row is a tuple of (text, style name) pieces. Style names are resolved by tui/palette.py only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.cells import cell_len, set_cell_size

from roofwatch.session.printable import shown

Piece = tuple[str, str]
Row = tuple[Piece, ...]


def row(*pieces: Piece | str) -> Row:
    """A row; a bare string is plain text."""
    return tuple((p, "") if isinstance(p, str) else p for p in pieces)


def width(pieces: Iterable[Piece]) -> int:
    """Cells that a row takes."""
    return sum(cell_len(text) for text, _ in pieces)


def fit(pieces: Sequence[Piece], cells: int) -> Row:
    """A row of exactly ``cells`` cells: cut, or filled with blanks."""
    out: list[Piece] = []
    left = max(0, cells)
    for text, style in pieces:
        size = cell_len(text)
        if size > left:
            out.append((set_cell_size(text, left), style))
            left = 0
            break
        out.append((text, style))
        left -= size
    if left:
        out.append((" " * left, ""))
    return tuple(out)


def spread(left: Sequence[Piece], right: Sequence[Piece], cells: int) -> Row:
    """``left`` and ``right`` at the two ends; the right one gives way when both do not fit."""
    gap = cells - width(left) - width(right)
    if gap < 1:
        return fit(left, cells)
    return fit((*left, (" " * gap, ""), *right), cells)


def text_of(pieces: Iterable[Piece]) -> str:
    """A row without its styles."""
    return "".join(text for text, _ in pieces)


def page(rows: Sequence[Sequence[Piece]], cells: int, height: int) -> list[Row]:
    """Exactly ``height`` rows of ``cells`` cells."""
    out = [fit(r, cells) for r in rows[:height]]
    out += [fit((), cells)] * (height - len(out))
    return out


def wrapped(text: str, cells: int, style: str = "", head: str = "") -> list[Row]:
    """Words of ``text`` in rows of at most ``cells``; ``head`` stands before the first row only."""
    rows: list[Row] = []
    blank = " " * cell_len(head)
    line = ""
    for word in shown(text).split():
        if line and cell_len(f"{head}{line} {word}") > cells:
            rows.append((((blank if rows else head) + line, style),))
            line = word
        else:
            line = f"{line} {word}" if line else word
    if line or head:
        rows.append((((blank if rows else head) + line, style),))
    return rows
