"""The page of two sessions side by side."""

from __future__ import annotations

from roofwatch.session.compare import Comparison, compare
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.scrolled import scrolled
from roofwatch.tui.sessions.comparison_rows import body, head
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (118, 56)
HEAD_ROWS = 3


def build(told: Comparison, cells: int, height: int, glyphs: Glyphs, scroll: int = 0) -> list[Row]:
    """Who A and B are, and what of the body fits from row ``scroll`` on."""
    return scrolled(_whole(told, cells, glyphs), HEAD_ROWS, cells, height, scroll)


def _whole(told: Comparison, cells: int, glyphs: Glyphs) -> list[Row]:
    return [*head(told, cells, glyphs), *body(told, cells, glyphs)]


class ComparePage(ScrolledSheet):
    """Session B held against session A."""

    def __init__(self, a: Session, b: Session, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD_ROWS, "Compare")
        self.told = compare(a, b)

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return _whole(self.told, cells, self.glyphs)
