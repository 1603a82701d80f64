"""A curve of one range a column, drawn in the dots of cells without plotext.

What a column looks like depends on itself and on its two neighbours only. So the picture of the
past never changes: as time goes on it moves by whole cells, and a level clock is the same
character in every one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.canvas import BRAILLE, Canvas
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.railed_scale import RailedScale

Range = tuple[float, float]
Curve = list[Range | None]
Level = tuple[int, int]  # first and last dot

IN_ASCII = {0x01: "'", 0x02: "*", 0x04: "."}  # a dot high, in the middle, low
LEFT_DOTS, RIGHT_DOTS = (0x01, 0x02, 0x04, 0x40), (0x08, 0x10, 0x20, 0x80)


def dots_of(glyphs: Glyphs) -> int:
    """Dots that a cell has above each other."""
    return len(LEFT_DOTS if glyphs.curve == "braille" else IN_ASCII)


def held_over(curve: Sequence[Range | None], longest: int, end: int) -> Curve:
    """Gaps of at most ``longest`` columns take the range before them: readings come by the tenth
    of a second, so that short columns have none. A line over a longer gap would be invented, as
    would one from column ``end`` on, which is yet to come."""
    out: Curve = list(curve)
    last: int | None = None
    for at in range(min(end, len(curve)) + 1):
        if at < min(end, len(curve)) and curve[at] is None:
            continue
        if last is not None and 1 < at - last <= longest + 1:
            out[last + 1 : at] = [curve[last]] * (at - last - 1)
        last = at
    return out


def draw(
    canvas: Canvas, curve: Curve, lead: int, scale: RailedScale, glyphs: Glyphs, style: str
) -> None:
    """Lay the curve over the canvas; its first ``lead`` columns stand left of it, unseen."""
    bits = [[0] * canvas.width for _ in range(canvas.height)]
    levels = [None if each is None else _level(each, scale) for each in curve]
    for x, (before, level, after) in enumerate(
        zip([None, *levels], levels, [*levels[1:], None], strict=False), -lead
    ):
        if level is not None and 0 <= x < canvas.width:
            _mark(bits, x, level, before, after, scale.dots)
    laid = ["".join(_char(b, glyphs) if b else " " for b in line) for line in bits]
    canvas.lay(laid, style)


def _char(dots: int, glyphs: Glyphs) -> str:
    """A cell; in ASCII a level tells its height, a run does not."""
    if glyphs.curve == "braille":
        return chr(BRAILLE | dots)
    left = dots & (LEFT_DOTS[0] | LEFT_DOTS[1] | LEFT_DOTS[2])
    return IN_ASCII.get(left, glyphs.curve)


def _level(each: Range, scale: RailedScale) -> Level:
    """First and last dot of a column's range; noise of one dot is none."""
    first, last = scale.dot(each[1]), scale.dot(each[0])
    if last - first > 1:
        return first, last
    middle = scale.dot((each[0] + each[1]) / 2)
    return middle, middle


def _mark(
    bits: list[list[int]],
    x: int,
    level: Level,
    before: Level | None,
    after: Level | None,
    dots: int,
) -> None:
    """One column: its range, reached by a run from where the one before ended, left by a dot where
    the next one begins."""
    first, last = level
    high, low = first, last
    if before is not None:
        high = min(high, before[1] + 1)
        low = max(low, before[0] - 1)
    for dot in range(high, low + 1):
        bits[dot // dots][x] |= LEFT_DOTS[dot % dots]
    leaves = first if first == last else None
    if leaves is None and after is not None:
        leaves = min(max(after[0], first), last)
    if leaves is not None:
        bits[leaves // dots][x] |= RIGHT_DOTS[leaves % dots]
