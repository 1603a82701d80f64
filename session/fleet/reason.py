"""Why a rank is slow, as far as its record sets it apart from the others."""

from __future__ import annotations

import msgspec

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.statistics import median
from roofwatch.session.fleet.doubted import GRAVE
from roofwatch.session.fleet.fleet import Fleet
from roofwatch.session.fleet.rank_figures import Figure, RankFigures, Said
from roofwatch.session.fleet.shared_cards import shared_cards
from roofwatch.session.fleet.spreads import Metric

UNKNOWN, FAULT = "unknown", "fault"
CLOCK_APART = 0.02  # runs of one card lie so far apart in their clock
MOST_ALIKE = 0.5  # what half of the ranks have too is no reason
OTHER_PROCESS, POWER_CAPPED, LOW_CLOCK, THROTTLED, COLD_START, MIG_SLICE = ASIDE = (
    "other-process",
    "power-capped",
    "low-clock",
    "throttled",
    "cold-start",
    "mig-slice",
)
"""Findings that can make a card slow, the gravest cause first."""
OF_THE_CARD = (OTHER_PROCESS, POWER_CAPPED, MIG_SLICE)
"""Those that hold for all its figures, whichever they were found in."""
EXPLAINS = 0.5  # of what is missing: a clock that explains less is told, not blamed


class Reason(msgspec.Struct, frozen=True, kw_only=True):
    """A code of the notebook, and a sentence. Two codes are not the notebook's: ``fault``, where
    the record has a fault alone, and ``unknown``, where it has no reason."""

    code: str
    text: str


def reason(fleet: Fleet, r: RankFigures, metric: Metric, under: float) -> Reason:
    """The first that holds: what its notebook found, its limit, heat, its clock, a fault; else what
    its notebook doubts of this figure alone."""
    others = [fleet.ranks[rank] for rank in metric.ranks if rank != r.rank]
    own = r.figures[metric.name]
    theirs = [o.figures[metric.name] for o in others]
    found = (
        _finding(r, others, metric.name, ASIDE[:1]),
        _shared(fleet, r),
        _limit(r, others),
        _heat(own, theirs),
        _finding(r, others, metric.name, ASIDE[1:]),
        _clock(own, theirs, under),
        _memory_clock(own, theirs),
        Reason(code=FAULT, text=r.faults[0]) if r.faults else None,
        _doubt(r, others, metric.name),
    )
    return next((each for each in found if each), _not_known(own, theirs))


def _finding(
    r: RankFigures, others: list[RankFigures], probe: str, codes: tuple[str, ...]
) -> Reason | None:
    for code in codes:
        said = next((f for f in r.findings if f.code == code), None)
        if said is None:
            continue
        alike = sum(any(f.code == code for f in o.findings) for o in others)
        of_this = said.subject == probe or code in OF_THE_CARD
        if of_this and alike < MOST_ALIKE * len(others):
            return Reason(code=code, text=said.message)
    return None


def _doubt(r: RankFigures, others: list[RankFigures], probe: str) -> Reason | None:
    """A finding of severity suspect or wrong on this figure, which is not to be believed then."""
    for said in r.findings:
        if said.severity in GRAVE and said.subject == probe:
            alike = sum(any(_same(f, said) for f in o.findings) for o in others)
            if alike < MOST_ALIKE * len(others):
                return Reason(code=said.code, text=said.message)
    return None


def _same(a: Said, b: Said) -> bool:
    return (a.code, a.subject) == (b.code, b.subject)


def _shared(fleet: Fleet, r: RankFigures) -> Reason | None:
    """Other ranks on its card are other processes, whether or not they measured just then."""
    together = next((each for each in shared_cards(fleet) if r.rank in each), ())
    others = ", ".join(str(rank) for rank in together if rank != r.rank)
    if not others:
        return None
    ranks = "rank" if len(together) == 2 else "ranks"
    return Reason(code=OTHER_PROCESS, text=f"it had its card together with {ranks} {others}")


def _limit(r: RankFigures, others: list[RankFigures]) -> Reason | None:
    known = [o.power_limit_w for o in others if o.power_limit_w]
    if not known or not r.power_limit_w or r.power_limit_w >= median(known) - 1:
        return None
    text = f"its power limit is {r.power_limit_w:.0f} W, the others' {median(known):.0f} W"
    return Reason(code=POWER_CAPPED, text=text)


def _heat(own: Figure, theirs: list[Figure]) -> Reason | None:
    hot = own.thermal_share or 0.0
    alike = [f.thermal_share or 0.0 for f in theirs]
    named = [r for r in own.reasons if "thermal" in r or "temperature" in r]
    if (hot > 0 and hot > 2 * median(alike or [0.0])) or (
        named and not any(set(named) & set(f.reasons) for f in theirs)
    ):
        at = f" at {own.temp_c:.0f} °C" if own.temp_c is not None else ""
        share = f" for {per_cent(hot)} of the time" if hot else ""
        return Reason(code=THROTTLED, text=f"slowed down by heat{share}{at}")
    return None


def _clock(own: Figure, theirs: list[Figure], under: float) -> Reason | None:
    known = [f.sm_mhz for f in theirs if f.sm_mhz]
    mine = own.sm_mhz
    if mine is None or not known:
        return None
    usual = median(known)
    lower = 1 - mine / usual
    if lower <= CLOCK_APART or lower < EXPLAINS * under:
        return None
    power = " at its power limit" if "power limit" in own.reasons else ""
    text = f"its clock was {mine:.0f} MHz{power}, the others' {usual:.0f} MHz"
    return Reason(code=LOW_CLOCK, text=text)


def _memory_clock(own: Figure, theirs: list[Figure]) -> Reason | None:
    known = [f.mem_mhz for f in theirs if f.mem_mhz]
    if not known or not own.mem_mhz or own.mem_mhz >= (1 - CLOCK_APART) * median(known):
        return None
    text = f"its memory clock was {own.mem_mhz:.0f} MHz, the others' {median(known):.0f} MHz"
    return Reason(code=LOW_CLOCK, text=text)


def _not_known(own: Figure, theirs: list[Figure]) -> Reason:
    clocks = [f.sm_mhz for f in theirs if f.sm_mhz]
    if own.sm_mhz and clocks and own.sm_mhz >= (1 - CLOCK_APART) * median(clocks):
        return Reason(code=UNKNOWN, text="not its clock; its record has no other reason")
    return Reason(code=UNKNOWN, text="its record has no reason")
