"""The one widget: rows of text that send only the cells that changed."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from roofwatch.tui.palette import style
from roofwatch.tui.rows_of_text import Row, fit, text_of, width


class Pane(Widget):
    """Draws the rows it was last given. Textual repaints a whole widget; this names regions."""

    DEFAULT_CSS = "Pane { height: 1fr; }"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._rows: list[Row] = []

    @property
    def lines(self) -> list[str]:
        """What it shows, as text."""
        return [text_of(r) for r in self._rows]

    def show(self, rows: Sequence[Row]) -> None:
        """Take new rows and repaint the cells in which they differ from the old ones."""
        old, self._rows = self._rows, list(rows)
        if len(old) != len(self._rows):
            self.refresh()
            return
        regions = [
            Region(first, y, last - first, 1)
            for y, (before, after) in enumerate(zip(old, self._rows, strict=True))
            if before != after
            for first, last in (_changed(before, after),)
        ]
        if regions:
            self.refresh(*regions)

    def render_line(self, y: int) -> Strip:
        """Textual's line API."""
        cells = self.size.width
        pieces = fit(self._rows[y], cells) if y < len(self._rows) else fit((), cells)
        segments = [Segment(text, style(name)) for text, name in pieces]
        return Strip(segments, cells).apply_style(self.rich_style)


def _changed(before: Row, after: Row) -> tuple[int, int]:
    """First and one past the last column in which two rows differ, in text or style."""
    a, b = _cells(before), _cells(after)
    size = max(len(a), len(b))
    if (len(a), len(b)) != (width(before), width(after)):  # joined characters: not one by one
        return 0, max(size, width(before), width(after))
    a += [("", "")] * (size - len(a))
    b += [("", "")] * (size - len(b))
    differing = [i for i in range(size) if a[i] != b[i]]
    return (differing[0], differing[-1] + 1) if differing else (0, size)


def _cells(pieces: Row) -> list[tuple[str, str]]:
    """One entry a cell. Both cells of a wide character name it: half of one cannot be drawn."""
    out: list[tuple[str, str]] = []
    for text, name in pieces:
        for char in text:
            if size := cell_len(char):
                out += [(char, name), *[(f"{char} goes on", name)] * (size - 1)]
            elif out:
                out[-1] = (out[-1][0] + char, name)
    return out
