"""The keys of the grid, and what its marks mean."""

from __future__ import annotations

from rich.cells import cell_len

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row
from roofwatch.tui.fleet.doubt_rows import DOUBT
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

MOST = (84, 40)
SIGN = 16  # cells of the column of keys
KEYS = (
    ("{ud} j k", "the rank above, below"),
    ("PgUp PgDn Space", "a screenful of ranks"),
    ("Home End g G", "the first, the last rank"),
    ("{lr} h l", "the figures beside"),
    ("n", "the next rank that is slow or not whole, with the figure that makes it so; where there "
          "is none, the slow links"),
    ("Enter", "the page of the rank: each figure, its links, causes, findings"),
    ("c", "the links: collectives, pairs, overlap, the third roof"),
    ("t", "the next theme"),
    ("? F1", "this page"),
    ("q Esc", "leave; Esc on a page closes the page"),
)  # fmt: skip

SLOW = (
    "slow: further under the median (of two ranks: under the faster) than cards of one kind differ "
    "by, or at half of the best; beside a median: too far apart to name one"
)
AGAINST = (
    "how far a figure lies from the median of all ranks with such a card; of two ranks from the "
    "faster (power and heat: from the higher)"
)


def help_rows(cells: int, glyphs: Glyphs) -> list[Row]:
    """The keys, then the marks."""
    marks = (
        (glyphs.warn, SLOW, "warn"),
        (glyphs.wrong, "not whole: it died, went silent, never came, or has a fault", "wrong"),
        (DOUBT, "not to be believed: a finding of the rank's own record says why", "warn"),
        ("+1.2 %", AGAINST, ""),
        ("n/a", "it was not measured there", "dim"),
    )
    out: list[Row] = []
    for key, told in KEYS:
        sign = key.format(ud=glyphs.up_down, lr=glyphs.left_right)
        out += _told(sign, told, "key", cells)
    out.append(row(""))
    for sign, told, style in marks:
        out += _told(sign, told, style, cells)
    return out


def _told(sign: str, told: str, style: str, cells: int) -> list[Row]:
    return hung(sign + " " * max(1, SIGN - cell_len(sign)), told, cells, of_head=style)


class FleetHelp(ScrolledSheet):
    """The help, opened; the arrows move it, any other key closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 0, "Keys", any_key=True)

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return help_rows(cells, self.glyphs)
