"""The plane of a roofline, log10 by log10: which cell of a canvas a value stands in."""

from __future__ import annotations

import math
from typing import NamedTuple

from roofwatch.tui.drawing.curves import cell_of

Limits = tuple[float, float]


class LogPlane(NamedTuple):
    """Intensity (FLOP per byte) goes right, the rate (TFLOP/s) up; limits are in log10."""

    columns: int
    rows: int
    x_limits: Limits
    y_limits: Limits

    def column(self, intensity: float) -> int:
        """The column of an intensity; outside ones stand at the edge."""
        return cell_of(math.log10(intensity), self.x_limits, self.columns)

    def row(self, rate_tflops: float) -> int:
        """The row of a rate, counted from the top; outside ones stand at the edge."""
        return self.rows - 1 - cell_of(math.log10(rate_tflops), self.y_limits, self.rows)

    def x_of(self, column: int) -> float:
        """log10 of the intensity in the middle of a column."""
        low, high = self.x_limits
        return low + (high - low) * column / (self.columns - 1)

    def y_of(self, row: int) -> float:
        """log10 of the rate in the middle of a row."""
        low, high = self.y_limits
        return low + (high - low) * (self.rows - 1 - row) / (self.rows - 1)


def snapped(limits: Limits, rows: int, rate_tflops: float | None) -> Limits:
    """The limits moved by less than a row, so that a rate stands in the middle of its row."""
    low, high = limits
    if rate_tflops is None or rows < 2:
        return limits
    step = (high - low) / (rows - 1)
    at = math.log10(rate_tflops)
    moved = at + round((high - at) / step) * step - high
    return low + moved, high + moved
