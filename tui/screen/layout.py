"""Which panes stand on the screen at a size, and where."""

from __future__ import annotations

from textual.geometry import Size

UPPER = ("roofline", "clocks", "decode")
LOWER = ("probes", "notebook", "kernels")
ALONE = ("plan", "sessions", "trace")

FOUR = (*UPPER[:2], *LOWER[:2])
SIX = (*UPPER, *LOWER)

AROUND = 4  # rows of header, message and footer; the tabs take one more where a pane is alone
LOWER_ROWS = 14  # of the lower of two rows of panes
ROOM_FOR_FOUR = Size(112, 34)
ROOM_FOR_SIX = Size(176, 48)
SMALL = Size(60, 16)  # here and below there is no room for a chart: compact text


def together(area: Size) -> tuple[str, ...]:
    """The panes that stand together; none where one stands alone, under tabs."""
    for least, names in ((ROOM_FOR_SIX, SIX), (ROOM_FOR_FOUR, FOUR)):
        if area.width >= least.width and area.height >= least.height:
            return names
    return ()


def rooms(area: Size, standing: tuple[str, ...]) -> dict[str, Size]:
    """The size of each pane that stands: a pane can be drawn before Textual has laid it out."""
    if len(standing) == 1:
        return {standing[0]: Size(area.width, max(0, area.height - AROUND - 1))}
    height = max(0, area.height - AROUND)
    if standing == SIX:
        upper, widths = height * 3 // 5, _shared(area.width, (3, 2, 2))
    else:
        upper, widths = height - LOWER_ROWS, _shared(area.width, (3, 2))
    found: dict[str, Size] = {}
    for names, rows in ((UPPER, upper), (LOWER, height - upper)):
        found |= {n: Size(w, rows) for n, w in zip(names, widths, strict=False)}
    return found


def _shared(cells: int, parts: tuple[int, ...]) -> list[int]:
    """``cells`` in so many parts of the whole; the last takes what is left over."""
    found = [cells * part // sum(parts) for part in parts]
    return [*found[:-1], cells - sum(found[:-1])]


def small(area: Size) -> bool:
    """Whether a pane is compact text."""
    return area.width <= SMALL.width or area.height <= SMALL.height
