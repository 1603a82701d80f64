"""The one widget: rows of text, of which those that changed are drawn again."""

from __future__ import annotations

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.palette import style
from roofwatch.tui.drawing.rows_of_text import Row, fit, text_of


class Pane(Widget):
    """Draws the rows it was last given. Textual repaints a whole widget; this names rows, and
    ``tui/screen/frame.py`` sends what differs within them."""

    DEFAULT_CSS = "Pane { height: 1fr; }"

    def __init__(self, id: str) -> None:
        super().__init__(id=id)
        self._rows: list[Row] = []
        self._own: Style | None = None  # looked up once: it takes longer than drawing a row

    def notify_style_update(self) -> None:
        """Textual says that its colours have changed."""
        super().notify_style_update()
        self._own = None

    @property
    def lines(self) -> list[str]:
        """What it shows, as text."""
        return [text_of(r) for r in self._rows]

    def show(self, rows: Sequence[Row]) -> None:
        """Take new rows and draw those again in which they differ from the old ones."""
        old, self._rows = self._rows, list(rows)
        if len(old) != len(self._rows):
            self.refresh()
            return
        cells = self.size.width
        changed = [
            Region(0, y, cells, 1)
            for y, (before, after) in enumerate(zip(old, self._rows, strict=True))
            if before != after
        ]
        if changed:
            self.refresh(*changed)

    def render_line(self, y: int) -> Strip:
        """Textual's line API."""
        cells = self.size.width
        row = self._rows[y] if y < len(self._rows) else ()
        # Whoever made a row has done so; here nothing passes that a terminal would act on.
        pieces = fit([(t if t.isprintable() else shown(t), name) for t, name in row], cells)
        theme = self.app.theme
        # What reaches the terminal is text, whoever drew it.
        texts = ((t if t.isprintable() else shown(t), name) for t, name in pieces)
        segments = [Segment(text, style(name, theme)) for text, name in texts]
        if self._own is None:
            self._own = self.rich_style
        return Strip(segments, cells).apply_style(self._own)
