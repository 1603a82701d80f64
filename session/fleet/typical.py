"""The one figure that stands for those of all ranks."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.statistics import median


def typical(values: Sequence[float]) -> float:
    """Their median; of two ranks the slower: between them lies a mean that no card has, and what
    both do together waits for that one. ``values`` are rates and not empty."""
    return min(values) if len(values) == 2 else median(list(values))
