"""Rows of styled text, the currency of every pane: pure, no Textual, so that plots test as text.

A row is a tuple of (text, style name) pieces. Style names are resolved by palette.py only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len, chop_cells, set_cell_size

from roofwatch.session.printable import shown

Piece = tuple[str, str]
Row = tuple[Piece, ...]

KEPT = "\xa0"
UNIT = re.compile(
    r"(?<=\d) (?=(?:%|W|MHz|TOPS|[nuµm]?s|[KMGT]i?B|[GT]B/s|[GT]FLOP(?:/s)?|FLOP/byte)(?!\w))"
)
STAYS_BEHIND = frozenset("。，、；：！？）」』】》〉〕］｝”’…—～·,.;:!?)]}%")
STAYS_BEFORE = frozenset("（「『【《〈〔［｛“‘([{")
"""Marks that no line of Chinese may begin with, or end with."""


def row(*pieces: Piece | str) -> Row:
    """A row; a bare string is plain text."""
    return tuple((p, "") if isinstance(p, str) else p for p in pieces)


def width(pieces: Iterable[Piece]) -> int:
    """Cells that a row takes."""
    return sum(cell_len(text) for text, _ in pieces)


def fit(pieces: Sequence[Piece], cells: int, filled: str = "") -> Row:
    """A row of exactly ``cells`` cells: cut, or filled with blanks in the style ``filled``."""
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
        out.append((" " * left, filled))
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


def head_of(text: str, cells: int, ellipsis: str) -> str:
    """The beginning of a text that is longer than its room, with a sign that it goes on."""
    if cell_len(text) <= cells:
        return text
    room = max(0, cells - cell_len(ellipsis))
    return set_cell_size(text, room).rstrip() + ellipsis


def words_of(text: str, cells: int, ellipsis: str) -> str:
    """The same, ending with a whole word: no figure loses a digit."""
    if cell_len(text) <= cells:
        return text
    lines = broken(text, cells - cell_len(ellipsis) - 1) or [""]
    lead = text[: len(text) - len(text.lstrip())]
    return f"{lead}{lines[0]} {ellipsis}" if len(lines) > 1 else head_of(text, cells, ellipsis)


def tail_of(text: str, cells: int, ellipsis: str) -> str:
    """The end of such a text, with the sign before it."""
    if cell_len(text) <= cells:
        return text
    room = max(2, cells - cell_len(ellipsis))
    return ellipsis + chop_cells(text[::-1], room)[0][::-1]


def broken(text: str, cells: int) -> list[str]:
    """``text`` in lines of at most ``cells``: between words, and between wide characters.

    A number keeps its unit."""
    cells = max(2, cells)
    lines: list[str] = []
    line = ""
    words = UNIT.sub(KEPT, " ".join(shown(text).split())).split(" ") if text else []
    for word in words:
        gap = " " if line else ""
        for part in _parts(word, cells):
            longer = line + gap + part
            if line and cell_len(longer) > cells:
                lines.append(line)
                longer = part
            line, gap = longer, ""
    return [one.replace(KEPT, " ") for one in [*lines, line] if one]


def _parts(word: str, cells: int) -> list[str]:
    """Pieces of a word between which a line may end; none is longer than a line."""
    if word.isascii() and len(word) <= cells:
        return [word]
    parts: list[str] = []
    for char in word:
        if parts and not _may_part(parts[-1][-1], char):
            parts[-1] += char
        else:
            parts.append(char)
    return [
        piece
        for part in parts
        for piece in ([part] if cell_len(part) <= cells else chop_cells(part, cells))
    ]


def _may_part(before: str, after: str) -> bool:
    """Whether a line may end between two neighbouring characters that no space parts."""
    if after in STAYS_BEHIND or before in STAYS_BEFORE or not cell_len(after):
        return False
    return cell_len(before) == 2 or cell_len(after) == 2


def wrapped(text: str, cells: int, style: str = "", head: str = "") -> list[Row]:
    """``text`` in rows of at most ``cells``; ``head`` stands before the first row only."""
    return [((before + line, style),) for before, line in _hanging(text, cells, head)]


def hung(head: str, text: str, cells: int, style: str = "", of_head: str = "dim") -> list[Row]:
    """The same with a head in a style of its own."""
    return [((before, of_head), (line, style)) for before, line in _hanging(text, cells, head)]


def _hanging(text: str, cells: int, head: str) -> list[tuple[str, str]]:
    size = cell_len(head)
    lines = broken(text, cells - size) or ([""] if head else [])
    return [(" " * size if i else head, line) for i, line in enumerate(lines)]
