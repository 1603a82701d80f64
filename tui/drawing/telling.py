"""Which rows of a long table stand where there is room for few of them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from roofwatch.tui.drawing.glyphs import Glyphs


def telling(count: int, lines: int, *keep: int | None) -> list[int]:
    """``lines`` of ``count`` rows in their order: both ends, ``keep``, then the widest gaps halved.

    Of several to keep the earlier named come first; None is none.
    """
    if lines >= count:
        return list(range(count))
    ends = [0, count - 1, *(i for i in keep if i is not None)]
    chosen = sorted(list(dict.fromkeys(ends))[: max(0, lines)])
    while len(chosen) < lines:
        gap, at = max((b - a, -a) for a, b in pairwise([*chosen, count]))
        chosen = sorted([*chosen, -at + gap // 2])
    return chosen


def left_out(names: Sequence[str], reach: str, cells: int) -> str:
    """Which rows between others are not there, and the key to them: by name where there is room."""
    which, count = ", ".join(names), len(names)
    ways = (f"{reach} shows {which}", f"{reach}: {which}", f"{reach} shows {count} others")
    return next((w for w in ways if len(w) <= cells), f"{count} more: {reach}")


def more_rows(count: int, reach: str) -> str:
    """How many rows are out of sight, and the key that leads there."""
    return f"{count} more row{'' if count == 1 else 's'}: {reach}"


def arrows(glyphs: Glyphs) -> tuple[str, str]:
    """The keys up and down."""
    if "/" in glyphs.up_down:
        up, _, down = glyphs.up_down.partition("/")
        return up, down
    return glyphs.up_down[0], glyphs.up_down[1]
