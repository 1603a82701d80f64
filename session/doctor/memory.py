"""The card's memory and the driver's errors: ECC, remapped rows, Xid."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from roofwatch.session.doctor.facts import Facts, no_card, of_card, of_health, untold
from roofwatch.session.doctor.kernel_log import same_bus
from roofwatch.session.doctor.said import Checks, Said, fail, ok, unknown, warn
from roofwatch.session.doctor.words import many
from roofwatch.session.events import Device
from roofwatch.session.health import CardHealth

OF_PROGRAMS = frozenset({8, 13, 31, 43, 45, 68, 69, 109})
"""Xids that a program can bring about on a sound card (NVIDIA's catalogue of Xid errors)."""
OF_HARDWARE = frozenset({48, 62, 63, 64, 74, 79, 92, 94, 95, 119, 120, 121, 140, 154})
"""Xids that speak of memory, of a link, of firmware or of a card that is gone (the same)."""
ANOTHER = "only the host can: ask for another card; results of this one are in doubt"


def _ecc_mode(facts: Facts, card: Device) -> Said:
    """Errors of the memory are corrected, or at least told."""
    if card.ecc is None:
        if card.status.get("ecc") == "not_supported":
            return unknown("this card has no ECC, or does not tell")
        return untold(card.status, "ecc")
    pending = facts.latest.ecc_pending if facts.latest else None
    if pending is not None and pending != card.ecc:
        found = f"{_on(card.ecc)} until the next reset, then {_on(pending)}"
        return warn(
            found, "one mode", "only the host can reset the card; memory size changes with it"
        )
    if card.ecc:
        return ok("on")
    do = "as root: nvidia-smi -e 1 and a reset; in a container only the host can"
    return warn("off: an error of the memory goes unseen", "on", do)


def _ecc_errors(_: Facts, health: CardHealth) -> Said:
    """No error that could not be corrected."""
    now, ever = health.ecc_volatile, health.ecc_aggregate
    if now is None and ever is None:
        return untold(health.status, "ecc_volatile", "ecc_aggregate")
    expected = "no uncorrected error"
    if now:
        found = f"{now} uncorrected since the driver was loaded, {_or_unknown(ever)} in its life"
        return fail(found, expected, ANOTHER)
    if ever:
        do = "watch it: nvidia-smi -q -d ECC; another card if one comes while you compute"
        return warn(
            f"{_or_unknown(now)} since the driver was loaded, {ever} in its life", expected, do
        )
    return ok(
        "none uncorrected, now or in its life" if now == ever else "none uncorrected", expected
    )


def _row_remap(_: Facts, health: CardHealth) -> Said:
    """Bad rows of the memory have their spare ones."""
    rows = health.rows
    if rows is None:
        return untold(health.status, "rows")
    count = rows.correctable + rows.uncorrectable
    found = f"{many(count, 'row')} remapped"
    expected = "none pending, none failed"
    if rows.failed:
        return fail(f"{found}, and one could not be", expected, ANOTHER)
    if rows.pending:
        do = "only the host can reset the card: until then the bad row is in use"
        return warn(f"{found}, another waits for a reset", expected, do)
    return ok(found if count else "no row remapped", expected)


def _xid_events(_: Facts, health: CardHealth) -> Said:
    """No error of the driver's while we looked."""
    if health.xids is None:
        return untold(health.status, "xids")
    if not health.xids:
        return ok("none while we looked")
    found = f"while we looked: {_counted(health.xids)}"
    if set(health.xids) & OF_HARDWARE:
        return fail(found, "none", ANOTHER)
    return warn(found, "none", "look it up in NVIDIA's catalogue of Xid errors; ask the host")


def _xid_log(facts: Facts) -> Said:
    """None in the kernel's log either."""
    log = facts.machine.log
    if facts.device is None:
        return no_card(facts)
    if log.problem is not None:
        return unknown(f"{log.problem}", "", "dmesg | grep Xid, as root or on the host")
    bus = facts.latest.pci_bus_id if facts.latest else None
    ours = [x.number for x in log.xids if bus is None or same_bus(x.bus, bus)]
    others = len(log.xids) - len(ours)
    beside = f" ({others} of other cards)" if others else ""
    if not ours:
        return ok(f"none in the kernel's log{beside}")
    found = f"in the kernel's log: {_counted(ours)}{beside}"
    if set(ours) & OF_HARDWARE:
        return fail(found, "none", ANOTHER)
    if set(ours) <= OF_PROGRAMS:
        return ok(f"{found}: of a kind that programs bring about")
    return warn(found, "none", "look it up in NVIDIA's catalogue of Xid errors; ask the host")


def _counted(numbers: Sequence[int]) -> str:
    counts = Counter(numbers)
    said = [f"Xid {n}" + (f" ({c} times)" if c > 1 else "") for n, c in sorted(counts.items())]
    return ", ".join(said[:6]) + (" ..." if len(said) > 6 else "")


def _on(mode: bool) -> str:
    return "on" if mode else "off"


def _or_unknown(count: int | None) -> str:
    return "an unknown number" if count is None else str(count)


CHECKS: Checks = {
    "ecc-mode": of_card(_ecc_mode),
    "ecc-errors": of_health(_ecc_errors),
    "row-remap": of_health(_row_remap),
    "xid-events": of_health(_xid_events),
    "xid-log": _xid_log,
}
