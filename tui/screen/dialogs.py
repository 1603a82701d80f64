"""The dialogs: may we run on a busy card, and where the session is saved."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len, chop_cells
from textual.events import Key

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, row, wrapped
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet
from roofwatch.tui.widgets.sheet import FRAME

MOST = (76, 24)
LEAST_WIDE = 34  # cells of a short path's dialog, so that the frame says its keys whole
ANSWERS = (
    "y  run the suite anyway      n  only watch (r runs it later)",
    "y runs it anyway   n only watches",
    "y run  n watch",
)


class Ask(ScrolledSheet):
    """Someone else is on the card: run all the same? ``answered`` is told once."""

    def __init__(self, sentence: str, answered: Callable[[bool], None], glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 0, closes=ANSWERS)
        self._sentence = f"{sentence[0].upper()}{sentence[1:]}."
        self._answered = answered

    def whole(self, cells: int) -> list[Row]:
        """Who is there, and what that would do; the frame has the two keys."""
        would = "Both would be slower while the probes run, and the numbers low."
        return [*wrapped(self._sentence, cells), row(""), *wrapped(would, cells)]

    def on_key(self, event: Key) -> None:
        """Close with the answer; keys pressed after it find the dialog gone."""
        if event.key not in ("y", "n", "escape", "q", "enter"):
            return
        event.stop()
        event.prevent_default()  # the sheet's own keys only scroll
        if event.key == "q":
            self.app.exit(return_code=0)
        elif event.key != "enter" and self.is_current:
            self.close()
            self._answered(event.key == "y")


class Saved(ScrolledSheet):
    """The whole path of the session's file: the folder, then the name below it."""

    def __init__(self, what: str, where: str, glyphs: Glyphs) -> None:
        folder, slash, name = where.rpartition("/")
        self._what, self._parts = what, (folder + slash, name)
        cells = max(LEAST_WIDE, *map(cell_len, (what, *self._parts))) + FRAME[0]
        super().__init__(glyphs, (min(MOST[0], cells), MOST[1]), 0, any_key=True)

    def whole(self, cells: int) -> list[Row]:
        """The path, unbroken where it fits."""
        path = [row(line) for part in self._parts for line in chop_cells(part, cells)]
        return [*wrapped(self._what, cells, "dim"), row(""), *path]
