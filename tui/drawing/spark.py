"""Values in order as one row of blocks."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.tui.drawing.glyphs import Glyphs

LEVEL = 0.02  # values within so much of each other are drawn level


def spark(values: Sequence[float], cells: int, glyphs: Glyphs) -> str:
    """A block a value, or the mean of as many as fall on it; within 2 % the row is level."""
    if not values or cells < 1:
        return ""
    count = min(cells, len(values))
    means = []
    for i in range(count):
        part = values[i * len(values) // count : (i + 1) * len(values) // count]
        means.append(sum(part) / len(part))
    low, high = min(means), max(means)
    reach = max(high - low, LEVEL * high) or 1.0
    top = len(glyphs.spark) - 1
    return "".join(glyphs.spark[min(top, int((m - low) / reach * top + 0.5))] for m in means)
