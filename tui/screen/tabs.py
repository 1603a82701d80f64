"""The row of tabs where one pane stands alone, and the rule over each that stands with others."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, Row, fit, width


def tabs(
    cells: int, active: int, names: Sequence[str], glyphs: Glyphs, short: Sequence[str] = ()
) -> Row:
    """The row of pane names, the open one in brackets.

    Short of room the lines between them go first, then the names are ``short`` ones, then those of
    the panes that are not open go.
    """
    return _ruled(_pieces(cells, active, names, glyphs, short or names), cells, glyphs)


def tab_at(
    x: int,
    cells: int,
    active: int,
    names: Sequence[str],
    glyphs: Glyphs,
    short: Sequence[str] = (),
) -> int | None:
    """The pane whose name stands at column ``x`` of that row."""
    begin = 0
    for i, piece in enumerate(_pieces(cells, active, names, glyphs, short or names)):
        end = begin + width([piece])
        if begin <= x < end:
            return i // 2 if i % 2 else None  # every other piece is a line
        begin = end
    return None


def _pieces(
    cells: int, active: int, names: Sequence[str], glyphs: Glyphs, short: Sequence[str]
) -> list[Piece]:
    """A line and a name for each pane."""
    pieces: list[Piece] = []
    for line, of, named in (
        (2, names, True),
        (1, names, True),
        (1, short, True),
        (1, names, False),
    ):
        pieces = []
        for i, name in enumerate(of):
            pieces.append((glyphs.horizontal * line, "axis"))
            if i == active:
                pieces.append((f"[{i + 1} {name}]", "tab"))
            else:
                pieces.append((f"{i + 1} {name}" if named else f"{i + 1}", "dim"))
        if width(pieces) <= cells:
            break
    return pieces


def rule(cells: int, number: int, name: str, glyphs: Glyphs, focused: bool) -> Row:
    """A rule with a pane's number and name; the one whose keys act is marked."""
    mark = glyphs.here if focused else " "
    title = f"{mark}{number} {name} "
    return _ruled(
        [(glyphs.horizontal * 2, "axis"), (title, "tab" if focused else "dim")], cells, glyphs
    )


def _ruled(pieces: Sequence[Piece], cells: int, glyphs: Glyphs) -> Row:
    line = glyphs.horizontal * max(0, cells - width(pieces))
    return fit((*pieces, (line, "axis")), cells)
