"""A measurement, opened: its number, repetitions, conditions, and the command that repeats it."""

from __future__ import annotations

from textual import events

from roofwatch.notebook.finding import Finding
from roofwatch.session.fold import Session
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, page
from roofwatch.tui.probes.measurement_rows import rows
from roofwatch.tui.widgets.sheet import Sheet

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
    return _from(rows(session, probe, cells, glyphs, found), cells, height, scroll)


def _from(whole: list[Row], cells: int, height: int, scroll: int) -> list[Row]:
    scroll = min(last_scroll(len(whole), height), max(0, scroll))
    seen = [*whole[:HEAD], *whole[HEAD + scroll :]]
    return page(seen, cells, min(height, len(whole)))


def last_scroll(length: int, height: int) -> int:
    """How far a page of so many rows can be scrolled."""
    return max(0, length - height)


class MeasurementPage(Sheet):
    """The page of one probe of a session that may go on meanwhile: ``draw`` shows it as of now."""

    def __init__(self, session: Session, probe: str, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST)
        self._session = session
        self._probe = probe
        self._scroll = 0
        self._stamp: tuple[int, ...] = ()
        self._whole: list[Row] = []

    def on_mount(self) -> None:
        """Draw it now, and as the probe goes on."""
        super().on_mount()
        self.set_interval(DRAW_S, self.draw)

    def build(self, cells: int, height: int) -> list[Row]:
        """The page in the room there is; the frame says how much is left."""
        whole = self._rows(cells)
        self._scroll = min(self._scroll, last_scroll(len(whole), height))
        left = last_scroll(len(whole), height) - self._scroll
        more = f"{left} more row{'s' if left > 1 else ''}: {self.glyphs.up_down}   " if left else ""
        self.frame("", f"{more}Esc closes")
        return _from(whole, cells, height, self._scroll)

    def _rows(self, cells: int) -> list[Row]:
        """All rows, kept while nothing has happened."""
        session = self._session
        live = session.ticks if session.running() == self._probe else 0
        stamp = (cells, session.revision, live)
        if stamp != self._stamp:
            self._stamp = stamp
            self._whole = rows(session, self._probe, cells, self.glyphs)
        return self._whole

    def on_key(self, event: events.Key) -> None:
        """Scroll, or close."""
        event.stop()
        cells, height = self.room()
        step = max(1, height - HEAD - 1)
        by = {"down": 1, "j": 1, "up": -1, "k": -1}.get(event.key, 0)
        by = {"pagedown": step, "space": step, "pageup": -step}.get(event.key, by)
        by = {"home": -(10**6), "end": 10**6}.get(event.key, by)
        if by:
            last = last_scroll(len(self._rows(cells)), height)
            self._scroll = min(last, max(0, self._scroll + by))
            self.draw()
        elif event.key in ("escape", "q", "enter"):
            self.close()
