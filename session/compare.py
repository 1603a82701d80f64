"""Two sessions side by side: each figure that both have, and the conditions that differ."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.estimate import over
from roofwatch.session.differences import (
    Condition,
    apart_of,
    differences,
    of_one_kind,
)
from roofwatch.session.figures import Figure, figures
from roofwatch.session.fold import Session
from roofwatch.session.noise import TURNS_APART, TURNS_TO_TURNS, leaves_out_1
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import doubted_probes
from roofwatch.session.roofs import roofs

TOO_FEW = "too_few"  # repetitions to tell; a status
UNMEASURED = "not measured"
SEARCHED = ("shape", "layout")  # found anew by each run: the best of each is like the other's best
NONE = "none"
FASTER, SLOWER = "faster", "slower"


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of both. ``ratio`` is B over A, ``interval`` its own of 95 %.

    ``outside_noise``: the interval, widened to one chance in 2000, leaves out 1, and the ratio is
    further from 1 than ``run_to_run``, which fresh runs of one card may lie apart by the same
    chance. ``alike`` is false where the two were not measured in one way, as by other kernels: then
    the ratio is none of the cards'. ``notes`` say what is not alike, and what speaks against a
    figure itself. ``cards_apart`` is the share by which two cards of one kind differ in this
    figure; 0 where both were measured on one card, or on cards of two kinds.
    """

    what: str
    a: float
    b: float
    ratio: float
    interval: tuple[float, float] | None
    outside_noise: bool
    unit: str
    name: str
    group: str
    probe: str
    run_to_run: float
    better: str
    alike: bool
    notes: list[str] = []
    status: dict[str, str] = {}
    cards_apart: float = 0.0

    @property
    def beyond(self) -> bool:
        """Outside the noise, and further from 1 than two cards of one kind lie apart."""
        return self.outside_noise and abs(self.ratio - 1) > self.cards_apart

    @property
    def untold(self) -> bool:
        """Worse by more than runs and cards lie apart, and too few repetitions to tell."""
        if self.interval is not None or not (self.alike and self.better):
            return False
        apart = max(self.run_to_run, self.cards_apart)
        return (self.ratio if self.better == "higher" else 1 / self.ratio) < 1 - apart

    @property
    def verdict(self) -> str:
        """``faster`` or ``slower``: what B is beyond that, like against like; else empty."""
        if not (self.beyond and self.alike and self.better):
            return ""
        return FASTER if (self.ratio > 1) == (self.better == "higher") else SLOWER


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What only one of the two has: a figure, or so many points of one probe."""

    what: str
    only: str  # "a" | "b"
    count: int
    why: str  # in the other one


class Which(msgspec.Struct, frozen=True, kw_only=True):
    """Which session one side is, as it says itself."""

    id: str | None
    started_at: str | None
    name: str | None
    suite: str
    complete: bool
    duration_s: float


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """All of it. ``same`` names the conditions that are known of both and alike."""

    pairs: list[Pair]
    conditions: list[Condition]
    same: list[str]
    missing: list[Missing]
    a: Which
    b: Which

    def count(self, verdict: str) -> int:
        """Pairs in which B is that."""
        return sum(p.verdict == verdict for p in self.pairs)


def compare(a: Session, b: Session) -> Comparison:
    """B held against A: their reported runs."""
    of_a = {(f.what, f.unit): f for f in figures(a)}
    of_b = {(f.what, f.unit): f for f in figures(b)}
    two = of_one_kind(a, b)
    doubts = [("A", doubted_probes(a, roofs(a))), ("B", doubted_probes(b, roofs(b)))]
    both = [(f, of_b[key]) for key, f in of_a.items() if key in of_b]
    pairs = [_doubted(pair, doubts) for f, g in both if (pair := _pair(f, g, two))]
    met = {(p.what, p.unit) for p in pairs}
    differing, same = differences(a, b)
    return Comparison(
        pairs=pairs,
        conditions=differing,
        same=same,
        missing=[
            *_missing([f for key, f in of_a.items() if key not in met], "a", b),
            *_missing([f for key, f in of_b.items() if key not in met], "b", a),
        ],
        a=_which(a),
        b=_which(b),
    )


def _pair(a: Figure, b: Figure, two_cards: bool) -> Pair | None:
    ratio = over(b.estimate, a.estimate)
    if ratio is None:
        return None
    ends = ratio.interval
    moves = max(a.run_to_run, b.run_to_run)
    of_a, of_b = dict(a.traits), dict(b.traits)
    for flag in a.flags.keys() & b.flags.keys():  # a session that kept none differs in none
        of_a[flag], of_b[flag] = a.flags[flag], b.flags[flag]
    unlike = [n for n in {**of_a, **of_b} if of_a.get(n) != of_b.get(n)]
    other_shape = bool(set(unlike) & set(SEARCHED))
    turns = [] if other_shape else _other_turns(a, b)
    if a.launches and (other_shape or turns):
        moves = max(moves, TURNS_TO_TURNS)
    apart = ends is not None and leaves_out_1(ratio.value, ends)
    return Pair(
        what=a.what,
        a=a.estimate.value,
        b=b.estimate.value,
        ratio=ratio.value,
        interval=ends,
        outside_noise=apart and abs(ratio.value - 1) > moves,
        unit=a.unit,
        name=a.name,
        group=a.group,
        probe=a.probe,
        run_to_run=moves,
        better=a.better,
        alike=set(unlike) <= set(SEARCHED),
        notes=[f"{n} {of_a.get(n, NONE)} in A, {of_b.get(n, NONE)} in B" for n in unlike] + turns,
        status={"interval": TOO_FEW} if ends is None else {},
        cards_apart=apart_of(a.unit) if two_cards else 0.0,
    )


def _doubted(pair: Pair, doubts: list[tuple[str, dict[str, str]]]) -> Pair:
    """With what its own session says against a figure."""
    said = [
        f"not to be believed in {name}: {of[pair.probe]}" for name, of in doubts if pair.probe in of
    ]
    return msgspec.structs.replace(pair, notes=[*pair.notes, *said]) if said else pair


def _other_turns(a: Figure, b: Figure) -> list[str]:
    """A burst's launches where they differ so that another shape took turns with this one."""
    most, fewest = max(a.launches, b.launches), min(a.launches, b.launches)
    if not fewest or most / fewest < TURNS_APART:
        return []
    return [f"{a.launches} launches in A, {b.launches} in B: other shapes took turns"]


def _missing(alone: list[Figure], only: str, other: Session) -> list[Missing]:
    """Each figure that has no like, points of one probe together."""
    by_name: dict[str, list[Figure]] = {}
    for f in alone:
        plain = f.what == f.name
        by_name.setdefault(f.name if plain else f.group, []).append(f)
    return [
        Missing(what=what, only=only, count=len(of), why=_why(other, of[0].probe))
        for what, of in by_name.items()
    ]


def _why(other: Session, probe: str) -> str:
    """Why a session has no figure of a probe."""
    run = other.reported_run
    faults = [f.what for f in other.faults if f.probe == probe and f.run == run]
    notes = [n.text for n in other.notes if n.probe == probe and n.run == run]
    if told := [*faults, *notes]:
        return shown(told[0])
    if any(s.key == probe for s in other.specs):
        return UNMEASURED
    return f"not in suite {shown(other.suite)}"


def _which(session: Session) -> Which:
    return Which(
        id=session.id,
        started_at=session.started_at,
        name=session.device.name,
        suite=session.suite,
        complete=session.complete,
        duration_s=round(session.duration_s, 3),
    )
