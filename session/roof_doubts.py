"""Which roofs are not to be believed: whose own measurement is outside its range, flagged, or
slower than what the same precision held for seconds; and which figures set no later range."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from roofwatch.notebook.finding import NOTE, Finding
from roofwatch.notebook.unstable import held_noise
from roofwatch.roofline.statistics import HELD_OVER, spread
from roofwatch.session.events import Measurement
from roofwatch.session.figures import spread_of
from roofwatch.session.fold import Session
from roofwatch.session.measured_again import measured_again
from roofwatch.session.noise import further
from roofwatch.session.points import Point
from roofwatch.session.printable import shown
from roofwatch.session.rates import value
from roofwatch.session.roofs import Roofs

FLAGGED = "flagged"
OVER = 1.005  # of a roof: what is written as 101 % or more
AT_ONCE = ("stream", "burst")  # protocols of what is not held
BELOW = "below"
CARD_SLOW = ("throttled", "power-capped", "low-clock", "low-without-cause")
"""Findings that say why a card is slow: none makes the figure a wrong one."""
RESTLESS = "measured again, with another result"
UNSETTLED = "time-cap"  # why a probe stopped whose repetitions never came to agree


def doubted(session: Session, own: Roofs, found: Sequence[Finding] | None = None) -> dict[str, str]:
    """Why the measurement of a roof is not to be believed, by its probe; none for the others.

    ``found`` spares judging the session again.
    """
    grave = _flagged(session, found)
    reasons: dict[str, str] = {}
    flats = own.compute.values()
    for m in (own.bandwidth, *(m for c in flats for m in (c.burst, c.sustained))):
        if m is not None and (why := _outside(session, m)):
            reasons[m.probe] = why
        elif m is not None and m.probe in grave:
            reasons[m.probe] = grave[m.probe]
    for c in flats:
        if c.burst is not None and c.sustained is not None and _faster(c.sustained, c.burst):
            said = reasons.get(c.burst.probe, FLAGGED)  # that it is flagged for that very thing
            if said.startswith(FLAGGED):
                reasons[c.burst.probe] = "slower than what is held"
    return reasons


def doubted_probes(
    session: Session, own: Roofs, found: Sequence[Finding] | None = None
) -> dict[str, str]:
    """The same of every probe: those of no roof are doubted where they are flagged."""
    if found is None:
        found = _judged(session)
    return _flagged(session, found) | doubted(session, own, found)


def unjudged(session: Session, own: Roofs) -> dict[str, str]:
    """Why a comparison does not judge the figure of a probe.

    As ``doubted_probes``; but that a figure is below its range, and what makes a card slow, is no
    doubt of it: a card that became slower is what a comparison is to find. What one run has
    measured twice, further apart than two runs may be, is doubted.
    """
    found = [f for f in _judged(session) if f.code not in CARD_SLOW]
    doubts = doubted(session, own, found)
    slow = {probe for probe, why in doubts.items() if why.startswith(BELOW)}
    kept = {p: why for p, why in doubts.items() if p not in slow}
    return dict.fromkeys(_restless(session), RESTLESS) | _flagged(session, found) | kept


def _restless(session: Session) -> list[str]:
    """Streams and bursts that were measured again in the run, further apart than runs may be.

    Their best stands as a roof; how fast the device was, only the next run would tell.
    """
    return [
        one.probe
        for one in measured_again(session, session.reported_run)
        if one.stands.protocol in AT_ONCE and further(1 - one.apart, spread_of(session, one.stands))
    ]


def _judged(session: Session) -> Sequence[Finding]:
    from roofwatch.session.findings import findings  # with all rules: the screen judges once

    return findings(session)


def _flagged(session: Session, found: Sequence[Finding] | None) -> dict[str, str]:
    """Of each probe with more than a note the gravest, in words."""
    judged = _judged(session) if found is None else found
    return {f.subject: f"{FLAGGED} {shown(f.code)}" for f in reversed(judged) if f.severity != NOTE}


def unsound(session: Session, found: Sequence[Finding]) -> set[str]:
    """Probes whose figure must not become what later runs are held to.

    They are flagged as more than a note, below their range, never settled, far apart where they
    were measured again, or out of the physical order: what was held for seconds and what the same
    did in a moment, where the held one is the faster. How far the repetitions lie apart excuses
    nothing here.
    """
    measured = session.measured()
    probes = {f.subject for f in found if f.severity != NOTE}
    probes |= {m.probe for m in measured if _outside(session, m).startswith(BELOW)}
    probes |= {m.probe for m in measured if m.stop == UNSETTLED}
    probes |= set(_restless(session))
    for held in (m for m in measured if m.protocol == "sustained"):
        of = _work(held)
        alike = [m for m in measured if m.protocol in AT_ONCE and _work(m) == of]
        if alike and value(held) > (1 + HELD_OVER) * max(map(value, alike)):
            probes |= {held.probe, *(m.probe for m in alike)}
    return probes


def _work(m: Measurement) -> tuple[object, ...]:
    """What must be alike where a held figure is compared: of a stream its kernel and type too."""
    return (m.peak_key,) if m.peak_key is not None else (None, m.op, m.dtype)


def _faster(held: Measurement, burst: Measurement) -> bool:
    """By more than the repetitions of both explain."""
    noise = held_noise(spread(burst.times_s), spread(held.times_s))
    return value(held) > (1 + noise) * value(burst)


def _outside(session: Session, m: Measurement) -> str:
    expect = session.expect(m.probe, m.run)
    if expect is None or m.claim is not None or expect.holds(value(m)):
        return ""
    return f"{BELOW if value(m) < expect.low else 'above'} its expected range"


def defines(p: Point, own: Roofs) -> str:
    """The part of its own roof that a point is: ``slope``, ``burst``, ``sustained``, ``both`` of
    these where the burst is as held, or none."""
    if p.measurement is own.bandwidth:
        return "slope"
    for c in own.compute.values():
        if p.measurement is c.burst and not c.lifted:
            return "burst"
        if p.measurement is c.sustained:
            return "both" if c.lifted else "sustained"
    return ""


class Remark(NamedTuple):
    """What is said of a point beside its figures.

    ``defines`` is the part of its own roof that it is, ``doubt`` why that roof is not to be
    believed; both may be empty. ``disturbed``: a burst that is no roof, since more was held; then
    the doubt is of itself.
    """

    defines: str = ""
    doubt: str = ""
    disturbed: bool = False


def remark(p: Point, own: Roofs, key: str | None, doubts: Mapping[str, str]) -> Remark:
    """Of one point; ``doubts`` are those of ``doubted``."""
    part = defines(p, own)
    disturbed = any(c.lifted and p.measurement is c.burst for c in own.compute.values())
    roof = p.measurement if part or disturbed else behind(p, own, key)
    doubt = doubts.get(roof.probe, "") if roof is not None else ""
    return Remark(part, doubt, disturbed)


def behind(p: Point, own: Roofs, key: str | None) -> Measurement | None:
    """What the roof over a point was measured by: left of the ridge its slope, else its flat."""
    if p.ridge is not None and p.intensity < p.ridge:
        return own.bandwidth
    c = own.compute.get(key or "")
    return None if c is None else c.sustained if p.style == "sustained" else c.reached


def burst_roof(own: Roofs, key: str | None) -> Measurement | None:
    """What a share of the roof is held against: the burst of a precision, of a stream the slope."""
    c = own.compute.get(key or "")
    return own.bandwidth if key is None else c.reached if c is not None else None
