"""The dialogs: may we run on a busy card, what the keys do, where the session is saved."""

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

FRAME = 6  # cells of border and padding
WIDEST = 76

HELP = """\
q  Ctrl-C    quit, at any moment; what was measured is kept
r  s         run the suite again; where this session is saved
1 to 7       the panes by number (Tab: the next); where 1 to 4 stand
             together: that one alone, again to go back
← →  p       another precision, decode curve, or value in the plan
↓ ↑  j k     through findings, probes, kernels, fields; PgDn too
Enter        the page of that error; in the plan: type the value
m            in the plan: roofs as measured here, or nominal
c            check a number of yours, answered as you type
?            this help; any key closes it

╌╌╌  nominal: the datasheet, never quite reached
───  burst: a rested card for at most 20 ms
───  sustained: what it holds for seconds under its power limit
▲    outside the range expected before the run, or not to be believed
▒    the probe that is running

A link that drops keeps the session file; inside tmux, the run too."""


class Ask(ModalScreen[bool]):
    """Someone else is on the card: run all the same?"""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)"),
        Binding("n,escape", "answer(False)"),
    ]

    def __init__(self, sentence: str) -> None:
        super().__init__()
        self._sentence = sentence

    def compose(self) -> ComposeResult:
        """A question and its two keys."""
        text = (
            f"{shown(self._sentence[0].upper() + self._sentence[1:])}.\n\n"
            "Both would be slower while the probes run, and the numbers low.\n\n"
            "y  run the suite anyway      n  only watch (r runs it later)"
        )
        yield Static(Text(text))

    def action_answer(self, answer: bool) -> None:
        """Close with the answer; keys pressed after it find the dialog gone."""
        if self.is_current:
            self.dismiss(answer)


class Help(ModalScreen[None]):
    """What the keys do and what the lines mean."""

    def __init__(self, ascii_only: bool) -> None:
        super().__init__()
        self._ascii = ascii_only

    def compose(self) -> ComposeResult:
        """The text."""
        plain = HELP.translate(str.maketrans("╌─←→↓↑▲▒", "-=<>v^!="))
        yield Static(Text(plain if self._ascii else HELP))

    def on_key(self) -> None:
        """Any key closes it, once."""
        if self.is_current:
            self.dismiss(None)


class Saved(ModalScreen[None]):
    """The whole path of the session's file: the folder, then the name below it."""

    def __init__(self, what: str, where: str, cells: int) -> None:
        super().__init__()
        folder, slash, name = where.rpartition("/")
        room = max(8, min(WIDEST, cells) - FRAME)
        self._lines = [what, "", *chop_cells(folder + slash, room), *chop_cells(name, room)]

    def compose(self) -> ComposeResult:
        """The path, unbroken where it fits."""
        yield Static(Text("\n".join([*self._lines, "", "any key closes this"])))

    def on_key(self, event: Key) -> None:
        """Any key closes it, once, and does nothing else: ``s`` would open it again."""
        event.stop()
        if self.is_current:
            self.dismiss(None)
