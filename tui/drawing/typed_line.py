"""One line of text while it is typed."""

from __future__ import annotations

from typing import NamedTuple

from rich.cells import cell_len

from roofwatch.session.printable import shown
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Piece, head_of, tail_of

LONGEST = 120  # characters


class TypedLine(NamedTuple):
    """``at`` is the place of the cursor; a text that is ``taken`` gives way to what is typed."""

    text: str = ""
    at: int = 0
    taken: bool = False

    def typed(self, text: str) -> TypedLine:
        """With ``text`` put in where the cursor stands."""
        if self.taken:
            return TypedLine(text[:LONGEST], len(text[:LONGEST]))
        put = (self.text[: self.at] + text + self.text[self.at :])[:LONGEST]
        return TypedLine(put, min(len(put), self.at + len(text)))

    def erased(self, ahead: bool = False) -> TypedLine:
        """Without the character before (or under) the cursor, or without all that is taken."""
        if self.taken:
            return TypedLine()
        if ahead:
            return TypedLine(self.text[: self.at] + self.text[self.at + 1 :], self.at)
        at = max(0, self.at - 1)
        return TypedLine(self.text[:at] + self.text[self.at :], at)

    def gone(self, by: int) -> TypedLine:
        """With the cursor moved."""
        return TypedLine(self.text, min(len(self.text), max(0, self.at + by)))

    def key(self, name: str, character: str | None) -> TypedLine | None:
        """After one key, by Textual's name of it; None for a key that means nothing here."""
        if name in ("backspace", "delete", "ctrl+h", "ctrl+d"):
            return self.erased(ahead=name in ("delete", "ctrl+d"))
        if name in ("left", "right"):
            return self.gone(-1 if name == "left" else 1)
        if name in ("home", "end", "ctrl+a", "ctrl+e"):
            return self.gone(-LONGEST if name in ("home", "ctrl+a") else LONGEST)
        if name == "ctrl+u":
            return TypedLine()
        if character and character.isprintable():
            return self.typed(character)
        return None


def drawn(line: TypedLine, completion: str, room: int, glyphs: Glyphs) -> list[Piece]:
    """The line on the ground of an open field, with its cursor, and what would complete it."""
    text = shown(line.text)
    if line.taken:
        marked = head_of(text, room, glyphs.ellipsis)
        return [(" ", "field-open"), (marked, "taken"), (" ", "field-open")]
    before = tail_of(text[: line.at], room - 1, glyphs.ellipsis)
    rest = text[line.at :]
    style = "field-open"
    if not rest:
        rest, style = completion, "field-rest"
    return [
        (f" {before}", "field-open"),
        (rest[:1] or " ", "taken"),
        (head_of(rest[1:], max(0, room - cell_len(before) - 1), glyphs.ellipsis), style),
    ]
