"""The record of the session on show as a page: the table, its checks, the five answers."""

from __future__ import annotations

from roofwatch.session.fold import Session
from roofwatch.session.questions import questions
from roofwatch.session.record_table import record_table
from roofwatch.session.roofs import roofs
from roofwatch.session.unfilled import unfilled
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.notebook.record_rows import question_rows, table_rows
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (130, 200)


class RecordPage(ScrolledSheet):
    """The record as it stood when the page was opened."""

    def __init__(self, session: Session, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 1, "Record")
        self._why_none = unfilled(session)
        self._table = record_table([session])
        self._answers = questions(session, roofs(session))

    def whole(self, cells: int) -> list[Row]:
        """The table's head first, which stays."""
        if self._why_none:
            return wrapped(self._why_none, cells, "")
        rows = table_rows(self._table, cells, self.glyphs)
        return [*rows, row(""), *question_rows(self._answers, cells, self.glyphs)]
