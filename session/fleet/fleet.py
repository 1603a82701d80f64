"""The fold of a fleet's lines: its ranks' figures and what the links carried, nothing else kept."""

from __future__ import annotations

import itertools

import msgspec

from roofwatch.session.fleet.lines import (
    AnyLine,
    CollectiveLine,
    EndLine,
    GoneLine,
    Header,
    LinkLine,
    NoteLine,
    OverlapLine,
    RankLine,
)
from roofwatch.session.fleet.rank_figures import RankFigures, rank_figures


class Fleet:
    """What is known so far. Records themselves stay in the file: a thousand are large."""

    def __init__(self) -> None:
        self.header = Header(schema="")
        self.ranks: dict[int, RankFigures] = {}
        self.collectives: list[CollectiveLine] = []
        self.links: list[LinkLine] = []
        self.overlap: OverlapLine | None = None
        self.notes: list[NoteLine] = []
        self.end: EndLine | None = None

    def add(self, line: AnyLine) -> None:
        """Take one line; a rank's last one stands.

        Raises:
            msgspec.ValidationError: a record in it is none.
        """
        if isinstance(line, Header):
            self.header = line
        elif isinstance(line, RankLine):
            self.ranks[line.rank] = rank_figures(line, self.header.device or None)
        elif isinstance(line, GoneLine):
            if line.rank in self.ranks:
                self.ranks[line.rank] = msgspec.structs.replace(
                    self.ranks[line.rank], state=line.state, why=line.why
                )
        elif isinstance(line, CollectiveLine):
            self.collectives.append(line)
        elif isinstance(line, LinkLine):
            self.links.append(line)
        elif isinstance(line, OverlapLine):
            self.overlap = line
        elif isinstance(line, NoteLine):
            self.notes.append(line)
        else:
            self.end = line

    @property
    def in_order(self) -> list[RankFigures]:
        """The ranks by number."""
        return [self.ranks[rank] for rank in sorted(self.ranks)]

    def noted(self, note: NoteLine) -> str:
        """A note in words, with the rank that it is of."""
        if note.rank is None:
            return note.text
        r = self.ranks.get(note.rank)
        return f"{r.who if r else f'rank {note.rank}'}: {note.text}"

    @property
    def world(self) -> int:
        """How many ranks it has: as many as were started, or as came."""
        return max(self.header.world, len(self.ranks))

    @property
    def troubled(self) -> list[RankFigures]:
        """Ranks that did not do all they were to: not come, cut short, or a fault in the record."""
        return [r for r in self.in_order if not r.whole]

    def missing(self, most: int) -> list[int]:
        """The first ``most`` ranks of which the file has no line."""
        lacking = (rank for rank in range(self.header.world) if rank not in self.ranks)
        return list(itertools.islice(lacking, most))

    @property
    def nodes(self) -> dict[str, list[RankFigures]]:
        """The ranks of each node, in order; those that never came are on none."""
        found: dict[str, list[RankFigures]] = {}
        for r in self.in_order:
            if r.node:
                found.setdefault(r.node, []).append(r)
        return found

    def metrics(self) -> list[str]:
        """Names of the figures that any rank has, in the order in which they were measured."""
        return list(dict.fromkeys(name for r in self.in_order for name in r.figures))


class Complete(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a fleet came."""

    ranks: int
    world: int


def complete(fleet: Fleet) -> Complete:
    """Ranks with figures, of all."""
    known = sum(bool(r.figures) for r in fleet.ranks.values())
    return Complete(ranks=known, world=fleet.world)
