"""From what a driver reports to the nominal figures: the table's, a user's, or derived ones."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

import msgspec

from roofwatch.roofline.derive import KEY as DERIVED
from roofwatch.roofline.derive import derive
from roofwatch.roofline.nominal import (
    LARGEST,
    LEAST,
    Card,
    ceiling_tflops,
    clock_behind,
    factor_bandwidth_gbs,
)
from roofwatch.roofline.peaks import PEAK_KEYS

MEMORY_TOLERANCE = 0.07  # ECC on GDDR takes a sixteenth, drivers keep some
CLOCK_TOLERANCE = 0.03  # GDDR6 and GDDR6X boards of one name lie 5 % apart
_SINGLE = (
    "bandwidth_gbs",
    "ceiling_bandwidth_gbs",
    "sm_max_mhz",
    "tdp_w",
    "l2_bytes",
    "llc_bytes",
    "pcie_gen",
    "pcie_lanes",
    "c2c_gbs",
    "nvlink_gbs",
)


class Identity(msgspec.Struct, frozen=True, kw_only=True):
    """What a device says of itself; None (or 0) is a reading that could not be had."""

    name: str
    sm_count: int | None = None
    bus_bits: int | None = None
    memory_bytes: int | None = None
    mem_max_mhz: float | None = None
    sm_max_mhz: float | None = None
    compute_capability: str | None = None
    l2_bytes: int | None = None


class Nominal(msgspec.Struct, frozen=True, kw_only=True):
    """The figures that a device is judged by.

    Dicts are by peak key and hold only what the card has. ``ridge`` is in FLOP per byte.
    Ceilings are physical: no true measurement exceeds them. ``clocks_mhz`` is the clock at which
    each peak holds. ``note`` says where the figures come from when that needs saying.
    """

    origin: str  # "table" | "user" | "derived" | "none"
    key: str | None = None  # of the table's entry; None where there is none
    name: str = ""  # as the device prints it
    vendor: str = ""
    architecture: str = ""
    memory_type: str = ""
    evidence: str | None = None
    bandwidth_gbs: float | None = None
    ceiling_bandwidth_gbs: float | None = None
    peaks_tflops: dict[str, float] = {}
    ceilings_tflops: dict[str, float] = {}
    clocks_mhz: dict[str, float] = {}
    ridge: dict[str, float] = {}
    measured_best: dict[str, float] = {}  # what others published for this card, TFLOP/s
    sm_count: int | None = None
    sm_max_mhz: float | None = None
    l2_bytes: int | None = None
    llc_bytes: int | None = None  # of the last cache before memory: L2 where nothing lies behind it
    tdp_w: float | None = None
    memory_bytes: float | None = None  # as sold, GB of 1024^3
    pcie_gen: int | None = None
    pcie_lanes: int | None = None
    c2c_gbs: float | None = None  # coherent link to the host, one direction, GB/s
    nvlink_gbs: float | None = None  # all links to other cards, one direction, GB/s
    compute_capability: str | None = None  # "9.0"; on AMD "gfx942"
    note: str = ""

    def __post_init__(self) -> None:
        """Every figure is positive and finite: they divide and are drawn on a log scale."""
        figures = [(name, getattr(self, name)) for name in _SINGLE]
        for table in ("peaks_tflops", "ceilings_tflops", "clocks_mhz", "ridge", "measured_best"):
            figures += [(f"{table}.{key}", value) for key, value in getattr(self, table).items()]
        for name, value in figures:
            if value is not None and not LEAST < value < LARGEST:
                raise ValueError(f"{name} is {value}, which no card has")


def bare_name(name: str) -> str:
    """A device name without surrounding blanks and the ``NVIDIA `` that old drivers leave out."""
    return name.strip().removeprefix("NVIDIA ").strip()


def lookup(
    identity: Identity, cards: Iterable[Card], user_keys: Collection[str] = frozenset()
) -> Nominal:
    """The nominal figures of a device.

    The whole name decides, never a part of it. Among cards of one name SM count, bus width, memory
    and memory clock do; a user's cards come before the table's. When the driver contradicts the
    one entry of that name (a variant sold under the same name), its own figures take the place of
    the entry's and the origin is "derived". So is it for a name that is not in the table, or
    shared by cards that cannot be told apart.
    """
    name = bare_name(identity.name)
    named = [card for card in cards if name in map(bare_name, card.names)]
    named = [card for card in named if card.key in user_keys] or named
    left, by = _tell_apart(identity, named)
    if len(left) != 1:
        why = f"{len(named)} cards share this name, nothing tells them apart" if named else ""
        return _derived(identity, why)
    note = f"{len(named)} cards share this name; told apart by {by}" if by else ""
    if left[0].key in user_keys:
        return _nominal(identity, left[0], "user", note)
    card, differs = _corrected(identity, left[0])
    if differs:
        note = f"not the {card.key} of the table but {differs}: derived from that"
    return _nominal(identity, card, "derived" if differs else "table", note)


def _tell_apart(identity: Identity, cards: list[Card]) -> tuple[list[Card], str]:
    """The cards that fit, and the reading that left a single one."""
    fits: tuple[tuple[str, object, Callable[[Card], bool]], ...] = (
        ("SM count", identity.sm_count, lambda card: card.sm_count == identity.sm_count),
        ("bus width", identity.bus_bits, lambda card: card.bus_bits == identity.bus_bits),
        ("memory", identity.memory_bytes, lambda card: _memory_fits(identity, card)),
        ("memory clock", identity.mem_max_mhz, lambda card: _clock_fits(identity, card)),
    )
    by = ""
    for what, known, fit in fits:
        if len(cards) > 1 and known:
            cards, by = [card for card in cards if fit(card)], what
    return cards, by


def _memory_fits(identity: Identity, card: Card) -> bool:
    mib = (identity.memory_bytes or 0) / 2**20
    sizes = [*card.memory_total_mib_seen, *((card.memory_gb * 1024,) if card.memory_gb else ())]
    return any(abs(mib / size - 1) <= MEMORY_TOLERANCE for size in sizes)


def _clock_fits(identity: Identity, card: Card) -> bool:
    if not identity.mem_max_mhz or not card.pin_gbps:
        return False
    return abs(2 * identity.mem_max_mhz / 1000 / card.pin_gbps - 1) <= CLOCK_TOLERANCE


def _corrected(identity: Identity, card: Card) -> tuple[Card, str]:
    """The entry with the driver's readings where those contradict it, and which they are.

    Memory size is left alone: modified boards have more of it at the same rates.
    """
    differs = []
    if identity.sm_count and card.sm_count and identity.sm_count != card.sm_count:
        differs.append(f"{identity.sm_count} SM, not {card.sm_count}")
        share = identity.sm_count / card.sm_count
        card = msgspec.structs.replace(
            card,
            sm_count=identity.sm_count,
            peaks={key: peak * share for key, peak in card.peaks.items()},
            measured_best={},
        )
    # Two transfers a clock holds for what NVIDIA's driver reports; elsewhere it may not.
    if card.vendor == "NVIDIA" and card.bus_bits and card.pin_gbps:
        bus = identity.bus_bits or card.bus_bits
        mhz = card.pin_gbps * 500
        if identity.mem_max_mhz and not _clock_fits(identity, card):
            differs.append(f"memory at {identity.mem_max_mhz:.0f} MHz, not {mhz:.0f}")
            mhz = identity.mem_max_mhz
        if bus != card.bus_bits:
            differs.append(f"{bus} bit, not {card.bus_bits}")
        if bus != card.bus_bits or mhz != card.pin_gbps * 500:
            card = msgspec.structs.replace(card, bus_bits=bus, pin_gbps=mhz / 500)
            card = msgspec.structs.replace(card, bandwidth_gbs=factor_bandwidth_gbs(card))
    return card, " and ".join(differs)


def _derived(identity: Identity, why: str) -> Nominal:
    card = derive(
        identity.name,
        identity.compute_capability,
        identity.sm_count,
        identity.sm_max_mhz,
        identity.bus_bits,
        identity.mem_max_mhz,
        identity.memory_bytes,
        identity.l2_bytes,
    )
    if card is None:
        note = f"{why or 'not in the table'}, and the driver reports too little to derive from"
        return _nominal(identity, Card(key="", names=(identity.name,)), "none", note)
    parts = []
    if card.peaks:
        parts.append(f"{card.sm_count} SM at {card.clock_vector_mhz:.0f} MHz")
    if card.bandwidth_gbs:
        parts.append(f"{card.bus_bits} bit at {identity.mem_max_mhz:.0f} MHz")
    note = f"derived from {', '.join(parts)}"
    if " MIG " in identity.name:
        note += "; a MIG slice gets a part of that bandwidth"
    return _nominal(identity, card, "derived", f"{why}; {note}" if why else note)


def _nominal(identity: Identity, card: Card, origin: str, note: str) -> Nominal:
    sm_max = identity.sm_max_mhz or card.sm_max_mhz
    peaks = {key: card.peaks[key] for key in PEAK_KEYS if key in card.peaks}
    ceilings = {key: ceiling_tflops(card, key, sm_max) for key in peaks}
    clocks = {key: clock_behind(card, key) for key in peaks}
    bandwidth = card.bandwidth_gbs
    product = factor_bandwidth_gbs(card) or 0.0
    l2_bytes = identity.l2_bytes or (round(card.l2_mib * 2**20) if card.l2_mib else None)
    return Nominal(
        origin=origin,
        key=None if origin == "none" or card.key == DERIVED else card.key,
        name=identity.name,
        vendor=card.vendor,
        architecture=card.architecture,
        memory_type=card.memory_type,
        evidence=card.evidence,
        bandwidth_gbs=bandwidth,
        ceiling_bandwidth_gbs=max(bandwidth, product) if bandwidth else None,
        peaks_tflops=peaks,
        ceilings_tflops={key: value for key, value in ceilings.items() if value},
        clocks_mhz={key: value for key, value in clocks.items() if value},
        # TFLOP/s over GB/s, times 1000, is FLOP per byte.
        ridge={key: peak * 1e3 / bandwidth for key, peak in peaks.items()} if bandwidth else {},
        measured_best=card.measured_best,
        sm_count=card.sm_count or identity.sm_count,
        sm_max_mhz=sm_max,
        l2_bytes=l2_bytes,
        llc_bytes=round(card.llc_mib * 2**20) if card.llc_mib else l2_bytes,
        tdp_w=card.tdp_w,
        memory_bytes=card.memory_gb * 2**30 if card.memory_gb else identity.memory_bytes,
        pcie_gen=card.pcie_gen,
        pcie_lanes=card.pcie_lanes,
        c2c_gbs=card.c2c_gbs,
        nvlink_gbs=card.nvlink_gbs,
        compute_capability=card.compute_capability or identity.compute_capability,
        note=note,
    )
