"""Which rows of a long table stand where there is room for few of them."""

from __future__ import annotations

from itertools import pairwise

from roofwatch.tui.drawing.glyphs import ASCII, Glyphs


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


def more_rows(count: int, reach: str) -> str:
    """How many rows are out of sight, and the key that leads there."""
    return f"{count} more row{'' if count == 1 else 's'}: {reach}"


def arrows(glyphs: Glyphs) -> tuple[str, str]:
    """The keys up and down: by their names where ``v`` would be read as the letter."""
    return ("up", "down") if glyphs is ASCII else (glyphs.up_down[0], glyphs.up_down[1])
