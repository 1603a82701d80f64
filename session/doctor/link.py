"""The links of the card: PCIe to the host, NVLink to its neighbours."""

from __future__ import annotations

from roofwatch.roofline.published import LANE_GBS
from roofwatch.session.doctor.facts import Facts, of_health, untold
from roofwatch.session.doctor.said import Checks, Said, ok, unknown, warn
from roofwatch.session.doctor.words import many
from roofwatch.session.health import CardHealth

MANY_REPLAYS = 1000
SLOW = 0.5  # of what the link carries; pinned copies reach three quarters to nine tenths of it
NARROW = "only the host can: reseat the card, another slot or riser"


def _generation(facts: Facts, health: CardHealth) -> Said:
    """Under load the link runs at the generation that card and slot have together.

    An idle card may let it fall to the first, so a slow one counts only under load.
    """
    now, most, own = health.pcie_gen, health.pcie_gen_max, health.pcie_gen_card
    loaded = facts.loaded
    if loaded is not None and facts.same_card:
        now = loaded.pcie_gen
    if now is None or most is None:
        return untold(health.status, "pcie_gen", "pcie_gen_max")
    if now < most:
        found = f"generation {now} of {most}"
        if loaded is None or not facts.same_card:
            return unknown(f"{found} while idle, which may be rest; {facts.no_load}")
        return warn(f"{found} under load", f"generation {most}", NARROW)
    if own is not None and most < own:
        found = f"generation {now}: the slot has no more, the card could {own}"
        return warn(found, f"generation {own}", "only the host can: another slot or board")
    when = "" if loaded is not None else " (idle)"
    return ok(f"generation {now}{when}", f"generation {most}")


def _width(facts: Facts, health: CardHealth) -> Said:
    """All of its lanes are used."""
    now, most = (facts.loaded or health).pcie_lanes, health.pcie_lanes_max
    if now is None or most is None:
        return untold(health.status, "pcie_lanes", "pcie_lanes_max")
    sold = facts.nominal.pcie_lanes if facts.nominal else None
    if now < most:
        when = "under load" if facts.loaded is not None else "while idle"
        return warn(f"x{now} of x{most} {when}", f"x{most}", NARROW)
    if sold is not None and most < sold:
        do = "only the host can: another slot; copies take longer, kernels do not"
        return warn(f"x{now}: the slot has no more, such a card has x{sold}", f"x{sold}", do)
    return ok(f"x{now}", f"x{most}")


def _rate(facts: Facts, health: CardHealth) -> Said:
    """A copy from pinned memory goes about as fast as the link that is reported."""
    told = facts.checkup
    if told is None or not told.copied_bytes or not told.copy_s:
        return unknown(f"no copy was timed; {facts.no_load}")
    gbs = told.copied_bytes / told.copy_s / 1e9
    found = f"{gbs:.1f} GB/s to the card"
    reading = facts.loaded or health
    lane = LANE_GBS.get(reading.pcie_gen or 0)
    if not told.pinned:
        return unknown(f"{found}, from memory that could not be pinned", "pinned memory")
    if lane is None or not reading.pcie_lanes:
        return unknown(f"{found}; the link does not tell what it is")
    carries = lane * reading.pcie_lanes
    expected = f"most of {carries:.1f} GB/s"
    if gbs < SLOW * carries:
        do = "look who else copies, and whether CPU and card are of one socket (nvidia-smi topo -m)"
        return warn(found, expected, do)
    return ok(found, expected)


def _replays(facts: Facts, health: CardHealth) -> Said:
    """The link does not send things twice."""
    count = health.pcie_replays
    if count is None:
        return untold(health.status, "pcie_replays")
    first = facts.idle.pcie_replays if facts.idle else None
    since = count - first if first is not None else 0
    found = f"{count} since the driver was loaded"
    if since > 0:
        return warn(f"{found}, {since} of them while we looked", "none under load", NARROW)
    if count >= MANY_REPLAYS:
        return warn(found, "a handful", NARROW)
    return ok(found, "a handful at most")


def _nvlink(_: Facts, health: CardHealth) -> Said:
    """Between several cards every link is up."""
    links = health.nvlinks
    if health.cards == 1:
        return ok("one card: none needed")
    if links is None:
        if health.status.get("nvlinks") == "not_supported":
            return unknown("none between these cards, or not told: they meet over PCIe")
        return untold(health.status, "nvlinks")
    up = sum(links)
    if up == len(links):
        return ok(f"{many(up, 'link')}, all up")
    found = f"{up} of {many(len(links), 'link')} up"
    return warn(
        found, "all up", "only the host can: fabric manager, bridges; copies between cards suffer"
    )


CHECKS: Checks = {
    "pcie-generation": of_health(_generation),
    "pcie-width": of_health(_width),
    "pcie-rate": of_health(_rate),
    "pcie-replays": of_health(_replays),
    "nvlink": of_health(_nvlink),
}
