"""The help: every key, and what the marks of the screen mean."""

from __future__ import annotations

from rich.cells import cell_len

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row, wrapped
from roofwatch.tui.drawing.scrolled import scrolled
from roofwatch.tui.screen.keys import GROUPS, KEYS
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

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
    out += wrapped("What the marks mean", cells, "title")
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
        (g.axis_break, "an uneven axis: over and under it a row is another step", "axis"),
        (g.ok, "inside the range expected", "ok"),
        (g.warn, "outside it, or not to be believed as it stands", "warn"),
        (g.wrong, "wrong: arithmetic or physics rules it out", "wrong"),
        (g.note, "a note: it explains, it does not blame", "note"),
        ("+", "over 100 %: its page says why", ""),
        (g.band * 2, "the probe that is running", "running"),
    )


def build(cells: int, height: int, glyphs: Glyphs, scroll: int = 0) -> list[Row]:
    """What of it fits from row ``scroll`` on."""
    return scrolled(body(cells, glyphs), 0, cells, height, scroll)


class HelpPage(ScrolledSheet):
    """The help, opened; the arrows move it, any other key closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 0, "Keys", any_key=True)

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return body(cells, self.glyphs)
