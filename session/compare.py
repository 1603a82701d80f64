"""Two sessions side by side: each figure that both have, and the conditions that differ."""

from __future__ import annotations

from collections.abc import Mapping, Set

import msgspec

from roofwatch.roofline.estimate import over
from roofwatch.session.differences import (
    Condition,
    apart_of,
    differences,
    of_one_kind,
)
from roofwatch.session.figures import STREAMS, Figure, figures
from roofwatch.session.fold import Session
from roofwatch.session.noise import TURNS_APART, TURNS_TO_TURNS, further, leaves_out_1
from roofwatch.session.printable import shown
from roofwatch.session.roof_doubts import unjudged
from roofwatch.session.roofs import roofs
from roofwatch.session.same_card import same_card

TOO_FEW = "too_few"  # repetitions to tell; a status
UNMEASURED = "not measured"
SEARCHED = ("shape", "layout")  # found anew by each run: the best of each is like the other's best
NONE = "none"
FASTER, SLOWER = "faster", "slower"
KERNEL = "kernel"  # the trait that names what a roof was measured by
HOSTS = "made with the host's CPU: two cards, of hosts that may be two"


class Pair(msgspec.Struct, frozen=True, kw_only=True):
    """One figure of both. ``ratio`` is B over A, ``interval`` its own of 95 %.

    ``outside_noise``: the interval, widened to one chance in 2000, leaves out 1, and the ratio is
    further from 1 than ``run_to_run``, which fresh runs of one card may lie apart by the same
    chance. ``alike`` is false where the two were not measured in one way, as by other kernels: then
    the ratio is none of the cards'; so it is with ``hosts_apart``, where a host's CPU makes the
    figure and the cards are two, of hosts that may be. ``notes`` say what is not alike, ``doubts``
    what speaks against the figure of "a" or "b" in its own session. ``cards_apart`` is the share by
    which two cards of one kind differ in this figure; 0 where both were measured on one card, or on
    cards of two kinds. ``by`` names the kernel that a roof was measured by, where no other row is
    of that measurement.
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
    doubts: dict[str, str] = {}
    hosts_apart: bool = False
    by: str = ""

    @property
    def beyond(self) -> bool:
        """Outside the noise, and further from 1 than two cards of one kind lie apart."""
        return self.outside_noise and further(self.ratio, self.cards_apart)

    @property
    def unsure(self) -> bool:
        """Further from 1 than runs and cards lie apart, by repetitions that scatter too far: their
        interval reaches beyond what two cards of one kind lie apart. Less is no use to anybody."""
        if self.interval is None or self.beyond:
            return False
        end = self.interval[self.ratio > 1]
        apart = max(self.run_to_run, self.cards_apart)
        return further(self.ratio, apart) and further(end, max(apart, apart_of(self.unit)))

    @property
    def verdict(self) -> str:
        """``faster`` or ``slower``: what B is beyond that, like against like; else empty.

        A figure that its own session does not believe is neither.
        """
        return self._direction if self.beyond and not self.doubts else ""

    @property
    def untold(self) -> bool:
        """Whether it leaves open that B became slower.

        It is doubted, or slower by more than runs and cards lie apart while its repetitions are too
        few or too scattered to tell.
        """
        if self.doubts:
            return bool(self._direction)
        apart = max(self.run_to_run, self.cards_apart)
        open_ = self.unsure or (self.interval is None and further(self.ratio, apart))
        return open_ and self._direction == SLOWER

    @property
    def _direction(self) -> str:
        """What B is by the ratio alone, like against like; empty where neither is better."""
        if not (self.alike and self.better):
            return ""
        return FASTER if (self.ratio > 1) == (self.better == "higher") else SLOWER


class Missing(msgspec.Struct, frozen=True, kw_only=True):
    """What only one of the two has: a figure, or so many points of one probe.

    ``failed``: the other was to measure it, and that ended in a fault or in no figure at all.
    """

    what: str
    only: str  # "a" | "b"
    count: int
    why: str  # in the other one
    failed: bool = False


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

    @property
    def lost(self) -> list[Missing]:
        """What B was to measure as A did, and has not."""
        return [m for m in self.missing if m.only == "a" and m.failed]


def compare(a: Session, b: Session) -> Comparison:
    """B held against A: their reported runs."""
    of_a = {(f.what, f.unit): f for f in figures(a)}
    of_b = {(f.what, f.unit): f for f in figures(b)}
    sides = _Sides(
        two_cards=of_one_kind(a, b),
        one_machine=same_card(a, b) is not False,
        doubts={"a": unjudged(a, roofs(a)), "b": unjudged(b, roofs(b))},
    )
    both = [(f, of_b[key]) for key, f in of_a.items() if key in of_b]
    pairs = [pair for f, g in both if (pair := _pair(f, g, sides))]
    met = {(p.what, p.unit) for p in pairs}
    differing, same = differences(a, b)
    return Comparison(
        pairs=_once(pairs, of_a, of_b),
        conditions=differing,
        same=same,
        missing=[
            *_missing([f for key, f in of_a.items() if key not in met], "a", b, of_b),
            *_missing([f for key, f in of_b.items() if key not in met], "b", a, of_a),
        ],
        a=_which(a),
        b=_which(b),
    )


class _Sides(msgspec.Struct, frozen=True, kw_only=True):
    """What holds of every pair: whether these are two cards of one kind, whether they may be of one
    machine, and each session's doubts by probe."""

    two_cards: bool
    one_machine: bool
    doubts: dict[str, dict[str, str]]


