"""The command palette: a line is typed, the commands that match it stand below, the best first.

Of Textual's own only the fuzzy matcher is used: its palette ends the app when Enter is pressed
twice at once, when it is paged before it has rows, and in a terminal of a few columns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from textual import events
from textual.fuzzy import Matcher

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, fit, page, row, spread
from roofwatch.tui.drawing.typed_line import TypedLine, drawn
from roofwatch.tui.screen.commands import Command
from roofwatch.tui.widgets.sheet import Sheet

MOST = (76, 24)
HEAD = 2  # rows above the commands: the line, and a blank one


def matching(commands: Sequence[Command], typed: str) -> list[Command]:
    """Those that match what is typed, the best first; all in their order before anything is.

    The word itself goes before one that begins so, that before one that has it within, and this
    before letters apart.
    """
    wanted = typed.strip().lower()
    if not wanted:
        return list(commands)
    scores = {c: Matcher(wanted).match(c.title) for c in commands}
    found = [c for c in commands if scores[c] > 0]
    return sorted(found, key=lambda c: _nearness(c.title.lower(), wanted, scores[c]))


def _nearness(title: str, wanted: str, score: float) -> tuple[int, float]:
    """Smaller is nearer."""
    ways = (rf"\b{re.escape(wanted)}\b", rf"\b{re.escape(wanted)}", re.escape(wanted))
    rank = next((i for i, way in enumerate(ways) if re.search(way, title)), len(ways))
    return rank, -score if rank == len(ways) else 0.0


def build(
    commands: Sequence[Command], line: TypedLine, at: int, cells: int, height: int, glyphs: Glyphs
) -> list[Row]:
    """The line, and as many commands as fit, the one under the cursor among them."""
    room = max(1, height - HEAD)
    first = max(0, min(at - room + 1, len(commands) - room))
    hint = "" if line.text else "type a part of its name"
    out: list[Row] = [fit(drawn(line, hint, cells - 2, glyphs), cells), ()]
    for i, command in enumerate(commands[first : first + room], first):
        here = "-here" if i == at else ""
        mark = glyphs.here if here else " "
        left = row((f"{mark}{command.title}", f"strong{here}" if here else ""))
        out.append(spread(left, row((f"{command.sign} ", f"dim{here}")), cells))
    if not commands:
        out.append(row((" no command of that name", "dim")))
    return page(out, cells, min(height, len(out)))


class CommandPage(Sheet):
    """The palette, opened; ``act`` runs the action of the command that is chosen."""

    def __init__(
        self, commands: Sequence[Command], act: Callable[[str], None], glyphs: Glyphs
    ) -> None:
        super().__init__(glyphs, MOST)
        self._all = tuple(commands)
        self._act = act
        self._line = TypedLine()
        self._at = 0

    def build(self, cells: int, height: int) -> list[Row]:
        """The page in the room there is; the frame says how many there are."""
        found = matching(self._all, self._line.text)
        keys = f"{self.glyphs.up_down} Enter   Esc closes"
        self.frame("Commands", f"{len(found)} of {len(self._all)}   {keys}")
        return build(found, self._line, self._at, cells, height, self.glyphs)

    def on_key(self, event: events.Key) -> None:
        """Choose, type, or close."""
        event.stop()
        found = matching(self._all, self._line.text)
        step = {"down": 1, "up": -1, "pagedown": 10, "pageup": -10}.get(event.key)
        if event.key in ("escape", "ctrl+p"):
            self.close()
        elif event.key == "enter":
            if found and self.is_current:
                self.close()
                self._act(found[min(self._at, len(found) - 1)].action)
        elif step is not None:
            self.wheel(step)
        elif (line := self._line.key(event.key, event.character)) is not None:
            self._line, self._at = line, 0
            self.draw()

    def wheel(self, step: int) -> None:
        """The cursor, so many commands on or back."""
        last = len(matching(self._all, self._line.text)) - 1
        self._at = max(0, min(last, self._at + step))
        self.draw()

    def on_paste(self, event: events.Paste) -> None:
        """The first line of what is pasted."""
        event.stop()
        self._line = self._line.typed((event.text.strip().splitlines() or [""])[0])
        self._at = 0
        self.draw()
