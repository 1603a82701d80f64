"""A sheet that holds more rows than it has room for."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len
from textual import events

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.scrolled import last_scroll, scrolled
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.widgets.sheet import Sheet

FAR = 10**6  # more rows than any page has
CLOSES = ("Esc closes this", "Esc closes")
ANY_CLOSES, OTHERS_CLOSE = ("any key closes this", *CLOSES), ("any other key closes this", *CLOSES)


def below(left: int, closes: Sequence[str], cells: int, glyphs: Glyphs) -> str:
    """What the frame says below: how much is left, and the key that closes, which always stands."""
    arrow = arrows(glyphs)[1]
    lefts = (f"{more_rows(left, arrow)}   ", f"{left} {arrow}   ", f"{left}{arrow} ")
    said = [more + words for more in lefts for words in closes] if left else []
    return next((line for line in [*said, *closes] if cell_len(line) <= cells), closes[-1])


class ScrolledSheet(Sheet):
    """Subclasses say all its rows; arrows and wheel move those under its head, Esc closes it.

    ``closes`` is what the frame says of the keys that close it, the longest form first.
    """

    def __init__(
        self,
        glyphs: Glyphs,
        most: tuple[int, int],
        head: int,
        title: str = "",
        any_key: bool = False,
        closes: Sequence[str] = CLOSES,
    ) -> None:
        super().__init__(glyphs, most)
        self._head = head  # rows that stay
        self._title = title
        self._any_key = any_key  # closes it, not only Esc, q and Enter
        self._closes = closes
        self._scroll = 0

    def whole(self, cells: int) -> list[Row]:
        """All rows, its head first."""
        raise NotImplementedError

    def build(self, cells: int, height: int) -> list[Row]:
        """What fits; the frame says how much is left."""
        rows = self.whole(cells)
        last = last_scroll(len(rows), height)
        self._scroll = min(self._scroll, last)
        closes = self._closes
        if self._any_key:
            closes = OTHERS_CLOSE if last else ANY_CLOSES
        self.frame(self._title, below(last - self._scroll, closes, cells - 2, self.glyphs))
        return scrolled(rows, self._head, cells, height, self._scroll)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        event.stop()
        cells, height = self.room()
        step = max(1, height - self._head - 1)
        by = {"down": 1, "j": 1, "up": -1, "k": -1, "home": -FAR, "end": FAR}.get(event.key, 0)
        by = {"pagedown": step, "space": step, "pageup": -step}.get(event.key, by)
        if by and (not self._any_key or len(self.whole(cells)) > height):
            self.wheel(by)
        elif self._any_key or event.key in ("escape", "q", "enter"):
            self.close()

    def wheel(self, step: int) -> None:
        """So many rows on or back."""
        cells, height = self.room()
        last = last_scroll(len(self.whole(cells)), height)
        self._scroll = min(last, max(0, self._scroll + step))
        self.draw()
