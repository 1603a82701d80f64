"""What stands on the terminal, and an update of it as the fewest bytes that make it so.

Textual writes a changed line from its widget's left edge on, each piece with its whole style and a
reset. Over a slow link that is ten times what has changed. Here every cell that was sent is
remembered, and only those that differ are sent, each style once and as what changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import repeat

from rich.cells import cell_len
from rich.color import ColorSystem
from rich.console import Console
from rich.style import Style
from textual._compositor import ChopsUpdate, CompositorUpdate, LayoutUpdate
from textual.geometry import Size
from textual.strip import Strip

Cell = tuple[str, Style]
BLANK = Style()
NEAR = 4  # equal cells between two that differ: sending them again costs no more than a move
NARROW = re.compile("[ -~\u2500-\u259f\u2800-\u28ff·–°…←↑→↓∘×○▸▲✓✗µ◉]*").fullmatch
"""Text of which each character takes one cell: nearly all of it, so that none is looked up."""
CONTINUED = ""  # the second cell of a wide character
UNKNOWN: Cell = ("\0", BLANK)  # equal to no cell that is ever sent


class Frame:
    """The cells of the terminal as they were last sent; ``colorless`` sends no colour at all."""

    def __init__(self, colorless: bool = False) -> None:
        self.colorless = colorless
        self._rows: dict[int, list[Cell]] = {}
        self._size: Size | None = None  # of the last whole screen
        self._anew = False  # the next whole screen is sent as if nothing had been

    def forget(self) -> None:
        """Nothing is known of the terminal: what is sent from now on is sent whole.

        The next whole screen too: until it comes, rows of a size that the terminal no longer has
        may land on others.
        """
        self._rows.clear()
        self._anew = True

    def sparse(self, update: CompositorUpdate) -> CompositorUpdate:
        """An update that sends only what differs; one of an unknown kind as it is."""
        if isinstance(update, LayoutUpdate):
            if self._anew or update.region.size != self._size:
                self._rows.clear()
            self._anew, self._size = False, update.region.size
            return SparseUpdate(self, list(_of_layout(update)))
        if isinstance(update, ChopsUpdate):
            return SparseUpdate(self, list(_of_chops(update)))
        self.forget()
        return update

    def take(self, y: int, x: int, cells: list[Cell], pen: Pen) -> None:
        """Send what differs of ``cells`` from column ``x`` of row ``y`` on, and remember it."""
        row = self._rows.setdefault(y, [])
        known = row[x : x + len(cells)]
        known += [UNKNOWN] * (len(cells) - len(known))
        for first, last in _runs(known, cells):
            pen.write(x + first, y, cells[first:last])
        if len(row) < x:
            row += [UNKNOWN] * (x - len(row))
        row[x : x + len(cells)] = cells


class SparseUpdate(CompositorUpdate):
    """Pieces of rows, as (row, column, cells)."""

    def __init__(self, frame: Frame, pieces: list[tuple[int, int, list[Cell]]]) -> None:
        self._frame = frame
        self._pieces = pieces

    def render_segments(self, console: Console) -> str:
        """The sequences to be written."""
        colors = console._color_system or ColorSystem.TRUECOLOR
        pen = Pen(None if self._frame.colorless else colors)
        for y, x, cells in self._pieces:
            self._frame.take(y, x, cells, pen)
        return pen.text()


class Pen:
    """Writes cells: it knows where the cursor stands and in which style it writes."""

    def __init__(self, colors: ColorSystem | None) -> None:
        self._colors = colors
        self._out: list[str] = []
        self._at: tuple[int, int] | None = None
        self._style: Style | None = None

    def write(self, x: int, y: int, cells: list[Cell]) -> None:
        """Cells side by side, from (x, y) on."""
        if self._at != (x, y):
            self._out.append(self._move(x, y))
        for text, style in cells:
            if text == CONTINUED:
                continue
            if style is not self._style and style != self._style:
                self._out.append(self._change(style))
                self._style = style
            self._out.append(text)
        self._at = (x + len(cells), y)

    def text(self) -> str:
        """All that was written; the terminal's own style stands again behind it."""
        return "".join(self._out) + ("\x1b[m" if self._style is not None else "")

    def _move(self, x: int, y: int) -> str:
        if self._at is not None and self._at[1] == y and self._at[0] < x:
            return f"\x1b[{x - self._at[0]}C"
        return f"\x1b[{y + 1};{x + 1}H"

    def _change(self, style: Style) -> str:
        """The codes from the style in use to another: colours alone where nothing else changes."""
        now = self._style
        if self._colors is None:
            bare = Style(bold=style.bold, dim=style.dim, reverse=style.reverse)
            whole = Strip.render_ansi(bare, ColorSystem.STANDARD)
            return f"\x1b[0;{whole}m" if whole else "\x1b[m"
        if now is not None and _attributes(now) == _attributes(style):
            codes: list[str] = []
            for old, new, foreground in (
                (now.color, style.color, True),
                (now.bgcolor, style.bgcolor, False),
            ):
                if old != new:
                    default = "39" if foreground else "49"
                    found = new.downgrade(self._colors).get_ansi_codes(foreground) if new else None
                    codes += found or (default,)
            return f"\x1b[{';'.join(codes)}m" if codes else ""
        whole = Strip.render_ansi(style, self._colors)
        return f"\x1b[0;{whole}m" if whole else "\x1b[m"


def _attributes(style: Style) -> int:
    return style._attributes & style._set_attributes


def _runs(known: list[Cell], wanted: list[Cell]) -> Iterator[tuple[int, int]]:
    """First and one past the last of each stretch to be sent; near ones are joined."""
    first = last = -1
    for i, cell in enumerate(wanted):
        if known[i] == cell:
            continue
        if first >= 0 and i - last > NEAR:
            yield first, last
            first = -1
        if first < 0:
            first = i
            while first and wanted[first][0] == CONTINUED:
                first -= 1
        last = i + 1
        while last < len(wanted) and wanted[last][0] == CONTINUED:
            last += 1
    if first >= 0:
        yield first, last


def _cells(strips: Iterable[Strip | None]) -> list[Cell]:
    out: list[Cell] = []
    for strip in strips:
        for segment in strip or ():
            style = segment.style or BLANK
            if NARROW(segment.text):
                out.extend(zip(segment.text, repeat(style)))
                continue
            for char in segment.text:
                if size := cell_len(char):
                    out += [(char, style), *[(CONTINUED, style)] * (size - 1)]
                elif out:  # it joins the character before it, and may widen it
                    at = len(out) - 1
                    while at and out[at][0] == CONTINUED:
                        at -= 1
                    joined = out[at][0] + char
                    out[at] = (joined, out[at][1])
                    wider = cell_len(joined) - (len(out) - at)
                    out += [(CONTINUED, style)] * wider
    return out


def _of_layout(update: LayoutUpdate) -> Iterator[tuple[int, int, list[Cell]]]:
    for y, strips in enumerate(update.strips, update.region.y):
        yield y, update.region.x, _cells(strips)


def _of_chops(update: ChopsUpdate) -> Iterator[tuple[int, int, list[Cell]]]:
    """Of each changed span the cells of the pieces that it touches."""
    seen: set[tuple[int, int]] = set()
    for y, begin, end in update.spans:
        for stop, (x, strip) in zip(update.chop_ends[y], update.chops[y].items(), strict=False):
            if strip is None or x >= end or stop <= begin or (y, x) in seen:
                continue
            seen.add((y, x))
            yield y, x, _cells([strip])
