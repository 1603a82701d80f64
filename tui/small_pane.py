"""What a terminal too small for a chart gets: the probe table's figures, a line each."""

from __future__ import annotations

from roofwatch.notebook.finding import Finding
from roofwatch.session.fold import Session
from roofwatch.session.table import probe_rows
from roofwatch.tui.numbers import figure
from roofwatch.tui.rows_of_text import Row, page, row


def build(session: Session, cells: int, height: int, found: list[Finding]) -> list[Row]:
    """Rows of the pane."""
    rows = [
        row((f" {r.label} ", "dim"), f"{figure(r.measured)} {r.unit}" if r.measured else r.state)
        for r in probe_rows(session, found)
    ]
    return page(rows, cells, height)
