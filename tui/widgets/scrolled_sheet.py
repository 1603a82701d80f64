"""A sheet that holds more rows than it has room for."""

from __future__ import annotations

from textual import events

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.scrolled import last_scroll, scrolled
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.widgets.sheet import Sheet

FAR = 10**6  # more rows than any page has


class ScrolledSheet(Sheet):
    """Subclasses say all its rows; the arrows move those under its head, Esc closes it."""

    def __init__(
        self,
        glyphs: Glyphs,
        most: tuple[int, int],
        head: int,
        title: str = "",
        any_key: bool = False,
    ) -> None:
        super().__init__(glyphs, most)
        self._head = head  # rows that stay
        self._title = title
        self._any_key = any_key  # closes it, not only Esc, q and Enter
        self._scroll = 0

    def whole(self, cells: int) -> list[Row]:
        """All rows, its head first."""
        raise NotImplementedError

    def build(self, cells: int, height: int) -> list[Row]:
        """What fits; the frame says how much is left."""
        rows = self.whole(cells)
        last = last_scroll(len(rows), height)
        self._scroll = min(self._scroll, last)
        left = last - self._scroll
        more = f"{more_rows(left, arrows(self.glyphs)[1])}   " if left else ""
        self.frame(self._title, f"{more}{'any other key' if self._any_key else 'Esc'} closes this")
        return scrolled(rows, self._head, cells, height, self._scroll)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        event.stop()
        cells, height = self.room()
        step = max(1, height - self._head - 1)
        by = {"down": 1, "j": 1, "up": -1, "k": -1, "home": -FAR, "end": FAR}.get(event.key, 0)
        by = {"pagedown": step, "space": step, "pageup": -step}.get(event.key, by)
        if by:
            last = last_scroll(len(self.whole(cells)), height)
            self._scroll = min(last, max(0, self._scroll + by))
            self.draw()
        elif self._any_key or event.key in ("escape", "q", "enter"):
            self.close()
