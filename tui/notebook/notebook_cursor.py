"""Where one stands in the notebook: on which finding, and from which row on it is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from roofwatch.notebook.finding import Finding


class Place(NamedTuple):
    """``finding`` counts findings, ``first`` rows."""

    finding: int = 0
    first: int = 0


def moved(
    place: Place, step: int, spans: Sequence[tuple[int, int]], length: int, height: int
) -> Place:
    """The place one finding on or back. ``spans`` are each finding's first row and one past its
    last; beyond the first and the last finding the rows before and after come into view, and from
    rows before a finding that is not yet in view the way on leads through them."""
    to = place.finding + step
    below = place.finding < len(spans) and spans[place.finding][0] >= place.first + height - 1
    if not 0 <= to < len(spans) or (step > 0 and below):
        return Place(place.finding, _held(place.first + step, length, height))
    return Place(to, _held(_in_view(place.first, spans[to], height), length, height))


def paged(
    place: Place, rows: int, spans: Sequence[tuple[int, int]], length: int, height: int
) -> Place:
    """The place some rows on or back, on the first finding that begins there, never against the
    way; where the rows can move no further, on the last finding, or the first."""
    first = _held(place.first + rows, length, height)
    last = max(0, len(spans) - 1)
    if first == place.first:
        return Place(last if rows > 0 else 0, first)
    at = next((i for i, (head, _) in enumerate(spans) if head >= first), last)
    return Place(max(at, place.finding) if rows > 0 else min(at, place.finding), first)


def ended(
    place: Place, way: int, spans: Sequence[tuple[int, int]], length: int, height: int
) -> Place:
    """The first finding and the first row, or the last of both."""
    if way < 0:
        return Place()
    return Place(max(0, len(spans) - 1), _held(length, length, height))


def followed(place: Place, before: Sequence[Finding], after: Sequence[Finding]) -> Place:
    """The place on the same finding, now that a run has put others above it."""
    at = place.finding
    old = before[at] if at < len(before) else None
    alike = [
        i for i, f in enumerate(after) if old and (f.code, f.subject) == (old.code, old.subject)
    ]
    same = [i for i in alike if after[i] == old] or alike
    to = min(same, key=lambda i: abs(i - at), default=min(at, max(0, len(after) - 1)))
    return place._replace(finding=to)


def _in_view(first: int, span: tuple[int, int], height: int) -> int:
    """``first``, moved as little as shows the whole span, or its beginning where it is longer."""
    head, end = span
    room = height - 1  # the last row may be taken by what is left
    return min(head, max(first, end - room))


def _held(first: int, length: int, height: int) -> int:
    return min(max(0, length - height), max(0, first))
