"""Several sessions, each held against the first: what ``roofwatch compare`` says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from roofwatch.roofline.toml_text import one_line
from roofwatch.session.compare import (
    HOSTS,
    SLOWER,
    Comparison,
    Missing,
    Pair,
    Which,
    compare,
)
from roofwatch.session.comparison_words import noise_said
from roofwatch.session.differences import Condition
from roofwatch.session.fold import Session
from roofwatch.session.same_card import same_card


class CompareRefused(ValueError):
    """These cannot be compared, or not so; one clear line says why."""

    def __init__(self, said: str) -> None:
        super().__init__(one_line(said))


class Named(NamedTuple):
    """A session by the name that it was asked for."""

    name: str
    session: Session


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """One session held against the first; ``name`` is its own."""

    name: str
    told: Comparison

    @property
    def slower(self) -> list[Pair]:
        """What is worse here beyond noise, like against like."""
        return [p for p in self.told.pairs if p.verdict == SLOWER]


class SideBySide(msgspec.Struct, frozen=True, kw_only=True):
    """The first session's name, and the others, of which there is at least one."""

    name: str
    others: list[Against]


def side_by_side(sessions: Sequence[Named], strict: bool = False) -> SideBySide:
    """Each of the others against the first.

    Raises:
        CompareRefused: two measured nothing in common; with ``strict`` also where they are not,
            or are not known to be, of one card.
    """
    first, *rest = sessions
    others = []
    for one in rest:
        told = compare(first.session, one.session)
        if not told.pairs:
            raise CompareRefused(_nothing(first, one, told))
        if strict and not same_card(first.session, one.session):
            raise CompareRefused(
                f"--strict is of one card over time: {one.name} is not known to be of the card "
                f"of {first.name}"
            )
        others.append(Against(name=one.name, told=told))
    return SideBySide(name=first.name, others=others)


def _nothing(first: Named, one: Named, told: Comparison) -> str:
    """Why two have nothing in common."""
    for named, side in ((first, "a"), (one, "b")):
        if not any(m.only == side for m in told.missing):
            suite = named.session.suite
            return f"{named.name}: measured nothing that can be compared (suite {suite})"
    suites = f"{first.session.suite} and {one.session.suite}"
    return f"{one.name}: measured nothing that {first.name} did (suites {suites})"


class _Pair(Pair, frozen=True, kw_only=True):
    """``noise`` is the word that stands in the row; ``notes`` say the doubts too."""

    session: str
    noise: str


class _Condition(Condition, frozen=True, kw_only=True):
    session: str


class _Missing(Missing, frozen=True, kw_only=True):
    session: str


class _Which(Which, frozen=True, kw_only=True):
    session: str


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """The same as ``--json`` prints it: ``session`` names what stands against the first."""

    pairs: list[_Pair]
    conditions: list[_Condition]
    missing: list[_Missing]
    sessions: list[_Which]


def printed(told: SideBySide) -> Printed:
    """One list of each, in the order of the sessions."""
    return Printed(
        pairs=[_printed(o.name, p) for o in told.others for p in o.told.pairs],
        conditions=[
            _Condition(session=o.name, **_fields(c)) for o in told.others for c in o.told.conditions
        ],
        missing=[
            _Missing(session=o.name, **_fields(m)) for o in told.others for m in o.told.missing
        ],
        sessions=[
            _Which(session=told.name, **_fields(told.others[0].told.a)),
            *(_Which(session=o.name, **_fields(o.told.b)) for o in told.others),
        ],
    )


def _printed(session: str, p: Pair) -> _Pair:
    doubts = [f"not to be believed in {side.upper()}: {why}" for side, why in p.doubts.items()]
    notes = [*p.notes, *([HOSTS] if p.hosts_apart else []), *doubts]
    return _Pair(session=session, noise=noise_said(p), **{**_fields(p), "notes": notes})


def _fields(of: msgspec.Struct) -> dict[str, Any]:
    return {name: getattr(of, name) for name in of.__struct_fields__}