def _once(
    pairs: list[Pair],
    of_a: Mapping[tuple[str, str], Figure],
    of_b: Mapping[tuple[str, str], Figure],
) -> list[Pair]:
    """Each measurement as one row that counts.

    Of a roof by one kernel the stream's own row goes; a roof by two kernels, each with a row of its
    own, is made of those and neither better nor worse beside them.
    """
    streams = {p.what for p in pairs if p.group == STREAMS}
    found = []
    for p in pairs:
        sides = of_a[p.what, p.unit], of_b[p.what, p.unit]
        kernels = {f.traits.get(KERNEL, "") for f in sides}
        if p.by or not kernels <= streams:
            found.append(p)
        else:
            found.append(msgspec.structs.replace(p, better=""))
    again = {p.by for p in pairs if p.by}
    return [p for p in found if not (p.group == STREAMS and p.what in again)]


def _pair(a: Figure, b: Figure, sides: _Sides) -> Pair | None:
    ratio = over(b.estimate, a.estimate)
    if ratio is None:
        return None
    ends = ratio.interval
    moves = max(a.run_to_run, b.run_to_run)
    of_a, of_b = dict(a.traits), dict(b.traits)
    if KERNEL in of_a and KERNEL in of_b and of_a[KERNEL] != of_b[KERNEL]:
        for traits in (of_a, of_b):  # the kernel's name has its type
            traits.pop("dtype", None)
    for flag in a.flags.keys() & b.flags.keys():  # a session that kept none differs in none
        of_a[flag], of_b[flag] = a.flags[flag], b.flags[flag]
    unlike = [n for n in {**of_a, **of_b} if of_a.get(n) != of_b.get(n)]
    other_shape = bool(set(unlike) & set(SEARCHED))
    turns = [] if other_shape else _other_turns(a, b)
    if a.launches and (other_shape or turns):
        moves = max(moves, TURNS_TO_TURNS)
    held = [f"{f.note} in {side}" for f, side in ((a, "A"), (b, "B")) if f.note]
    apart = ends is not None and leaves_out_1(ratio.value, ends)
    hosts_apart = (a.by_host or b.by_host) and not sides.one_machine
    one_kernel = KERNEL in of_a and KERNEL not in unlike and a.probe == b.probe
    return Pair(
        what=a.what,
        a=a.estimate.value,
        b=b.estimate.value,
        ratio=ratio.value,
        interval=ends,
        outside_noise=apart and further(ratio.value, moves),
        unit=a.unit,
        name=a.name,
        group=a.group,
        probe=a.probe,
        run_to_run=moves,
        better=a.better,
        alike=set(unlike) <= set(SEARCHED) and not hosts_apart,
        notes=[f"{n} {of_a.get(n, NONE)} in A, {of_b.get(n, NONE)} in B" for n in unlike]
        + turns
        + held,
        status={"interval": TOO_FEW} if ends is None else {},
        cards_apart=apart_of(a.unit) if sides.two_cards else 0.0,
        doubts={
            side: doubts[probe]
            for (side, doubts), f in zip(sides.doubts.items(), (a, b), strict=True)
            for probe in reversed(f.rests_on)
            if probe in doubts
        },
        hosts_apart=hosts_apart,
        by=of_a[KERNEL] if one_kernel else "",
    )


def _other_turns(a: Figure, b: Figure) -> list[str]:
    """A burst's launches where they differ so that another shape took turns with this one."""
    most, fewest = max(a.launches, b.launches), min(a.launches, b.launches)
    if not fewest or most / fewest < TURNS_APART:
        return []
    return [f"{a.launches} launches in A, {b.launches} in B: other shapes took turns"]


def _missing(
    alone: list[Figure], only: str, other: Session, others: Mapping[tuple[str, str], Figure]
) -> list[Missing]:
    """Each figure that has no like among the ``others``, points of one probe together."""
    measured = {f.probe for f in others.values()}
    by_name: dict[str, list[Figure]] = {}
    for f in alone:
        plain = f.what == f.name
        by_name.setdefault(f.name if plain else f.group, []).append(f)
    return [
        Missing(
            what=what,
            only=only,
            count=len(of),
            why=_why(other, of[0].probe),
            failed=_failed(other, of[0].probe, measured),
        )
        for what, of in by_name.items()
    ]


def _faults(session: Session, probe: str) -> list[str]:
    run = session.reported_run
    of_run = (f for f in session.faults if f.probe == probe and f.run == run)
    return [f.what for f in of_run if not session.healed(f)]


def _failed(other: Session, probe: str, measured: Set[str]) -> bool:
    """A probe that has figures under other names, as of other sizes, did not fail."""
    was_to = any(s.key == probe for s in other.specs)
    return bool(_faults(other, probe)) or (was_to and probe not in measured)


def _why(other: Session, probe: str) -> str:
    """Why a session has no figure of a probe."""
    notes = [n.text for n in other.notes if n.probe == probe and n.run == other.reported_run]
    if told := [*_faults(other, probe), *notes]:
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
