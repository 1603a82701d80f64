"""The figures of collectives whose repetitions lie far apart, as rows of text."""

from __future__ import annotations

from roofwatch.notebook.unstable import SPREAD
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.lines import BETWEEN, WITHIN
from roofwatch.session.fleet.wide_times import WideTime, wide_times
from roofwatch.session.printable import shown
from roofwatch.tui.drawing.numbers import percent
from roofwatch.tui.drawing.rows_of_text import Row, hung

MOST = 4


def wide_rows(fleet: Fleet, cells: int) -> list[Row]:
    """The widest by name; nothing where all of them repeat well."""
    found = wide_times(fleet)
    if not found:
        return []
    rest = len(found) - MOST
    said = ", ".join(map(_said, found[:MOST])) + (f" and {rest} more" if rest > 0 else "")
    head = f"middle half of the times over {percent(SPREAD)} of the median wide: "
    return hung(" spread: ", head + said, cells, of_head="dim")


def _said(wide: WideTime) -> str:
    where = {WITHIN: f" on {shown(wide.node)}", BETWEEN: " between nodes"}.get(wide.group, "")
    return f"{wide.figure} of {shown(wide.op)}{where} {percent(wide.spread)}"
