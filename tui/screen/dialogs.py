"""The dialogs: may we run on a busy card, and where the session is saved."""

from __future__ import annotations

from typing import ClassVar

from rich.cells import chop_cells
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import ASCII, Glyphs

FRAME = 6  # cells of border and padding
WIDEST = 76


class Ask(ModalScreen[bool]):
    """Someone else is on the card: run all the same?"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)"),
        Binding("n,escape", "answer(False)"),
        Binding("q", "app.quit"),
    ]

    def __init__(self, sentence: str, glyphs: Glyphs) -> None:
        super().__init__()
        self._sentence = sentence
        self._glyphs = glyphs

    def compose(self) -> ComposeResult:
        """A question and its two keys."""
        text = (
            f"{shown(self._sentence[0].upper() + self._sentence[1:])}.\n\n"
            "Both would be slower while the probes run, and the numbers low.\n\n"
            "y  run the suite anyway      n  only watch (r runs it later)"
        )
        yield _framed(text, self._glyphs)

    def action_answer(self, answer: bool) -> None:
        """Close with the answer; keys pressed after it find the dialog gone."""
        if self.is_current:
            self.dismiss(answer)


class Saved(ModalScreen[None]):
    """The whole path of the session's file: the folder, then the name below it."""

    def __init__(self, what: str, where: str, cells: int, glyphs: Glyphs) -> None:
        super().__init__()
        self._glyphs = glyphs
        folder, slash, name = where.rpartition("/")
        room = max(8, min(WIDEST, cells) - FRAME)
        self._lines = [what, "", *chop_cells(folder + slash, room), *chop_cells(name, room)]

    def compose(self) -> ComposeResult:
        """The path, unbroken where it fits."""
        yield _framed("\n".join([*self._lines, "", "any key closes this"]), self._glyphs)

    def on_key(self, event: Key) -> None:
        """Any key closes it, once, and does nothing else: ``s`` would open it again."""
        event.stop()
        if self.is_current:
            self.dismiss(None)


def _framed(text: str, glyphs: Glyphs) -> Static:
    return Static(Text(text), classes="-ascii" if glyphs is ASCII else "")
