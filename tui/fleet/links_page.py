"""The links of a fleet on a page: what they carry, of what they should, and the slow ones."""

from __future__ import annotations

from roofwatch.session.fleet.fleet import Fleet
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.fleet.link_rows import link_rows, slow_link_rows
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (110, 50)


class LinksPage(ScrolledSheet):
    """The page of the links; the slow ones stand at its top too."""

    def __init__(self, fleet: Fleet, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 0, "Links")
        self._fleet = fleet

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        slow = slow_link_rows(self._fleet, cells, self.glyphs)
        return [*slow, *link_rows(self._fleet, cells, self.glyphs)[0 if slow else 1 :]]
