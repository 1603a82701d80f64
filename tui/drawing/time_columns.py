"""Time cut into the columns of a chart: column k is [k w, (k + 1) w) since the session began.

Whichever columns are on show, each holds the same samples: a chart that goes on with time shifts by
whole cells, and a slow link carries the new column only.
"""

from __future__ import annotations

import math
from typing import NamedTuple

LONG_S = 86400.0
NICE_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 28800, 43200)
LEAST_CELLS = 11  # from a mark of the axis to the next


class TimeColumns(NamedTuple):
    """``size`` columns of ``width_s`` seconds from the one numbered ``first`` on."""

    first: int
    size: int
    width_s: float

    @property
    def window(self) -> tuple[float, float]:
        """Seconds of the session at both edges."""
        return self.first * self.width_s, (self.first + self.size) * self.width_s

    def at(self, t: float) -> int:
        """The column of a moment, counted from the left one; it may lie outside."""
        return math.floor(t / self.width_s) - self.first

    def holds(self, begin_s: float, end_s: float) -> bool:
        """Whether a stretch of time has a part in the window."""
        first, last = self.window
        return end_s >= first and begin_s < last

    def earlier(self, more: int) -> TimeColumns:
        """The same with so many columns before them."""
        return TimeColumns(self.first - more, self.size + more, self.width_s)


def columns_until(end_s: float, length_s: float, count: int, least_s: float = 0.0) -> TimeColumns:
    """``count`` columns over ``length_s``, the last of which holds ``end_s``.

    Where time goes on they move by as many at once as ``least_s`` takes; those that are yet to come
    stay empty.
    """
    width_s = length_s / count
    step = max(1, math.ceil(least_s / width_s))
    last = math.floor(end_s / width_s) // step * step + step - 1
    return TimeColumns(last - count + 1, count, width_s)


def marks(columns: TimeColumns, following: bool, closed: bool = False) -> list[tuple[int, str]]:
    """(column, label) along the axis: how long ago while it follows now, else when.

    Those that say how long ago never move.
    """
    step = _step(columns.width_s * LEAST_CELLS)
    first, last = columns.window
    if not following:
        moments = range(math.ceil(first / step), math.ceil(last / step))
        return [(columns.at(k * step), clock_text(k * step)) for k in moments if k >= 0]
    ago = range(1, int((last - first) / step) + 1)
    at = [(columns.size - 1 - round(k * step / columns.width_s), k) for k in ago]
    newest = "end" if closed else "now"
    return [
        (columns.size - 1, newest),
        *((x, f"-{length_text(k * step)}") for x, k in at if x >= 0),
    ]


def _step(least_s: float) -> float:
    nice = next((s for s in NICE_S if s >= least_s), None)
    return float(nice) if nice else LONG_S * max(1, math.ceil(least_s / LONG_S))


def clock_text(t: float) -> str:
    """A moment of the session: ``0:35``, ``12:30``, ``1:02:30``."""
    minutes, seconds = divmod(round(t), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def length_text(seconds: float) -> str:
    """A round length of time: ``15 s``, ``5 min``, ``1 h``, ``90 min``."""
    for size, unit in ((3600, "h"), (60, "min")):
        if seconds >= size and seconds % size == 0:
            return f"{seconds / size:.0f} {unit}"
    if seconds >= 600:
        return f"{seconds / 60:.0f} min"
    return f"{seconds:.0f} s"
