"""Text and marks on a plot: no text stands on a point, or on another text."""

from __future__ import annotations

from collections.abc import Sequence

from rich.cells import cell_len

from roofwatch.tui.drawing.canvas import Canvas


class PlotWords:
    """Writes on a canvas and keeps what was written and each point whole."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self._held: set[tuple[int, int]] = set()

    def hold(self, x: int, y: int) -> None:
        """No text may stand in this cell: there is a point."""
        self._held.add((x, y))

    def held(self, x: int, y: int) -> bool:
        """Whether a point or a text stands in this cell."""
        return (x, y) in self._held

    def blank(self, x: int, y: int) -> bool:
        """Whether a cell is inside, and nothing is drawn or written there."""
        return (x, y) not in self._held and self._canvas.free(x, y, 1)

    def fits(self, x: int, y: int, text: str, over: bool = False) -> bool:
        """Whether a text has room from there on; ``over`` lines, or in blank cells only."""
        if x < 0 or x + len(text) > self._canvas.width or not 0 <= y < self._canvas.height:
            return False
        if any(cell_len(char) != 1 for char in text):
            return False  # a canvas has one cell for each character
        cells = [(x + i, y) for i in range(len(text))]
        return all(c not in self._held if over else self.blank(*c) for c in cells)

    def write(self, x: int, y: int, text: str, style: str, over: bool = False) -> bool:
        """Write a text where it fits; False where it does not."""
        if not self.fits(x, y, text, over):
            return False
        self._canvas.write(x, y, text, style)
        self._held.update((x + i, y) for i in range(len(text)))
        return True

    def write_at_end(self, y: int, texts: Sequence[str], style: str) -> str | None:
        """The first of ``texts`` that fits at the right end of a row, over its line."""
        for text in texts:
            if self.write(self._canvas.width - len(text), y, text, style, over=True):
                return text
        return None
