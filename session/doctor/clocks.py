"""What holds the card's clocks down: limits that somebody set, locks, heat, the power supply."""

from __future__ import annotations

from collections.abc import Sequence

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.reasons import (
    BOARD_LIMIT,
    HW_SLOWDOWN,
    HW_THERMAL,
    POWER_BRAKE,
    POWER_CAP,
    RELIABILITY,
    SW_THERMAL,
    SYNC_BOOST,
    word,
)
from roofwatch.session.doctor.facts import Facts, of_card, of_health, untold
from roofwatch.session.doctor.said import Checks, Said, fail, ok, unknown, warn
from roofwatch.session.doctor.words import mhz
from roofwatch.session.events import Device, Sample
from roofwatch.session.health import CardHealth

WATT = 1.0  # what rounding of a limit may take
STEP_MHZ = 15.0  # the SM clock's own
LOCKED_BELOW_MHZ = 30.0
MARGIN_C = 10.0
FEW = 2  # samples, which NVML renews every 100 ms
HOLDING = (
    POWER_CAP
    | HW_SLOWDOWN
    | SW_THERMAL
    | HW_THERMAL
    | POWER_BRAKE
    | SYNC_BOOST
    | BOARD_LIMIT
    | RELIABILITY
)
UNLOCK = "as root: nvidia-smi -rgc -rmc; in a container only the host can"


def _power_limit(_: Facts, card: Device) -> Said:
    """Nobody lowered it."""
    limit, default = card.power_limit_w, card.power_default_w
    if limit is None or default is None:
        return untold(card.status, "power_limit_w", "power_default_w")
    expected = f"{default:.0f} W, the default"
    if limit >= default - WATT:
        return ok(f"{limit:.0f} W", expected)
    found = f"{limit:.0f} W, {per_cent(1 - limit / default)} below the default"
    do = "only the host can raise it (as root: nvidia-smi -pl); compute falls with it"
    return warn(found, expected, do)


def _application_clocks(_: Facts, health: CardHealth) -> Said:
    """Nobody lowered them."""
    low, known = [], []
    for what in ("sm", "mem"):
        now = getattr(health, f"app_{what}_mhz")
        default = getattr(health, f"app_{what}_default_mhz")
        if now is None or default is None:
            continue
        name = "SM" if what == "sm" else "memory"
        known.append(f"{name} {mhz(now)}")
        if now < default:
            low.append(f"{name} {mhz(now)}, default {mhz(default)}")
    if low:
        do = "as root: nvidia-smi -rac; in a container only the host can"
        return warn("; ".join(low), "the defaults", do)
    if not known:
        return untold(health.status, "app_sm_mhz", "app_sm_default_mhz")
    return ok(", ".join(known), "the defaults")


def _locked_clocks(facts: Facts, card: Device) -> Said:
    """Under load the clock goes as high as it may, or a reason is given.

    No getter tells a lock: it is seen as a flat clock below the highest, for which there is none.
    """
    seen = [s for s in facts.under if s.sm_mhz is not None]
    if len(seen) < FEW:
        return unknown(facts.no_load)
    clocks = [s.sm_mhz or 0.0 for s in seen]
    masks = [s.reasons for s in seen]
    if None in masks:
        return untold(seen[-1].status, "reasons")
    mask = _any(seen)
    tops = [card.sm_max_mhz, facts.nominal.clocks_mhz.get("fp32") if facts.nominal else None]
    top = min((each for each in tops if each), default=None)
    found = f"{mhz(min(clocks))} to {mhz(max(clocks))} under load"
    if max(clocks) - min(clocks) <= STEP_MHZ:
        found = f"{mhz(max(clocks))} under load"
    held = mask & HOLDING
    if held:
        return ok(f"{found}, held by {word(held)}", f"up to {mhz(top)}" if top else "")
    if top is None:
        return unknown(f"{found}; the highest is not told")
    flat = max(clocks) - min(clocks) <= STEP_MHZ
    if flat and max(clocks) < top - LOCKED_BELOW_MHZ:
        return warn(f"flat at {found}, and no reason is given: locked?", mhz(top), UNLOCK)
    return ok(found, f"up to {mhz(top)}")


def _slowdown(facts: Facts, _: Device) -> Said:
    """The hardware does not cut the clock, and no other card holds this one back."""
    seen = [s for s in (*facts.before, *facts.under) if s.reasons is not None]
    if not seen:
        return untold(facts.before[-1].status if facts.before else {}, "reasons")
    mask = _any(seen)
    expected = "no cut of the clock by hardware"
    if mask & POWER_BRAKE:
        do = "only the host can: its power supply or its board asks for less"
        return fail("power brake: the clock is cut to a half or less", expected, do)
    often = sum(bool((s.reasons or 0) & HW_SLOWDOWN) for s in seen) >= FEW
    if often and not mask & HW_THERMAL:  # which is the thermal row's
        do = "only the host can: power supply or cooling"
        return warn("hardware slowdown: the clock is cut", expected, do)
    if mask & SYNC_BOOST:
        do = "only the host can: it is held to the slowest card of its group"
        return warn("sync boost: another card holds this one back", expected, do)
    if len(facts.under) < FEW:
        return unknown(f"none while idle; {facts.no_load}")
    return ok("none, idle or under load", expected)


def _thermals(facts: Facts, card: Device) -> Said:
    """It keeps away from the temperature at which it slows down."""
    idle, loaded = _hottest(facts.before), _hottest(facts.under)
    hottest = loaded if loaded is not None else idle
    if hottest is None:
        return untold(facts.before[-1].status if facts.before else {}, "temp_c")
    parts = [f"{idle:.0f} C idle"] if idle is not None else []
    parts += [f"{loaded:.0f} C under load"] if loaded is not None else []
    found = ", ".join(parts)
    expected = (
        f"far from {card.temp_slowdown_c:.0f} C, where it slows" if card.temp_slowdown_c else ""
    )
    mask = _any((*facts.before, *facts.under))
    do = "only the host can cool it; a rate measured so is not the card's"
    if mask & HW_THERMAL:
        return fail(f"{found}: the hardware cuts the clock for heat", expected, do)
    if mask & SW_THERMAL:
        return warn(f"{found}: the driver lowers the clock for heat", expected, do)
    reading = facts.loaded or facts.idle
    margins = [reading.margin_c if reading else None]
    margins += [card.temp_slowdown_c - hottest if card.temp_slowdown_c else None]
    margin = min((each for each in margins if each is not None), default=None)
    if margin is not None and margin < MARGIN_C:
        return warn(f"{found}: {margin:.0f} C below its slowdown", expected, do)
    if loaded is None:
        return unknown(f"{found}; {facts.no_load}", expected)
    return ok(found, expected)


def _any(samples: Sequence[Sample]) -> int:
    """Every reason of any of them."""
    mask = 0
    for sample in samples:
        mask |= sample.reasons or 0
    return mask


def _hottest(samples: Sequence[Sample]) -> float | None:
    return max((s.temp_c for s in samples if s.temp_c is not None), default=None)


CHECKS: Checks = {
    "power-limit": of_card(_power_limit),
    "application-clocks": of_health(_application_clocks),
    "locked-clocks": of_card(_locked_clocks),
    "slowdown": of_card(_slowdown),
    "thermals": of_card(_thermals),
}
