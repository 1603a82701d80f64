"""Every worked example of the three seeds, in the order of their days."""

from __future__ import annotations

from roofwatch.roofline import (
    example_day_1,
    example_day_18_cache,
    example_day_18_points,
    example_day_18_ridges,
    example_day_18_steps,
    example_h100_note,
)
from roofwatch.roofline.example import DAY_1, DAY_18, H100_NOTE, Example, Seeds

TITLES = {
    DAY_1: "Day 1: which of three bottlenecks",
    DAY_18: "Day 18: one's own roofline, the batch and the KV cache",
    H100_NOTE: "H100 note: compute or bytes",
}
WHOSE = (
    "the worked examples of the three notes that the project grew from (its seeds: "
    f"{DAY_1}, {DAY_18}, {H100_NOTE})"
)
PARTS = (
    example_day_1,
    example_day_18_ridges,
    example_day_18_cache,
    example_day_18_steps,
    example_day_18_points,
    example_h100_note,
)


def worked_examples(seeds: Seeds) -> list[Example]:
    """All of them, worked out from these cards and models.

    Raises:
        ValueError: a card lacks a figure that an example needs.
    """
    return [found for part in PARTS for found in part.examples(seeds)]
