"""The help: every key, and what the marks of the screen mean."""

from __future__ import annotations

from rich.cells import cell_len
from textual import events

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, page, row
from roofwatch.tui.screen.keys import GROUPS, KEYS
from roofwatch.tui.widgets.sheet import Sheet

MOST = (84, 58)
SIGN = 12  # cells of the column of keys


def body(cells: int, glyphs: Glyphs) -> list[Row]:
    """All rows: the keys by where they act, then the marks."""
    out: list[Row] = []
    for group in GROUPS:
        out += [row((group[0].upper() + group[1:], "title"))]
        for key in KEYS:
            if key.group == group:
                sign = key.sign.format(lr=glyphs.left_right, ud=glyphs.up_down)
                out += _told(sign, key.told, cells, "key")
        out.append(row(""))
    out.append(row(("What the marks mean", "title")))
    for sign, told, style in _marks(glyphs):
        out += _told(sign, told, cells, style)
    return [*out, row(""), *hung("", KEPT, cells)]


KEPT = "A link that drops keeps the session's file; inside tmux it keeps the run as well."


def _told(sign: str, told: str, cells: int, style: str) -> list[Row]:
    room = " " * max(1, SIGN - cell_len(sign))
    return hung(f"{sign}{room}", told, cells, of_head=style)


def _marks(g: Glyphs) -> tuple[tuple[str, str, str], ...]:
    return (
        (g.nominal * 3, "nominal: the datasheet, never quite reached", "nominal"),
        (g.flat * 3, "burst: a rested card, for at most 20 ms", "burst"),
        (g.sustained * 3, "sustained: what it holds for seconds under its limits", "sustained"),
        (g.shade * 3, "expected: where a number should land, written before it is measured", "dim"),
        ("A B C", "points of the table; own: it defines the roof it would be measured by", ""),
        (g.sweep, "squares of rising size", ""),
        (g.upright, "the ridge, and the distances of the point under the cursor", "dim"),
        (g.axis_break, "a broken axis: its rows are not equal steps", "axis"),
        (g.ok, "inside the range expected", "ok"),
        (g.warn, "outside it, or not to be believed as it stands", "warn"),
        (g.wrong, "wrong: arithmetic or physics rules it out", "wrong"),
        (g.note, "a note: it explains, it does not blame", "note"),
        ("+", "over 100 %: its page says why", ""),
        (g.band * 2, "the probe that is running", "running"),
    )


def build(cells: int, height: int, glyphs: Glyphs, scroll: int = 0) -> list[Row]:
    """What of it fits from row ``scroll`` on."""
    rows = body(cells, glyphs)
    return page(rows[scroll:], cells, min(height, len(rows)))


class HelpPage(Sheet):
    """The help, opened; the arrows move it, any other key closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST)
        self._scroll = 0

    def build(self, cells: int, height: int) -> list[Row]:
        """The page in the room there is; the frame says how much is left."""
        left = len(body(cells, self.glyphs)) - height - self._scroll
        more = f"{left} more rows: {self.glyphs.up_down}   " if left > 0 else ""
        self.frame("Keys", f"{more}any other key closes this")
        return build(cells, height, self.glyphs, self._scroll)

    def on_key(self, event: events.Key) -> None:
        """Move, or close."""
        event.stop()
        cells, height = self.room()
        by = {"down": 1, "j": 1, "up": -1, "k": -1}.get(event.key)
        by = {"pagedown": height - 1, "pageup": 1 - height}.get(event.key, by)
        if by is None:
            self.close()
            return
        last = max(0, len(body(cells, self.glyphs)) - height)
        self._scroll = min(last, max(0, self._scroll + by))
        self.draw()
