"""The roofline of one precision: the picture, one point's distances, and the table of all points.

Dashed the datasheet, solid what this card really does, dotted what it holds, shaded what is
expected and not measured yet.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.notebook.finding import Finding
from roofwatch.session.awaited import awaited, first_key
from roofwatch.session.events import Measurement
from roofwatch.session.fold import Session
from roofwatch.session.points import Point, points, trace
from roofwatch.session.rate_scale import rate_scale
from roofwatch.session.roof_doubts import doubted, remark
from roofwatch.session.roofs import Roofs, roofs
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, page
from roofwatch.tui.roofline.distance_line import told
from roofwatch.tui.roofline.points_table import in_order, letters, rows_to_show, table
from roofwatch.tui.roofline.roofline_plot import Shown, plot

LEAST_PLOT = 12  # rows that the picture keeps, whatever stands below
USUAL_TABLE = 6  # rows that it has while they fill, so that the picture stays where it is
LEAST_TABLE = 2  # that it leaves to the cursor: the heading and the row of its point


def precisions(session: Session) -> list[str]:
    """Peak keys that have any roof to show, in the suite's order."""
    return list(roofs(session).compute)


def stops(session: Session, key: str | None) -> int:
    """How many points the cursor can stand on."""
    own = roofs(session)
    return len(points(session, own, _key(session, own, key)))


def measurement_at(session: Session, key: str | None, cursor: int) -> Measurement | None:
    """What the point under the cursor was measured by; None where there is no point."""
    own = roofs(session)
    found = in_order(points(session, own, _key(session, own, key)))
    return found[_held(cursor, found)].measurement if found else None


def build(
    session: Session,
    cells: int,
    height: int,
    key: str | None,
    glyphs: Glyphs,
    cursor: int | None = None,
    judged: Sequence[Finding] | None = None,
) -> list[Row]:
    """Rows of the pane for one precision (the first with a roof when ``key`` has none).

    ``cursor`` counts the points as the table has them: that one shows its three distances.
    ``judged`` are the session's findings, where they are known.
    """
    own = roofs(session)
    key = _key(session, own, key)
    found = in_order(points(session, own, key))
    at = _held(cursor, found) if cursor is not None and found else None
    marks = letters(found, glyphs)
    inner = cells - 1  # a neighbour's first word would stick to the last column
    waits = awaited(session, own, key)
    doubts, scale = doubted(session, own, judged), rate_scale(session)
    below = table(session, own, key, found, waits, doubts, inner, glyphs, at)
    said = []
    if at is not None:
        of = remark(found[at], own, key, doubts)
        said = [told(found[at], marks[at], key, of, scale, inner, glyphs)]
    least = 0 if at is None else LEAST_TABLE
    room = max(least, height - LEAST_PLOT - len(said))
    shown = Shown(own, key, found, marks, trace(session, key), waits, at, scale)
    table_rows = min(max(len(below), USUAL_TABLE), room) if below else 0
    picture = plot(shown, cells, height - table_rows - len(said), glyphs)
    if not picture:
        table_rows = height - len(said)
    kept = rows_to_show(below, table_rows, at)
    return page([*picture, *said, *kept], cells, height)


def _key(session: Session, own: Roofs, key: str | None) -> str | None:
    """The precision itself while it has a roof, else the first that has, or is expected to."""
    if key in own.compute:
        return key
    return next(iter(own.compute), None) or first_key(session)


def _held(cursor: int, found: list[Point]) -> int:
    return max(0, min(cursor, len(found) - 1))
