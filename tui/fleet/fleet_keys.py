"""The keys of a fleet's screen: bindings, footer and help are made of this table."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row, hung, row
from roofwatch.tui.widgets.scrolled_sheet import ScrolledSheet

FAR = 1 << 20  # more ranks than a fleet has
MOST = (76, 24)
SIGN = 12  # cells of the column of keys


class FleetKey(NamedTuple):
    """``sign`` is how the help names it, ``offer`` its word in the footer, if it stands there."""

    sign: str
    told: str
    keys: tuple[tuple[str, str], ...]  # as Textual binds them, and to which action
    offer: str = ""


KEYS = (
    FleetKey("q", "quit; Esc as well", (("q,escape,ctrl+c,ctrl+q", "quit"),), "quit"),
    FleetKey("?", "the keys", (("question_mark,f1", "help"),), "help"),
    FleetKey(
        "{ud}",
        "the rank above or below; j k as well",
        (("up,k", "move(-1)"), ("down,j", "move(1)")),
        "rank",
    ),
    FleetKey(
        "PgDn PgUp",
        "a screenful of ranks; Space as well",
        (("pageup", "page(-1)"), ("pagedown,space", "page(1)")),
    ),
    FleetKey(
        "Home End",
        "the first rank, the last; g G as well",
        (("home,g", f"move({-FAR})"), ("end,G", f"move({FAR})")),
    ),
    FleetKey(
        "{lr}",
        "the figures beside, where not all have room; h l as well",
        (("left,h", "aside(-1)"), ("right,l", "aside(1)")),
        "figure",
    ),
    FleetKey(
        "Enter", "the page of the rank: its figures, causes, faults", (("enter", "open"),), "open"
    ),
    FleetKey("n", "the next rank that is slow or not whole", (("n", "next"),), "next slow"),
    FleetKey("t", "dark, light or high contrast", (("t", "theme"),)),
)


def body(cells: int, glyphs: Glyphs) -> list[Row]:
    """All rows of the help: the keys, then the marks."""
    out: list[Row] = []
    for key in KEYS:
        sign = key.sign.format(lr=glyphs.left_right, ud=glyphs.up_down)
        out += hung(f"{sign:<{SIGN}}", key.told, cells, of_head="key")
    out += [row(""), row(("What the marks mean", "title"))]
    for mark, told, style in (
        (glyphs.warn, "slow beside the others, in the figure that it stands at", "warn"),
        (glyphs.wrong, "not whole: it died, stalled or measured only a part", "wrong"),
    ):
        out += hung(f"{mark:<{SIGN}}", told, cells, of_head=style)
    return out


class FleetHelp(ScrolledSheet):
    """The help, opened; any other key than the arrows closes it."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(glyphs, MOST, 0, "Keys", any_key=True)

    def whole(self, cells: int) -> list[Row]:
        """All rows."""
        return body(cells, self.glyphs)
