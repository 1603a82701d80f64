"""Figures that a rank's own notebook doubts: spread compares them, and cannot see that."""

from __future__ import annotations

import msgspec

from roofwatch.notebook.finding import SUSPECT, WRONG
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import RankFigures

GRAVE = (SUSPECT, WRONG)


class Doubted(msgspec.Struct, frozen=True, kw_only=True):
    """Figures of a rank of which its record has one finding of severity suspect or wrong."""

    rank: int
    code: str
    figures: tuple[str, ...]


def doubted(fleet: Fleet) -> list[Doubted]:
    """Rank by rank, a code of a rank once, in the order of its record."""
    return [each for r in fleet.in_order for each in _of(r)]


def _of(r: RankFigures) -> list[Doubted]:
    codes: dict[str, dict[str, None]] = {}
    for f in r.findings:
        if f.severity in GRAVE and f.subject in r.figures:  # not what is of the card as a whole
            codes.setdefault(f.code, {})[f.subject] = None
    return [Doubted(rank=r.rank, code=c, figures=tuple(names)) for c, names in codes.items()]


def doubted_figures(found: list[Doubted]) -> set[tuple[int, str]]:
    """Rank and name of each such figure."""
    return {(d.rank, name) for d in found for name in d.figures}
