"""What held the clock, one row over time: words where there is room, bars as long as it lasted."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from roofwatch.roofline.reasons import word
from roofwatch.tui.drawing.canvas import Canvas
from roofwatch.tui.drawing.glyphs import Glyphs
from roofwatch.tui.drawing.rows_of_text import Row

IDLE = "idle"
SHORT = {
    "power limit": "power",
    "hardware thermal slowdown": "hw thermal",
    "hardware slowdown": "hw slowdown",
    "thermal slowdown": "thermal",
    "application clocks": "app clocks",
    "display clocks": "display",
}
"""Shorter words for the same reasons."""


def limit_cells(masks: Sequence[int | None], glyphs: Glyphs) -> Row:
    """One row of as many cells as there are masks, each of all reasons in its column."""
    canvas = Canvas(len(masks), 1)
    told = ["" if mask is None else word(mask) for mask in masks]
    stretches: dict[str, list[tuple[int, int]]] = {}
    at = 0
    for text, group in groupby(told):
        cells = len(list(group))
        if text == IDLE:
            canvas.write(at, 0, glyphs.slope * cells, "dim")  # a dot in any terminal
        elif text:
            canvas.write(at, 0, glyphs.full * cells, "reason")
            stretches.setdefault(text, []).append((at, cells))
        at += cells
    free = [text in ("", IDLE) for text in told]
    # The longest first: what is short may have to give way.
    for text, found in sorted(stretches.items(), key=lambda item: -max(c for _, c in item[1])):
        for first, name in _names((text, SHORT.get(text, text)), found, free):
            canvas.write(first, 0, name, "reason")
    return canvas.row(0)


def _names(
    names: tuple[str, str], found: list[tuple[int, int]], free: list[bool]
) -> list[tuple[int, str]]:
    """(cell, text): a reason in each stretch that has room for it, else once beside the longest."""
    inside = [
        (first, f"{name} ")
        for first, cells in found
        if (name := next((n for n in names if len(n) + 2 <= cells), ""))
    ]
    if inside:
        return inside
    first, cells = max(found, key=lambda stretch: stretch[1])
    for name in names:
        text = f" {name} "
        for x in (first + cells, first - len(text)):
            if 0 <= x <= len(free) - len(text) and all(free[x : x + len(text)]):
                free[x : x + len(text)] = [False] * len(text)
                return [(x, text)]
    return []
