"""Which card it is, how it is shared, and who else is on it."""

from __future__ import annotations

from roofwatch.roofline.per_cent import per_cent
from roofwatch.roofline.size_said import size_said
from roofwatch.session.doctor.facts import Facts, of_card, of_health, untold
from roofwatch.session.doctor.said import Checks, Said, fail, ok, unknown, warn
from roofwatch.session.doctor.words import many
from roofwatch.session.events import Device
from roofwatch.session.health import CardHealth

MEMORY_TOLERANCE = 0.08  # ECC on GDDR takes a sixteenth, drivers keep some
HELD_BYTES = 1 << 30  # a display or a service may hold a little
BUSY = 0.10  # of the time, as everywhere


def _identity(facts: Facts, card: Device) -> Said:
    """The name and what the driver reports fit together, by the table; nobody is accused."""
    sliced = (card.uuid or "").startswith("MIG-")
    parts = [f"{card.sm_count} SMs"] if card.sm_count else []
    parts += [f"{card.bus_bits} bit"] if card.bus_bits and not sliced else []
    parts += [size_said(card.memory_bytes)] if card.memory_bytes else []
    name = (card.name or "a card without a name").removeprefix("NVIDIA ")
    found = f"{name} reports {', '.join(parts) or 'nothing'}"
    nominal = facts.nominal
    if sliced:
        return ok(f"{found}: a slice, the table knows whole cards")
    if nominal is None or nominal.origin == "none" or (nominal.key is None and not nominal.note):
        return unknown(f"{found}; the table has no such card")
    if nominal.key is None:
        return unknown(f"{found}; {nominal.note}")
    sold = nominal.memory_bytes
    do = "ask what it is: a variant is sold under this name, or a part of a card"
    if nominal.origin == "derived":
        return warn(found, nominal.note, do)
    if sold and card.memory_bytes and abs(card.memory_bytes / sold - 1) > MEMORY_TOLERANCE:
        return warn(found, f"the table's {nominal.key} has {size_said(sold)}", do)
    sms = f"{nominal.sm_count} SMs" if nominal.sm_count else "the same"
    return ok(found, f"{sms}, as the table's {nominal.key}")


def _mig(_: Facts, card: Device) -> Said:
    """A whole card, or a slice that is seen."""
    if card.mig is None:
        return (
            untold(card.status, "mig")
            if card.status.get("mig") != "not_supported"
            else ok("this card has no slices")
        )
    if not card.mig:
        return ok("off: the whole card")
    if (card.uuid or "").startswith("MIG-"):
        do = "nothing, if a slice is what was rented; else only the host can switch MIG off"
        return warn(f"on: a slice of the card, {card.name or 'unnamed'}", "a whole card", do)
    do = "only the host can: make a slice, or switch MIG off"
    return fail("on, and no slice is seen: CUDA finds no device", "a whole card, or a slice", do)


def _virtualization(_: Facts, card: Device) -> Said:
    """Nobody else computes on it behind a virtual one."""
    if card.virtualization is None:
        return untold(card.status, "virtualization")
    if card.virtualization in ("none", "passthrough"):
        said = {"none": "none: bare metal or a container", "passthrough": "passed through to a VM"}
        return ok(said[card.virtualization])
    do = "only the host can give a whole card: this one is shared, clocks and power may be its own"
    return warn(f"{card.virtualization}: a virtual GPU", "none or passthrough", do)


def _processes(facts: Facts, card: Device) -> Said:
    """Nobody else is on it."""
    utils = [s.util for s in facts.before if s.util is not None]
    busy = len(utils) >= 2 and min(utils) > BUSY
    do = "end them if they are yours; else ask the host who else has this card"
    if card.processes:
        held = f" with {size_said(card.processes_bytes)}" if card.processes_bytes else ""
        short = "; the load was kept short" if facts.under else ""
        found = f"{many(card.processes, 'other process')}{held}{short}"
        return warn(found, "nobody else on the card", do)
    if busy:
        found = f"busy {per_cent(min(utils))} of the time before we began"
        return warn(found, "an idle card", do)
    if card.processes is None:
        return untold(card.status, "processes")
    return ok("none but ours")


def _memory_held(facts: Facts, card: Device) -> Said:
    """Its memory is free."""
    used = next((s.mem_used_bytes for s in facts.before if s.mem_used_bytes is not None), None)
    if used is None:
        return untold(facts.before[0].status if facts.before else {}, "mem_used_bytes")
    total = f" of {size_said(card.memory_bytes)}" if card.memory_bytes else ""
    found = f"{size_said(used)}{total} held before we began" if used else f"all{total} free"
    if used <= HELD_BYTES:
        return ok(found)
    whose = "" if card.processes else ", by nobody who is seen (another container, or a dead one)"
    do = "end what holds it; what is not yours only the host can end"
    return warn(f"{found}{whose}", f"less than {size_said(HELD_BYTES)}", do)


def _compute_mode(_: Facts, health: CardHealth) -> Said:
    """Several processes may use it."""
    mode = health.compute_mode
    if mode is None:
        return untold(health.status, "compute_mode")
    if mode == "default":
        return ok("default: any number of processes")
    do = "as root: nvidia-smi -c 0; in a container only the host can"
    if mode == "prohibited":
        return fail("prohibited: no process may compute", "default", do)
    found = f"{mode.replace('_', ' ')}: a second process on the card fails"
    return warn(found, "default", do)


def _persistence(_: Facts, card: Device) -> Said:
    """The driver stays loaded between programs."""
    if card.persistence is None:
        return untold(card.status, "persistence")
    if card.persistence:
        return ok("on")
    do = "as root: nvidia-smi -pm 1; in a container only the host can"
    return warn("off: the first call of each program takes seconds", "on", do)


CHECKS: Checks = {
    "card-identity": of_card(_identity),
    "mig": of_card(_mig),
    "virtualization": of_card(_virtualization),
    "processes": of_card(_processes),
    "memory-held": of_card(_memory_held),
    "compute-mode": of_health(_compute_mode),
    "persistence": of_card(_persistence),
}
