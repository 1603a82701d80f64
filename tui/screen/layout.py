"""Which panes stand on the screen at a size, and where."""

from __future__ import annotations

from textual.geometry import Size

UPPER = ("roofline", "clocks", "decode")
LOWER = ("probes", "notebook", "kernels")
ALONE = ("plan", "sessions")

FOUR = (*UPPER[:2], *LOWER[:2])
SIX = (*UPPER, *LOWER)

ROOM_FOR_FOUR = Size(112, 34)
ROOM_FOR_SIX = Size(176, 48)
SMALL = Size(60, 16)  # here and below there is no room for a chart: compact text


def together(area: Size) -> tuple[str, ...]:
    """The panes that stand together; none where one stands alone, under tabs."""
    for least, names in ((ROOM_FOR_SIX, SIX), (ROOM_FOR_FOUR, FOUR)):
        if area.width >= least.width and area.height >= least.height:
            return names
    return ()


def small(area: Size) -> bool:
    """Whether a pane is compact text."""
    return area.width <= SMALL.width or area.height <= SMALL.height
