"""Rows with a name at their left, or above them where that is too narrow."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.rows_of_text import Row, hung, row, wrapped

NAME = 13  # cells of the name
BESIDE = 60  # cells from which names stand beside what they name
INDENT = 2  # cells of what stands under its name


def room(cells: int) -> int:
    """Cells right of the names."""
    return cells - (NAME if cells >= BESIDE else INDENT)


def labelled(name: str, text: str, cells: int, style: str = "") -> list[Row]:
    """A text of any length."""
    if cells >= BESIDE:
        return hung(f"{name:<{NAME}}", text, cells, style)
    return [*_named(name), *indented(wrapped(text, cells - INDENT, style))]


def beside(name: str, rows: Sequence[Row], cells: int) -> list[Row]:
    """Rows that were made for ``room(cells)``; the name stands at the first."""
    if not rows:
        return []
    if cells < BESIDE:
        return [*_named(name), *indented(rows)]
    heads = [f"{name:<{NAME}}", *([" " * NAME] * (len(rows) - 1))]
    return [((head, "dim"), *r) for head, r in zip(heads, rows, strict=True)]


def _named(name: str) -> list[Row]:
    return [row((name, "dim"))] if name else []


def indented(rows: Sequence[Row], by: int = INDENT) -> list[Row]:
    """The rows moved to the right."""
    return [((" " * by, ""), *r) for r in rows]
