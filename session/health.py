"""What is asked of a card and of a torch once, before money is spent on them: two structs.

Telemetry writes a ``CardHealth`` when it is told to, the probes a ``Checkup``; each travels in a
``session`` event.
"""

from __future__ import annotations

from typing import Annotated

import msgspec

from roofwatch.session.bounds import Bytes, Figure, Moment, Seconds

Tally = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]


class RemappedRows(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of memory that spare ones stand in for, by the kind of error that told; NVML's words."""

    correctable: Tally
    uncorrectable: Tally
    pending: bool  # more are, after the next reset
    failed: bool  # there was no spare one


class CardPair(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two cards of one host by NVML's index: how they meet. ``status`` says why a field is null."""

    a: Tally
    b: Tally
    nvlink: bool | None = None  # whether copies between them may go over it
    ancestor: str | None = None  # what of PCIe they share: "internal" | "single" … "system"
    status: dict[str, str] = {}


class CardHealth(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What NVML says of a card's condition at one moment; ``status`` says why a field is null.

    ``asked`` repeats the word that came with the order, so that a reading under load is known.
    ``xids`` are the driver's errors (Xid) since the first reading.
    """

    asked: str
    cuda: str | None = None  # the newest that the driver speaks, "13.0"
    cards: Tally | None = None  # in this machine, as NVML counts
    pci_bus_id: str | None = None
    app_sm_mhz: Figure | None = None
    app_sm_default_mhz: Figure | None = None
    app_mem_mhz: Figure | None = None
    app_mem_default_mhz: Figure | None = None
    boost_sm_mhz: Figure | None = None  # the most that its owner allows
    compute_mode: str | None = None
    ecc_pending: bool | None = None  # the mode after the next reset
    ecc_volatile: Tally | None = None  # uncorrected errors since the driver was loaded
    ecc_aggregate: Tally | None = None  # in the card's life
    rows: RemappedRows | None = None
    pcie_gen: Tally | None = None
    pcie_gen_max: Tally | None = None  # of the card and the slot together
    pcie_gen_card: Tally | None = None  # of the card alone
    pcie_lanes: Tally | None = None
    pcie_lanes_max: Tally | None = None
    pcie_replays: Tally | None = None
    nvlinks: list[bool] | None = None  # each link, whether it is up
    margin_c: float | None = None  # to the temperature at which it slows down
    xids: list[int] | None = None
    pairs: list[CardPair] = []  # of the cards that are watched; none of a single one
    status: dict[str, str] = {}


class Checkup(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a torch says of itself and of the device, and what a short look at both measured.

    The probes write it several times, each with all that is known by then. ``problem`` says why
    torch cannot open or use the device.
    """

    torch: str | None = None
    cuda: str | None = None  # that it was built with; null: none
    hip: str | None = None
    cudnn: str | None = None
    architectures: list[str] = []  # "sm_90" is code, "compute_90" is PTX
    threads: int | None = None
    problem: str | None = None
    enqueue_s: Seconds | None = None  # the host's part of one launch; on a CPU the whole call
    load_begin_s: Moment | None = None
    load_end_s: Moment | None = None
    copied_bytes: Bytes | None = None  # host to device, under that load
    copy_s: Seconds | None = None
    pinned: bool = True  # the host's memory that was copied from
