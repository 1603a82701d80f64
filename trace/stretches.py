"""How a stream's time splits: the union of what ran on it, and the gaps within a span."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Stretch = tuple[int, int]
"""Begin and end in nanoseconds."""


class Split(NamedTuple):
    """Nanoseconds of a span; ``united`` are the busy stretches in order, none touching another."""

    busy_ns: int
    gap_ns: int
    longest_gap_ns: int
    united: list[Stretch]


def split(stretches: Iterable[Stretch], span: Stretch) -> Split:
    """Busy and gap of a span that holds all of them."""
    united: list[Stretch] = []
    for begin, end in sorted(stretches):
        if united and begin <= united[-1][1]:
            if end > united[-1][1]:
                united[-1] = (united[-1][0], end)
        else:
            united.append((begin, end))
    busy = sum(end - begin for begin, end in united)
    edges = [span[0], *(edge for stretch in united for edge in stretch), span[1]]
    longest = max((edges[i + 1] - edges[i] for i in range(0, len(edges), 2)), default=0)
    return Split(busy, span[1] - span[0] - busy, longest, united)


def over_time(united: Sequence[Stretch], span: Stretch, parts: int) -> list[float]:
    """Busy shares of ``parts`` equal parts of the span."""
    begin, length = span[0], span[1] - span[0]
    if length <= 0:
        return []
    out = [0.0] * parts
    for first, last in united:
        low, high = (first - begin) * parts / length, (last - begin) * parts / length
        at = min(parts - 1, int(low))
        if high <= at + 1:
            out[at] += high - low
            continue
        while low < high and at < parts:
            edge = min(high, at + 1.0)
            out[at] += edge - low
            low, at = max(edge, float(at + 1)), at + 1
    return [min(1.0, share) for share in out]
