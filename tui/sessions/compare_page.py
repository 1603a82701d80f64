"""The page of two sessions side by side."""

from __future__ import annotations

from textual import events

from roofwatch.session.compare import Comparison, compare
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, page
from roofwatch.tui.drawing.telling import arrows, more_rows
from roofwatch.tui.sessions.comparison_rows import body, head
from roofwatch.tui.widgets.sheet import Sheet

MOST = (118, 56)
HEAD_ROWS = 3


def build(told: Comparison, cells: int, height: int, glyphs: Glyphs, scroll: int = 0) -> list[Row]:
    """Who A and B are, and what of the body fits from row ``scroll`` on."""
    rows = body(told, cells, glyphs)
    if len(rows) <= height - HEAD_ROWS:
        scroll = 0
    whole = min(height, len(rows) + HEAD_ROWS)
    return page([*head(told, cells, glyphs), *rows[scroll:]], cells, whole)


class ComparePage(Sheet):
    """Session B held against session A."""

    def __init__(self, a: Session, b: Session, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST)
        self.told = compare(a, b)
        self._scroll = 0

    def build(self, cells: int, height: int) -> list[Row]:
        """The page in the room there is; the frame says how much is left."""
        last = self._last(cells, height)
        self._scroll = min(self._scroll, last)
        left = last - self._scroll
        more = f"{more_rows(left, arrows(self.glyphs)[1])}   " if left else ""
        self.frame("Compare", f"{more}Esc closes")
        return build(self.told, cells, height, self.glyphs, self._scroll)

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        event.stop()
        cells, height = self.room()
        by = {"down": 1, "j": 1, "up": -1, "k": -1}.get(event.key, 0)
        on = max(1, height - HEAD_ROWS - 1)
        by = {"pagedown": on, "space": on, "pageup": -on}.get(event.key, by)
        by = {"home": -(10**6), "end": 10**6}.get(event.key, by)
        if by:
            self._scroll = min(self._last(cells, height), max(0, self._scroll + by))
            self.draw()
        elif event.key in ("escape", "q", "enter"):
            self.close()

    def _last(self, cells: int, height: int) -> int:
        """The row from which the rest of the body fits."""
        return max(0, len(body(self.told, cells, self.glyphs)) - (height - HEAD_ROWS))
