"""In how many of a fleet's figures its ranks could be compared at all."""

from __future__ import annotations

from typing import NamedTuple

from roofwatch.session.fleet.spreads import Metric


class Compared(NamedTuple):
    """Of the ``judged`` figures so many were ``compared``; ``too_far`` lie too far apart for it."""

    compared: int
    judged: int
    too_far: int

    @property
    def in_some(self) -> str:
        """In which of them: empty where it is all."""
        some = self.compared < self.judged
        return f" in {self.compared} of {self.judged} figures" if some else ""


def compared(found: list[Metric]) -> Compared:
    """Of the figures by which a low one is a slow card."""
    judged, far = [m for m in found if m.judged], sum(m.too_far for m in found)
    return Compared(sum(m.comparable for m in judged) - far, len(judged), far)
