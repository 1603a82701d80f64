"""A measurement, opened: its number, repetitions, conditions, and the command that repeats it."""

from __future__ import annotations

from roofwatch.notebook.finding import Finding
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.drawing.scrolled import scrolled
from roofwatch.tui.probes.measurement_rows import rows
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (112, 54)
DRAW_S = 0.5
HEAD = 2  # rows that stay: the name, and a blank one


def build(
    session: Session,
    probe: str,
    cells: int,
    height: int,
    glyphs: Glyphs,
    scroll: int = 0,
    found: list[Finding] | None = None,
) -> list[Row]:
    """The head, and what of the rest fits from row ``scroll`` on; at most ``height`` rows."""
    whole = rows(session, probe, cells, glyphs, found)
    return scrolled(whole, HEAD, cells, height, scroll)


class MeasurementPage(ScrolledSheet):
    """The page of one probe of a session that may go on meanwhile: ``draw`` shows it as of now."""

    def __init__(self, session: Session, probe: str, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, HEAD)
        self._session = session
        self._probe = probe
        self._stamp: tuple[int, ...] = ()
        self._whole: list[Row] = []

    def on_mount(self) -> None:
        """Draw it now, and as the probe goes on."""
        super().on_mount()
        self.set_interval(DRAW_S, self.draw)

    def whole(self, cells: int) -> list[Row]:
        """All rows, kept while nothing has happened."""
        session = self._session
        live = session.ticks if session.running() == self._probe else 0
        stamp = (cells, session.revision, live)
        if stamp != self._stamp:
            self._stamp = stamp
            self._whole = rows(session, self._probe, cells, self.glyphs)
        return self._whole
