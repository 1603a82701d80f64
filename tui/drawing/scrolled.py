"""A page that has more rows than room: its head stays, the rest is moved."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.rows_of_text import Row, page


def last_scroll(length: int, height: int) -> int:
    """How far a page of so many rows can be scrolled."""
    return max(0, length - height)


def scrolled(whole: Sequence[Row], head: int, cells: int, height: int, scroll: int) -> list[Row]:
    """The first ``head`` rows, and what fits of the others from row ``scroll`` on.

    At most ``height`` rows; a scroll beyond the last row is one to it.
    """
    at = min(last_scroll(len(whole), height), max(0, scroll))
    return page([*whole[:head], *whole[head + at :]], cells, min(height, len(whole)))
