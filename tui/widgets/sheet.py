"""A modal of rows: a framed pane in the middle of the screen, as large as what it holds."""

from __future__ import annotations

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import ModalScreen

from roofwatch.tui.drawing.glyphs import ASCII, Glyphs
from roofwatch.tui.drawing.rows_of_text import Row
from roofwatch.tui.widgets.pane import Pane

LEAST = 12  # cells for which every page can be built; a narrower terminal shows their head
WHEEL = 3  # rows that a page is moved by
FRAME = (4, 2)  # cells and rows that border and padding take


class Sheet(ModalScreen[None]):
    """Subclasses say what stands in it, and take the keys."""

    def __init__(self, glyphs: Glyphs, most: tuple[int, int]) -> None:
        super().__init__()
        self.glyphs = glyphs
        self.pane = Pane("sheet")
        self.pane.set_class(glyphs is ASCII, "-ascii")
        self._most = most
        self._framed = (0, 0)
        self._said = ("", "")

    def compose(self) -> ComposeResult:
        """The pane."""
        yield self.pane

    def room(self) -> tuple[int, int]:
        """Cells and rows that the rows may take."""
        cells = min(self._most[0], self.app.size.width) - FRAME[0]
        return max(LEAST, cells), max(1, min(self._most[1], self.app.size.height) - FRAME[1])

    def build(self, cells: int, height: int) -> list[Row]:
        """The rows, at most ``height`` of them; the frame closes around these."""
        raise NotImplementedError

    def draw(self) -> None:
        """Show what stands in it now."""
        cells, height = self.room()
        rows = self.build(cells, height)
        framed = (cells + FRAME[0], len(rows) + FRAME[1])
        if framed != self._framed:
            self._framed = framed
            self.pane.styles.width, self.pane.styles.height = framed
        self.pane.show(rows)

    def frame(self, title: str, keys: str) -> None:
        """What the frame says above and below; setting it anew would repaint everything."""
        if (title, keys) != self._said:
            self._said = (title, keys)
            self.pane.border_title, self.pane.border_subtitle = Content(title), Content(keys)

    def on_mount(self) -> None:
        """Draw it once it has a size."""
        self.draw()

    def on_resize(self, event: events.Resize) -> None:
        """Draw it for the new size."""
        self.call_after_refresh(self.draw)

    def wheel(self, step: int) -> None:
        """The mouse's wheel, so many rows on or back."""

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        """With ``--mouse``: on."""
        event.stop()
        self.wheel(WHEEL)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        """And back."""
        event.stop()
        self.wheel(-WHEEL)

    def close(self) -> None:
        """Once: keys pressed after it find it gone."""
        if self.is_current:
            self.dismiss(None)
