"""What smells in work that was watched: limits and their price, heat, a starved card, company."""

from __future__ import annotations

from roofwatch.notebook.finding import NOTE, SUSPECT, Finding, finding
from roofwatch.roofline.peaks import unit
from roofwatch.roofline.reasons import (
    HW_SLOWDOWN,
    HW_THERMAL,
    POWER_BRAKE,
    POWER_CAP,
    SW_THERMAL,
    decode,
    keys,
)
from roofwatch.session.watch.summary import CardWatched, ReasonTime

WORTH_SAYING = 0.05  # of the time; less is an edge, or a checkpoint
HOT = {keys(bit)[0]: bit for bit in (SW_THERMAL, HW_THERMAL, HW_SLOWDOWN, POWER_BRAKE)}
CAPPED = keys(POWER_CAP)[0]


def watch_findings(card: CardWatched, alone: bool = True) -> list[Finding]:
    """Of one card; the gravest first. Where it is not ``alone`` its index is said."""
    name = card.name or "the card"
    subject = name if alone else f"{name} (card {card.gpu})"
    return [f for each in (_hot, _starved, _company, _capped) for f in each(card, subject)]


def _share(reason: ReasonTime) -> float:
    return reason.sampled_share if reason.counter_share is None else reason.counter_share


def _capped(card: CardWatched, subject: str) -> list[Finding]:
    """The power limit: no fault, but it has a price."""
    reason = next((r for r in card.reasons if r.key == CAPPED), None)
    if reason is None or _share(reason) < WORTH_SAYING:
        return []
    cost = card.cost
    return [
        finding(
            "throttled",
            "watched",
            severity=NOTE,
            subject=subject,
            share=_share(reason),
            sm_mhz=card.limited_mhz,
            sm_max_mhz=card.sm_max_mhz,
            cost_tflops=cost.tflops if cost else None,
            burst_tflops=cost.burst_tflops if cost else None,
            peak_key=cost.peak_key if cost else None,
            unit=unit(cost.peak_key) if cost else None,
        )
    ]


def _hot(card: CardWatched, subject: str) -> list[Finding]:
    """Heat, and what the power supply asks for: nothing that a renter can mend."""
    hot = [r for r in card.reasons if r.key in HOT and _share(r) >= WORTH_SAYING]
    return [
        finding(
            "throttled",
            "heat",
            severity=SUSPECT,
            subject=subject,
            share=_share(reason),
            reason=decode(HOT[reason.key])[0],
            temp_max_c=card.temp_max_c,
            sm_mhz=card.limited_mhz,
        )
        for reason in hot
    ]


def _starved(card: CardWatched, subject: str) -> list[Finding]:
    """Nothing ran between two moments of work."""
    if card.kind == "cpu" or (card.starved_share or 0.0) < WORTH_SAYING:
        return []
    return [
        finding(
            "host-bound",
            "idle_inside",
            severity=SUSPECT,
            subject=subject,
            share=card.starved_share,
            starved_s=(card.starved_share or 0.0) * card.work_s,
            busy_share=card.busy_share,
        )
    ]


def _company(card: CardWatched, subject: str) -> list[Finding]:
    """Somebody was on the card before the work was."""
    if not card.processes_before:
        return []
    return [
        finding(
            "other-process",
            "watched",
            severity=SUSPECT,
            subject=subject,
            processes=card.processes_before,
        )
    ]
